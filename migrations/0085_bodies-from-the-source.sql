-- The text and the HTML of a received message are made from its source when they are read (decision 47). Older messages
-- keep theirs in their row. Sources are compressed when they are stored.
alter table messages add column body_bytes integer;
comment on column messages.body_bytes is 'The size of its text, its HTML and its HTML for display in bytes, which are made from the source when they are read. Null if text, html and display_html have them.';
alter table blobs add column inflated_size integer;
comment on column blobs.inflated_size is 'The size of the content in bytes, if bytes has it compressed (DEFLATE). Null if bytes has it as it is.';

-- The Date field of messages, which mail programs search and sort by.
alter table messages add column sent_at timestamptz, add column sent_on date;
comment on column messages.sent_at is 'The time in the Date header; null if there is none, or if the message was stored before this column existed. Then created_at counts.';
comment on column messages.sent_on is 'The day in the Date header, in the time zone of the sender. Null like sent_at.';

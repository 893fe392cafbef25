alter table messages add column display_html text;
comment on column messages.display_html is 'The HTML with its own style sheet, classes and background images, cleaned for display in a frame without scripts. Null where html alone looks the same, and for messages from before this column.';

-- Nearly all mail is text in UTF-8, and the driver reads text at a quarter of the cost of bytes.
alter table email_contents add column is_text boolean not null default false;

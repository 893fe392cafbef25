-- Emails that a template or a request with many recipients made are stored as what they are made from (decision 40).

alter table email_contents add column is_recipe boolean not null default false;
comment on column email_contents.is_recipe is 'Whether raw is not the message but a JSON object with what the message is made from. The texts and files that emails share are in email_content_parts: 0 is the HTML, 1 the text, 2 the files.';
comment on column email_contents.full_size is 'The size of the message together with its parts in email_content_parts; null if it has none.';
comment on column email_content_parts.at is 'Where the part belongs, as a position in what is left of the message; a number for a recipe.';
comment on table email_content_parts is 'Attachments that were cut out of the contents of emails, and the texts and files of recipes. Their bytes are in blobs, without the base64 encoding.';

alter table sandbox_messages add column is_prefix boolean not null default false;
comment on column sandbox_messages.is_prefix is 'Whether raw is only what precedes the message of the email, such as its signature, because the email is stored as a recipe.';

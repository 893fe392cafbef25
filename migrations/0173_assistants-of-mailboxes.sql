alter table mailboxes add column assistant jsonb;
comment on column mailboxes.assistant is 'What assistants are told about the mailbox: {instructions, tone, actions}, as the API shows it. Null: nothing.';

-- What went to one address, newest first, however much there is. One entry of a btree for each recipient is what
-- accepting an email pays for it; the subject has no index on purpose.
create index email_recipients_address on email_recipients (team_id, address_key, email_id);

-- Mail to a person about their own account: its link is as good as a key, so nobody else is shown its content. Not
-- validated, because whatever is there passed the narrower list.
alter table emails
  drop constraint emails_source_check,
  add constraint emails_source_check
    check (source in ('api', 'smtp', 'campaign', 'mailbox', 'system', 'account')) not valid;

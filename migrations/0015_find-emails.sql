-- What went to one address, newest first, however much there is. One entry of a btree for each recipient is what
-- accepting an email pays for it; the subject has no index on purpose.
create index email_recipients_address on email_recipients (team_id, address_key, email_id);

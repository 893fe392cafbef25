-- The sent mail of a mailbox that not everyone could read stays hidden when the mailbox is deleted.

create table closed_mailboxes (
  team_id integer not null references teams on delete cascade,
  id uuid not null,
  address_key text collate "C" not null,
  deleted_at timestamptz not null default now(),
  primary key (team_id, id)
);
comment on table closed_mailboxes is 'Deleted mailboxes that were not open to the team. Emails that were sent from them stay hidden in lists of emails.';
comment on column closed_mailboxes.id is 'The id that the mailbox had.';
comment on column closed_mailboxes.address_key is 'The address that the mailbox had, as addresses are compared.';
comment on column closed_mailboxes.deleted_at is 'When the mailbox was deleted. Emails from before then are hidden.';

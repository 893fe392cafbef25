create table mailbox_addresses (
  team_id integer not null,
  mailbox_id uuid not null,
  id uuid not null,
  address text not null,
  address_key text not null,
  domain text not null,
  name text,
  created_at timestamptz not null default now(),
  primary key (team_id, id),
  constraint mailbox_addresses_address_key unique (address_key),
  constraint mailbox_addresses_team_id_mailbox_id_fkey foreign key (team_id, mailbox_id)
    references mailboxes (team_id, id) on delete cascade
);
create index mailbox_addresses_of_mailbox on mailbox_addresses (team_id, mailbox_id, id);
comment on table mailbox_addresses is
  'Further addresses of a mailbox, which receive and send. No two mailboxes of the instance have the same address (claim_mailbox_address).';
comment on column mailbox_addresses.address is 'As it was entered.';
comment on column mailbox_addresses.address_key is 'The normalised address, unique in the instance.';
comment on column mailbox_addresses.domain is 'The name of a domain of the team. Mail is received while the team holds it.';
comment on column mailbox_addresses.name is 'Shown to recipients next to the address. Null: the name of the mailbox.';

create table mailbox_signatures (
  team_id integer not null,
  mailbox_id uuid not null,
  id uuid not null,
  name text not null,
  html text not null,
  user_id uuid,
  address_id uuid,
  is_default boolean not null default false,
  created_at timestamptz not null default now(),
  primary key (team_id, id),
  constraint mailbox_signatures_team_id_mailbox_id_fkey foreign key (team_id, mailbox_id)
    references mailboxes (team_id, id) on delete cascade,
  constraint mailbox_signatures_user_id_fkey foreign key (user_id) references users (id) on delete cascade,
  constraint mailbox_signatures_team_id_address_id_fkey foreign key (team_id, address_id)
    references mailbox_addresses (team_id, id) on delete cascade
);
create unique index mailbox_signatures_default on mailbox_signatures (team_id, mailbox_id, user_id, address_id)
  nulls not distinct where is_default;
create index mailbox_signatures_user on mailbox_signatures (user_id) where user_id is not null;
create index mailbox_signatures_address on mailbox_signatures (team_id, address_id) where address_id is not null;
comment on table mailbox_signatures is 'Signatures for messages of a mailbox.';
comment on column mailbox_signatures.html is 'Cleaned.';
comment on column mailbox_signatures.user_id is 'The only person who uses it. Null: everyone.';
comment on column mailbox_signatures.address_id is 'The only further address that it is for. Null: all addresses of the mailbox.';
comment on column mailbox_signatures.is_default is
  'Used without being chosen. Of several, that of the person and the address wins, then that of the person.';

create table mailbox_blocks (
  team_id integer not null,
  mailbox_id uuid not null,
  id uuid not null,
  entry text not null,
  action text not null,
  created_by text,
  created_at timestamptz not null default now(),
  primary key (team_id, id),
  constraint mailbox_blocks_entry_key unique (team_id, mailbox_id, entry),
  constraint mailbox_blocks_action_check check (action in ('spam', 'reject')),
  constraint mailbox_blocks_team_id_mailbox_id_fkey foreign key (team_id, mailbox_id)
    references mailboxes (team_id, id) on delete cascade
);
comment on table mailbox_blocks is 'Senders whose mail a mailbox does not want.';
comment on column mailbox_blocks.entry is 'A normalised address, or @ and a domain.';
comment on column mailbox_blocks.action is 'spam: the message goes to spam. reject: the recipient is rejected with 550.';
comment on column mailbox_blocks.created_by is 'Who blocked the sender: a key or user:usr_….';

alter table mailboxes add arrival_version bigint not null default 0;
comment on column mailboxes.arrival_version is
  'Counts the changes of its rules and blocks, so that they are read again only after a change. 0: it never had any.';

alter table messages add delivered_to text;
comment on column messages.delivered_to is
  'The normalised recipient of the envelope, for received messages. Replies come from this address.';

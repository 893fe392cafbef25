alter table mailboxes add access_mode text not null default 'team'
  constraint mailboxes_access_mode_check check (access_mode in ('team', 'listed'));
comment on column mailboxes.access_mode is
  'team: everyone in the team may read and reply. listed: only the people in mailbox_access.';

create table mailbox_access (
  team_id integer not null,
  mailbox_id uuid not null,
  user_id uuid not null,
  role text not null,
  created_at timestamptz not null default now(),
  primary key (team_id, mailbox_id, user_id),
  constraint mailbox_access_role_check check (role in ('read', 'draft', 'reply', 'manage')),
  constraint mailbox_access_team_id_mailbox_id_fkey foreign key (team_id, mailbox_id)
    references mailboxes (team_id, id) on delete cascade,
  constraint mailbox_access_team_id_user_id_fkey foreign key (team_id, user_id)
    references memberships (team_id, user_id) on delete cascade
);
create index mailbox_access_user on mailbox_access (team_id, user_id);
comment on table mailbox_access is
  'What people may do in mailboxes (src/features/api/mailbox-access.ts). In a mailbox that is open to the team, a row can only give more.';
comment on column mailbox_access.role is
  'read: read, note, assign; draft: also write drafts; reply: also send, move, delete; manage: also rules and access.';

alter table api_keys add mailbox_ids uuid[];
comment on column api_keys.mailbox_ids is
  'References mailboxes: the only ones that the key may use. Null for a key that is not limited to mailboxes.';

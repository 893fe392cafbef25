-- What keys with a send policy have submitted, the emails that wait for a person, and what such keys have read.

create table policy_sends (
  team_id integer not null references teams (id) on delete cascade,
  email_id uuid not null,
  key_id uuid not null,
  is_held boolean not null,
  thread_id uuid,
  new_recipients text[] not null,
  created_at timestamptz not null default now(),
  primary key (team_id, email_id)
);
create index policy_sends_key on policy_sends (team_id, key_id, created_at);
create index policy_sends_thread on policy_sends (team_id, thread_id, created_at) where thread_id is not null;
create index policy_sends_age on policy_sends (created_at);
comment on table policy_sends is 'The emails of keys with a send policy, for the limits of the policy. Kept for 90 days.';
comment on column policy_sends.email_id is 'References emails.';
comment on column policy_sends.key_id is 'References api_keys.';
comment on column policy_sends.is_held is 'Whether it had to wait for a person.';
comment on column policy_sends.thread_id is 'References threads: the thread that it replied to.';
comment on column policy_sends.new_recipients is 'Hashes of the addresses that were new to the mailbox.';

create table approvals (
  team_id integer not null references teams (id) on delete cascade,
  id uuid not null,
  email_id uuid not null,
  key_id uuid not null,
  mailbox_id uuid,
  thread_id uuid,
  rule text not null,
  sentence text not null,
  tainted_by text[] not null,
  hash bytea not null,
  state text not null default 'pending'
    check (state in ('pending', 'approved', 'rejected', 'expired', 'withdrawn')),
  leaves_at timestamptz,
  reason text,
  decided_by uuid,
  decided_at timestamptz,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  primary key (team_id, id),
  constraint approvals_email unique (team_id, email_id)
);
create index approvals_state on approvals (team_id, state, id);
create index approvals_due on approvals (expires_at) where state = 'pending';
create index approvals_key on approvals (team_id, key_id, id);
comment on table approvals is 'Emails of agents that wait for a person. The email itself is SCHEDULED without a time.';
comment on column approvals.email_id is 'References emails: the bytes that are approved.';
comment on column approvals.key_id is 'References api_keys: who wrote it.';
comment on column approvals.mailbox_id is 'References mailboxes: whose address it is from. People who may reply there decide. Null: owners and admins do.';
comment on column approvals.thread_id is 'References threads: what it replies to.';
comment on column approvals.rule is 'The part of the policy that demands the approval.';
comment on column approvals.sentence is 'Why it waits, in words.';
comment on column approvals.tainted_by is 'The public IDs of what outsiders wrote and the key had read.';
comment on column approvals.hash is 'SHA-256 of the envelope and the message.';
comment on column approvals.state is 'withdrawn: the email was cancelled before anyone decided.';
comment on column approvals.decided_at is 'When it left the state pending.';
comment on column approvals.leaves_at is 'The send time that the key asked for. Null: now.';
comment on column approvals.reason is 'What the person wrote who rejected it.';
comment on column approvals.decided_by is 'References users.';
comment on column approvals.expires_at is 'When it expires if no one has decided.';

create table agent_reads (
  team_id integer not null references teams (id) on delete cascade,
  key_id uuid not null,
  item text not null,
  thread_id uuid,
  read_at timestamptz not null default now(),
  primary key (team_id, key_id, item)
);
create index agent_reads_age on agent_reads (read_at);
comment on table agent_reads is 'What keys with a send policy have read that an outsider wrote. Counts for 24 hours.';
comment on column agent_reads.key_id is 'References api_keys.';
comment on column agent_reads.item is 'The public ID of a message, thread or contact.';
comment on column agent_reads.thread_id is 'References threads: where it was written. Null for contacts.';
comment on column agent_reads.read_at is 'When it was last read.';

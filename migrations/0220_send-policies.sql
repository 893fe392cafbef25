-- Send policies: what an agent may send. A key that names one sends only under it.

create table send_policies (
  team_id integer not null references teams (id) on delete cascade,
  id uuid not null,
  name text not null,
  mode text not null check (mode in ('draft_only', 'approve_all', 'approve_new', 'free')),
  recipients jsonb not null,
  max_recipients integer,
  max_per_hour integer,
  max_per_day integer,
  max_new_recipients_per_day integer,
  links jsonb not null,
  attachments text not null check (attachments in ('any', 'none', 'from_thread')),
  bcc boolean not null,
  taint text not null check (taint in ('strict', 'off')),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (team_id, id),
  constraint send_policies_name unique (team_id, name)
);
comment on table send_policies is 'What keys may send that name them (src/features/sending/policies/).';
comment on column send_policies.mode is 'draft_only: nothing. approve_all: after a person''s approval. approve_new: with an approval for people that are new to the mailbox. free: without approval.';
comment on column send_policies.recipients is 'Who may get mail: {allow, deny, threadParticipants, contactBookIds}, as in the API.';
comment on column send_policies.max_recipients is 'The most addresses of one email. Null: no limit, like the other limits.';
comment on column send_policies.max_per_hour is 'The most emails that a key submits in an hour.';
comment on column send_policies.max_per_day is 'The most emails that a key submits in 24 hours.';
comment on column send_policies.max_new_recipients_per_day is 'The most addresses in 24 hours that a key has not written to before.';
comment on column send_policies.attachments is 'from_thread: only files that are in the thread of a reply.';
comment on column send_policies.links is '"any", "none", or the list of domains that links may lead to.';
comment on column send_policies.bcc is 'Whether emails may have recipients that no header shows.';
comment on column send_policies.taint is 'strict: what outsiders wrote limits where a key sends that has read it.';

alter table api_keys
  add column kind text not null default 'application' check (kind in ('application', 'agent')),
  add column policy_id uuid,
  add constraint api_keys_agent_policy check (kind = 'application' or policy_id is not null or revoked_at is not null),
  add constraint api_keys_policy_fkey foreign key (team_id, policy_id) references send_policies (team_id, id);
comment on column api_keys.kind is 'agent: software that decides by itself. It needs a policy.';
comment on column api_keys.policy_id is 'The send policy that every email of the key must pass.';
create index api_keys_policy on api_keys (team_id, policy_id) where policy_id is not null;

alter table app_passwords add column made_by_key uuid;
comment on column app_passwords.made_by_key is 'References api_keys. The key with a send policy that created the password, and whose policy it sends under.';

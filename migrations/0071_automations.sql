-- Automations: what happens by itself after something has happened to a contact (decision 46).

create table automations (
  team_id integer not null references teams on delete cascade,
  id uuid not null,
  name text not null,
  status text not null default 'DRAFT',
  contact_book_id uuid not null,
  definition jsonb not null,
  version integer not null default 0,
  has_draft boolean not null default false,
  rate_minute timestamptz,
  rate_used integer not null default 0,
  looked_at timestamptz,
  looks_each_minute boolean not null default false,
  paused_at timestamptz,
  deleted_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (team_id, id),
  constraint automations_status_check check (status in ('DRAFT', 'ACTIVE', 'CLOSED', 'PAUSED')),
  constraint automations_definition_size check (octet_length(definition::text) <= 1048576)
);
comment on table automations is 'What happens by itself after something has happened to a contact of a book.';
comment on column automations.status is 'DRAFT: never active; CLOSED: takes nobody new, and runs finish; PAUSED: nothing happens.';
comment on column automations.contact_book_id is 'References contact_books.';
comment on column automations.definition is 'Trigger, steps and settings, as they were last edited.';
comment on column automations.version is 'The version that new runs follow. 0 before the first activation.';
comment on column automations.has_draft is 'Whether definition differs from the live version.';
comment on column automations.rate_minute is 'The minute that rate_used counts.';
comment on column automations.rate_used is 'Runs that moved in rate_minute, for automations with a rate.';
comment on column automations.looked_at is 'For triggers by segment or date: when contacts were last looked at.';
comment on column automations.looks_each_minute is 'Whether the trigger of the live version is a segment or a date.';
comment on column automations.paused_at is 'Since when it is PAUSED.';
comment on column automations.deleted_at is 'When it was deleted. The history of its runs is kept.';
create index automations_list on automations (team_id, id) where deleted_at is null;
create index automations_live on automations (team_id, id) where deleted_at is null and status in ('ACTIVE', 'CLOSED');

create table automation_versions (
  team_id integer not null,
  automation_id uuid not null,
  version integer not null,
  definition jsonb not null,
  created_by text not null,
  created_at timestamptz not null default now(),
  primary key (team_id, automation_id, version),
  foreign key (team_id, automation_id) references automations on delete cascade
);
comment on table automation_versions is 'What an automation was when it was activated or published. A run follows one version.';
comment on column automation_versions.created_by is 'Who published it: an API key or a person.';

create table automation_runs (
  team_id integer not null,
  id uuid not null,
  automation_id uuid not null,
  version integer not null,
  contact_book_id uuid not null,
  contact_id uuid not null,
  address_key text collate "C" not null,
  status text not null default 'ACTIVE',
  reason text,
  step text,
  visit integer not null default 1,
  entered_at timestamptz not null default now(),
  due_at timestamptz,
  waiting_for text,
  held_by text,
  attempts smallint not null default 0,
  event jsonb,
  memory jsonb not null default '{}',
  entry_key text not null,
  steps_done integer not null default 0,
  exits_on_reply boolean not null default false,
  exits_on_unsubscribe boolean not null default false,
  started_at timestamptz not null default now(),
  ended_at timestamptz,
  primary key (team_id, id),
  constraint automation_runs_status_check check (status in ('ACTIVE', 'DONE', 'EXITED', 'FAILED', 'CANCELLED')),
  constraint automation_runs_entry_key unique (team_id, automation_id, contact_id, entry_key),
  foreign key (team_id, automation_id) references automations on delete cascade
) with (fillfactor = 85);
comment on table automation_runs is 'A contact on its way through an automation.';
comment on column automation_runs.contact_book_id is 'References contact_books.';
comment on column automation_runs.contact_id is 'References contacts.';
comment on column automation_runs.address_key is 'The address of the contact when the run began, as addresses are compared.';
comment on column automation_runs.reason is 'Why it ended, unless it reached its end.';
comment on column automation_runs.step is 'The key of the step that is next. Null when it has ended.';
comment on column automation_runs.visit is 'How often the run has come to this step.';
comment on column automation_runs.entered_at is 'When the run came to this step.';
comment on column automation_runs.due_at is 'When the step is looked at next. Null when the run has ended.';
comment on column automation_runs.waiting_for is 'The event that the step waits for.';
comment on column automation_runs.held_by is 'What holds the step beyond its time: quiet_hours, frequency_cap, auto_reply, or an error that someone has to mend.';
comment on column automation_runs.attempts is 'How often the step has failed in a row.';
comment on column automation_runs.event is 'The event that started it: {id, name, data}.';
comment on column automation_runs.memory is 'What the run remembers: how often it came to steps that it visits again, responses of webhooks, and events that it has heard.';
comment on column automation_runs.entry_key is 'What started it. The same cause starts one run of a contact.';
comment on column automation_runs.exits_on_reply is 'Whether a reply of a person ends it.';
comment on column automation_runs.exits_on_unsubscribe is 'Whether it ends when the contact unsubscribes.';
create index automation_runs_due on automation_runs (team_id, automation_id, due_at) where status = 'ACTIVE';
create index automation_runs_contact on automation_runs (team_id, contact_id) where status = 'ACTIVE';
create index automation_runs_of_contact on automation_runs (team_id, automation_id, contact_id, id);
create index automation_runs_list on automation_runs (team_id, automation_id, id);
create index automation_runs_address on automation_runs (team_id, address_key);

create table automation_run_steps (
  team_id integer not null,
  run_id uuid not null,
  no integer not null,
  step text not null,
  type text not null,
  version integer not null,
  result text not null,
  email_id uuid,
  at timestamptz not null default now(),
  primary key (team_id, run_id, no),
  foreign key (team_id, run_id) references automation_runs on delete cascade
);
comment on table automation_run_steps is 'The history of a run. Rows are only added.';
comment on column automation_run_steps.step is 'The key of the step.';
comment on column automation_run_steps.version is 'The version that the run followed at the time.';
comment on column automation_run_steps.result is 'The way out that was taken, or what became of the step.';
comment on column automation_run_steps.email_id is 'References emails.';

create table automation_emails (
  team_id integer not null,
  email_id uuid not null,
  automation_id uuid not null,
  run_id uuid not null,
  step text not null,
  visit integer not null,
  message_id text not null,
  thread_subject text not null,
  replied_at timestamptz,
  unsubscribed_at timestamptz,
  created_at timestamptz not null default now(),
  primary key (team_id, email_id),
  constraint automation_emails_step unique (team_id, run_id, step, visit),
  foreign key (team_id, run_id) references automation_runs on delete cascade
);
comment on table automation_emails is 'The emails of runs. A step of a run has one email for each visit.';
comment on column automation_emails.email_id is 'References emails.';
comment on column automation_emails.step is 'The key of the step.';
comment on column automation_emails.message_id is 'The Message-ID header, with its angle brackets.';
comment on column automation_emails.thread_subject is 'The subject, for follow-ups in the same thread.';
comment on column automation_emails.replied_at is 'When a person first replied.';
comment on column automation_emails.unsubscribed_at is 'When the contact unsubscribed by this email.';
create index automation_emails_message on automation_emails (team_id, message_id);
create index automation_emails_report on automation_emails (team_id, automation_id, step);

create table automation_counts (
  team_id integer not null,
  automation_id uuid not null,
  step text not null,
  name text not null,
  slot smallint not null,
  count bigint not null,
  primary key (team_id, automation_id, step, name, slot),
  foreign key (team_id, automation_id) references automations on delete cascade
);
comment on table automation_counts is 'Counters of the report. The sum over the slots counts.';
comment on column automation_counts.step is 'The key of the step. Empty for runs as a whole.';
comment on column automation_counts.name is 'What is counted: started, entered, a way out, or a reason.';
comment on column automation_counts.slot is 'Concurrent transactions use different slots, so that they do not wait for each other.';

create table automation_members (
  team_id integer not null,
  automation_id uuid not null,
  contact_id uuid not null,
  primary key (team_id, automation_id, contact_id),
  foreign key (team_id, automation_id) references automations on delete cascade
);
comment on table automation_members is 'For triggers by segment: the contacts that matched at the last look.';
comment on column automation_members.contact_id is 'References contacts.';

create table stream_readers (
  name text primary key,
  xid xid8,
  event_id uuid not null
);
comment on table stream_readers is 'How far each reader of the events has come.';
comment on column stream_readers.xid is 'The transaction of the last event that was read. Null: the reader begins at the end.';
comment on column stream_readers.event_id is 'The last event that was read. References events.';
insert into stream_readers (name, xid, event_id)
values ('automations', pg_current_xact_id(), '00000000-0000-0000-0000-000000000000');

alter table teams add column frequency_cap jsonb;
comment on column teams.frequency_cap is 'The most marketing emails that an address gets: {count, hours}. Null: no limit.';

alter table emails drop constraint emails_source_check;
alter table emails add constraint emails_source_check
  check (source in ('api', 'smtp', 'campaign', 'mailbox', 'system', 'account', 'automation'));
comment on column automation_counts.count is 'How often it was counted in this slot.';
comment on column automation_emails.automation_id is 'References automations.';
comment on column automation_emails.visit is 'The visit of the run to the step.';
comment on column automation_run_steps.no is 'The position in the history, from 1.';
comment on column automation_run_steps.type is 'The type of the step.';
comment on column automation_run_steps.at is 'When the step was done.';
comment on column automation_runs.version is 'The version of the automation that it follows.';
comment on column automation_runs.steps_done is 'How many steps it has done.';
comment on column automation_runs.ended_at is 'When it ended. Null while it is ACTIVE.';
comment on column automation_versions.version is 'Counts from 1.';
comment on column automation_versions.definition is 'Trigger, steps and settings.';

alter table contact_imports add column triggers_automations boolean not null default false;
comment on column contact_imports.triggers_automations is 'Whether the contacts of this import start automations.';

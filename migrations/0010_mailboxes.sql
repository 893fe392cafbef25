-- Mailboxes: addresses that receive, their threads and messages, and what a listener is told of them.

-- One address exists once in the instance. The domain is named and not referenced: a mailbox outlives it, and takes
-- mail only while its team holds that name.
create table mailboxes (
  team_id integer not null references teams (id),
  id uuid not null,
  address text not null,
  address_key text collate "C" not null,
  domain text collate "C" not null,
  name text,
  undo_seconds smallint not null check (undo_seconds between 0 and 120),
  -- Takes what comes to addresses of its domain that nobody has.
  catch_all boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (team_id, id),
  constraint mailboxes_address_key unique (address_key)
);
create index mailboxes_domain on mailboxes (team_id, domain);
create unique index mailboxes_catch_all on mailboxes (team_id, domain) where catch_all;

-- A conversation. `sent` as a folder is that of threads with nothing but mail of our own, which nobody filed yet.
-- No foreign key to the mailbox here and below: what a deleted one held is out of sight at once and goes in slices.
create table threads (
  team_id integer not null,
  id uuid not null,
  mailbox_id uuid not null,
  folder text not null check (folder in ('inbox', 'archive', 'trash', 'spam', 'sent')),
  subject text not null,
  -- Without Re: and the like, shortened to what an index takes.
  base_subject text collate "C" not null,
  participants text[] not null,
  participant_keys text[] not null,
  snippet text not null,
  message_count integer not null,
  unread_count integer not null,
  last_message_at timestamptz not null,
  created_at timestamptz not null default now(),
  primary key (team_id, id)
);
create index threads_folder on threads (team_id, mailbox_id, folder, last_message_at desc, id desc);
create index threads_all on threads (team_id, mailbox_id, last_message_at desc, id desc);
create index threads_unread on threads (team_id, mailbox_id, folder, last_message_at desc, id desc)
  where unread_count > 0;
create index threads_base_subject on threads (team_id, mailbox_id, base_subject, last_message_at desc)
  where base_subject <> '';

-- Where a thread went that turned out to be part of another one.
create table merged_threads (
  team_id integer not null,
  id uuid not null,
  into_id uuid not null,
  primary key (team_id, id)
);
create index merged_threads_into on merged_threads (team_id, into_id);

-- How many threads a folder has, and how many of them are unread: kept by a trigger, split over slots that are summed
-- on reading, so that two deliveries to one mailbox do not wait for each other.
create table mailbox_folder_counts (
  team_id integer not null,
  mailbox_id uuid not null,
  folder text not null,
  slot smallint not null,
  threads bigint not null,
  unread bigint not null,
  primary key (team_id, mailbox_id, folder, slot)
) with (fillfactor = 50);

create function count_thread(team integer, mailbox uuid, place text, sign integer, is_unread boolean) returns void
language sql as $$
  insert into mailbox_folder_counts as c (team_id, mailbox_id, folder, slot, threads, unread)
  values (team, mailbox, place, pg_backend_pid() % 16, sign, case when is_unread then sign else 0 end)
  on conflict (team_id, mailbox_id, folder, slot)
  do update set threads = c.threads + excluded.threads, unread = c.unread + excluded.unread
$$;

create function count_threads() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' then
    perform count_thread(old.team_id, old.mailbox_id, old.folder, -1, old.unread_count > 0);
  end if;
  if tg_op <> 'DELETE' then
    perform count_thread(new.team_id, new.mailbox_id, new.folder, 1, new.unread_count > 0);
  end if;
  return null;
end
$$;
create trigger threads_come_and_go after insert or delete on threads
  for each row execute function count_threads();
create trigger threads_move after update of folder, unread_count on threads for each row
  when (old.folder <> new.folder or (old.unread_count > 0) <> (new.unread_count > 0))
  execute function count_threads();

-- Bytes by their content, once in a team however many messages hold them: whole messages as they came, attachments.
create table blobs (
  team_id integer not null references teams (id),
  sha256 bytea not null,
  bytes bytea not null,
  -- Since when perhaps nobody points here; whoever stores the same again clears it.
  unused_since timestamptz,
  primary key (team_id, sha256)
);
alter table blobs alter column bytes set storage external;
create index blobs_unused on blobs (unused_since) where unused_since is not null;

-- Received and sent alike. One of our own without an email is a draft; with one, that email alone knows whether it
-- waits, has left or came back.
create table messages (
  team_id integer not null,
  id uuid not null,
  mailbox_id uuid not null,
  thread_id uuid not null,
  direction text not null check (direction in ('in', 'out')),
  email_id uuid,
  -- Taken back when the other side writes first.
  cancel_if_replied boolean not null default false,
  message_id text collate "C",
  in_reply_to text,
  reference_ids text[] not null,
  sender text not null,
  to_addresses text[] not null,
  cc_addresses text[] not null,
  bcc_addresses text[] not null,
  reply_to text[] not null,
  subject text not null,
  text text,
  -- Cleaned.
  html text,
  read boolean not null,
  attachment_count smallint not null,
  -- How SPF, DKIM, DMARC and ARC came out; null where nobody asked.
  authentication jsonb,
  raw_sha256 bytea,
  -- The same bytes with the same Message-ID, or the same letter of ours, are stored once.
  delivery_key bytea,
  search tsvector not null,
  created_at timestamptz not null default now(),
  primary key (team_id, id)
);
create index messages_thread on messages (team_id, thread_id, created_at, id);
create index messages_message_id on messages (team_id, mailbox_id, message_id) where message_id is not null;
create unique index messages_email on messages (team_id, email_id) where email_id is not null;
create unique index messages_delivery on messages (team_id, mailbox_id, delivery_key) where delivery_key is not null;
create index messages_drafts on messages (team_id, mailbox_id, thread_id)
  where direction = 'out' and email_id is null;
create index messages_sent on messages (team_id, mailbox_id, thread_id)
  where direction = 'out' and email_id is not null;
-- Few: those that an answer takes back.
create index messages_cancel_if_replied on messages (team_id, thread_id)
  where cancel_if_replied and email_id is not null;
create index messages_mailbox on messages (team_id, mailbox_id, id);
create index messages_raw on messages (team_id, raw_sha256) where raw_sha256 is not null;
create index messages_search on messages using gin (search);

-- Which Message-IDs a message names, to find it when the one that it answers comes later.
create table message_references (
  team_id integer not null,
  mailbox_id uuid not null,
  reference text collate "C" not null,
  message_id uuid not null,
  primary key (team_id, mailbox_id, reference, message_id)
);
create index message_references_message on message_references (team_id, message_id);

create table message_attachments (
  team_id integer not null,
  message_id uuid not null,
  no smallint not null,
  filename text,
  content_type text not null,
  content_id text,
  inline boolean not null,
  size integer not null,
  sha256 bytea not null,
  primary key (team_id, message_id, no)
);
create index message_attachments_blob on message_attachments (team_id, sha256);

-- What happened in a mailbox, for who listens. Numbered by the first reader and not by the writer: a number that is
-- given before the commit could come into sight behind a higher one that was read already.
create table mailbox_events (
  team_id integer not null,
  mailbox_id uuid not null,
  id bigint generated always as identity,
  no bigint,
  type text not null,
  thread_id uuid not null,
  message_id uuid,
  created_at timestamptz not null default now(),
  primary key (team_id, mailbox_id, id)
);
create unique index mailbox_events_no on mailbox_events (team_id, mailbox_id, no) where no is not null;
create index mailbox_events_unnumbered on mailbox_events (team_id, mailbox_id, id) where no is null;
create index mailbox_events_created_at on mailbox_events (created_at);
create sequence mailbox_event_numbers;

create index emails_waiting_in_mailboxes on emails (team_id, scheduled_at)
  where status = 'SCHEDULED' and source = 'mailbox';

-- Whoever moves an email of a mailbox (the courier, the mailbox, the API of emails), its message goes along: one that
-- was cancelled is a draft again.
create function follow_mailbox_email() returns trigger language plpgsql as $$
declare
  moved record;
  kind text;
begin
  if old.status = 'SCHEDULED' and new.status = 'CANCELLED' then
    kind := 'message.taken_back';
    update messages set email_id = null where team_id = new.team_id and email_id = new.id
      returning mailbox_id, thread_id, id into moved;
  else
    kind := case when old.status = 'SCHEDULED' then 'message.left'
      when new.status = 'BOUNCED' then 'thread.changed' end;
    select mailbox_id, thread_id, id into moved from messages where team_id = new.team_id and email_id = new.id;
  end if;
  if moved.id is null or kind is null then return null; end if;
  insert into mailbox_events (team_id, mailbox_id, type, thread_id, message_id)
  values (new.team_id, moved.mailbox_id, kind, moved.thread_id, moved.id);
  perform pg_notify('mailbox_events', '');
  return null;
end
$$;
create trigger mailbox_email_moved after update of status on emails for each row
  when (new.source = 'mailbox' and old.status <> new.status) execute function follow_mailbox_email();

-- Flags, folder and labels belong to the message. Every mailbox has one rising change number, every folder its UIDs, and
-- a log says which messages left a folder. IMAP, JMAP, webmail and the API read and change the same columns.

create table mailbox_change_numbers (
  team_id integer not null,
  mailbox_id uuid not null,
  modseq bigint not null default 1,
  forgotten_modseq bigint not null default 0,
  primary key (team_id, mailbox_id)
) with (fillfactor = 50);
comment on table mailbox_change_numbers is 'The change number (MODSEQ) of each mailbox. A transaction that changes messages or folders locks the row, raises the number and writes it to what it changes, so numbers become visible in their order.';
comment on column mailbox_change_numbers.mailbox_id is 'References mailboxes.';
comment on column mailbox_change_numbers.modseq is 'The number of the latest change.';
comment on column mailbox_change_numbers.forgotten_modseq is 'The log of vanished messages is complete only after this number.';

create table folders (
  team_id integer not null,
  mailbox_id uuid not null,
  id text collate "C" not null,
  name text not null,
  uid_validity bigint not null default extract(epoch from now())::bigint,
  next_uid bigint not null default 1,
  modseq bigint not null default 1,
  created_modseq bigint not null default 1,
  changed_modseq bigint not null default 1,
  subscribed boolean not null default true,
  messages integer not null default 0,
  unseen integer not null default 0,
  bytes bigint not null default 0,
  created_at timestamptz not null default now(),
  primary key (team_id, mailbox_id, id)
) with (fillfactor = 50);
create unique index folders_name on folders (team_id, mailbox_id, name);
comment on table folders is 'The folders of mailboxes: six that every mailbox has, and those that people create. A trigger on mailboxes creates the six.';
comment on column folders.mailbox_id is 'References mailboxes.';
comment on column folders.id is 'inbox, archive, sent, drafts, spam or trash, which are also their special uses; otherwise the public id.';
comment on column folders.name is 'The full name, with / between the levels. The inbox is INBOX.';
comment on column folders.uid_validity is 'Changes when UIDs of the folder could mean other messages than before (RFC 9051, section 2.3.1.1).';
comment on column folders.next_uid is 'The UID of the next message.';
comment on column folders.modseq is 'The number of the latest change of a message in the folder, or of one that left it.';
comment on column folders.created_modseq is 'The change number with which the folder was created.';
comment on column folders.changed_modseq is 'The change number of the latest change of the folder itself, such as a new name.';
comment on column folders.subscribed is 'Whether mail programs list it among the subscribed folders.';
comment on column folders.messages is 'How many messages are in it. Triggers on messages keep this and the next two columns.';
comment on column folders.unseen is 'How many of them are unread.';
comment on column folders.bytes is 'The sizes of its messages.';

create table vanished_messages (
  team_id integer not null,
  mailbox_id uuid not null,
  modseq bigint not null,
  folder text collate "C" not null,
  uid bigint not null,
  message_id uuid,
  thread_id uuid,
  created_at timestamptz not null default now(),
  primary key (team_id, mailbox_id, modseq, folder, uid)
);
create index vanished_messages_created_at on vanished_messages (created_at);
comment on table vanished_messages is 'Messages that were moved out of a folder or deleted, and folders that were deleted. Old rows are trimmed.';
comment on column vanished_messages.mailbox_id is 'References mailboxes.';
comment on column vanished_messages.modseq is 'The number of the change.';
comment on column vanished_messages.folder is 'The id of the folder that the message left.';
comment on column vanished_messages.uid is 'The UID that the message had there. 0: the folder itself was deleted.';
comment on column vanished_messages.message_id is 'References messages, where the message may still be, in another folder. Null for a folder.';
comment on column vanished_messages.thread_id is 'References threads. Null for a folder.';

alter table messages add column folder text collate "C";
alter table messages add column uid bigint;
alter table messages add column modseq bigint not null default 1;
alter table messages add column created_modseq bigint not null default 1;
alter table messages add column starred boolean not null default false;
alter table messages add column answered boolean not null default false;
alter table messages add column draft boolean not null default false;
alter table messages add column deleted boolean not null default false;
alter table messages add column labels text[] not null default '{}';
alter table messages add column snippet text not null default '';
alter table messages add column size integer;
alter table messages add column saved_at timestamptz not null default now();
comment on column messages.folder is 'References folders. A message is in exactly one.';
comment on column messages.uid is 'Its number in the folder. It gets a new one when it is moved or its content changes.';
comment on column messages.modseq is 'The change number of its latest change.';
comment on column messages.created_modseq is 'The change number with which it was stored.';
comment on column messages.read is 'Whether somebody has read it (\Seen). Messages of our own are stored as read.';
comment on column messages.starred is 'Whether somebody marked it as important (\Flagged).';
comment on column messages.answered is 'Whether it was replied to (\Answered).';
comment on column messages.draft is 'Whether it is unfinished (\Draft). An outgoing message with this flag and without an email can be edited and sent.';
comment on column messages.deleted is 'Whether a mail program marked it for deletion (\Deleted).';
comment on column messages.labels is 'Other IMAP keywords, sorted.';
comment on column messages.snippet is 'The beginning of its text.';
comment on column messages.size is 'The size of its source in bytes. Null while a draft has no source.';
comment on column messages.saved_at is 'When it was stored in its folder.';
comment on column messages.raw_sha256 is 'References blobs: the message as it was received or added by a mail program.';
comment on table messages is 'The messages of mailboxes: received, sent, waiting and drafts. If there is an email, only the email says whether the message waits, was sent or bounced.';

insert into mailbox_change_numbers (team_id, mailbox_id) select team_id, id from mailboxes;
insert into folders (team_id, mailbox_id, id, name)
select team_id, mailboxes.id, folder.id, folder.name
from mailboxes, (values ('inbox', 'INBOX'), ('archive', 'Archive'), ('sent', 'Sent'), ('drafts', 'Drafts'),
  ('spam', 'Spam'), ('trash', 'Trash')) as folder (id, name);

-- Messages of our own were in the folder of their thread. Unless they were deleted or spam, they are in sent or drafts now.
update messages m set folder = placed.folder, uid = placed.uid, draft = placed.draft, snippet = placed.snippet,
  size = placed.size, saved_at = m.created_at
from (
  select own.team_id, own.id, own.folder, own.draft,
    row_number() over (partition by own.team_id, own.mailbox_id, own.folder order by own.created_at, own.id) as uid,
    left(trim(regexp_replace(coalesce(left(own.text, 800), regexp_replace(left(own.html, 8000), '<[^>]*>', ' ', 'g'), ''),
      '\s+', ' ', 'g')), 200) as snippet,
    case when own.raw_sha256 is not null then coalesce(b.object_size, octet_length(b.bytes))
      else coalesce(c.full_size, c.inflated_size, octet_length(c.raw)) end as size
  from (
    select m.team_id, m.id, m.mailbox_id, m.created_at, m.text, m.html, m.raw_sha256, m.email_id,
      m.direction = 'out' and m.email_id is null as draft,
      case when t.id is null then 'trash' when m.direction = 'in' and t.folder = 'sent' then 'inbox'
        when m.direction = 'in' or t.folder in ('trash', 'spam') then t.folder
        when m.email_id is null or e.status = 'SCHEDULED' then 'drafts' else 'sent' end as folder
    from messages m
    left join threads t on t.team_id = m.team_id and t.id = m.thread_id
    left join emails e on e.team_id = m.team_id and e.id = m.email_id
  ) own
  left join blobs b on b.team_id = own.team_id and b.sha256 = own.raw_sha256
  left join email_contents c on c.team_id = own.team_id and c.email_id = own.email_id
) placed
where m.team_id = placed.team_id and m.id = placed.id;
alter table messages alter column folder set not null;
alter table messages alter column uid set not null;
update folders f set next_uid = counted.messages + 1, messages = counted.messages, unseen = counted.unseen,
  bytes = counted.bytes
from (
  select team_id, mailbox_id, folder, count(*) as messages, count(*) filter (where not read) as unseen,
    coalesce(sum(size), 0) as bytes
  from messages group by team_id, mailbox_id, folder
) counted
where f.team_id = counted.team_id and f.mailbox_id = counted.mailbox_id and f.id = counted.folder;

create unique index messages_uid on messages (team_id, mailbox_id, folder, uid);
create index messages_unread on messages (team_id, mailbox_id, folder, uid) where not read;
create index messages_modseq on messages (team_id, mailbox_id, modseq);
create index messages_labels on messages using gin (labels) where labels <> '{}';
drop index messages_drafts;
create index messages_drafts on messages (team_id, mailbox_id, thread_id) include (folder)
  where direction = 'out' and email_id is null and draft;
drop index messages_sent;
create index messages_sent on messages (team_id, mailbox_id, thread_id) include (folder)
  where direction = 'out' and (email_id is not null or not draft);

-- A thread shows what its messages have.
alter table threads disable trigger user;
alter table threads drop constraint threads_folder_check;
alter table threads add column starred_count integer not null default 0;
comment on column threads.folder is 'References folders: the inbox if a message is there; otherwise the folder of the newest message outside of sent, drafts, spam and trash; otherwise sent for sent, waiting and unfinished messages; otherwise spam, then trash.';
comment on column threads.unread_count is 'How many received messages are unread.';
comment on column threads.starred_count is 'How many messages are starred.';
comment on column threads.snippet is 'The beginning of the latest message that is not a draft.';
update threads t set unread_count = counted.unread
from (
  select m.team_id, m.thread_id, count(*) filter (where m.direction = 'in' and not m.read) as unread
  from messages m join threads t on t.team_id = m.team_id and t.id = m.thread_id
  where t.unread_count > 0 group by m.team_id, m.thread_id
) counted
where t.team_id = counted.team_id and t.id = counted.thread_id and t.unread_count <> counted.unread;
delete from mailbox_folder_counts;
insert into mailbox_folder_counts (team_id, mailbox_id, folder, slot, threads, unread)
select team_id, mailbox_id, folder, 0, count(*), count(*) filter (where unread_count > 0)
from threads group by team_id, mailbox_id, folder;
alter table threads enable trigger user;
create index threads_starred on threads (team_id, mailbox_id, last_message_at desc, id desc) where starred_count > 0;
comment on column mailbox_folder_counts.folder is 'References folders.';

-- A change of folders concerns no thread.
alter table mailbox_events alter column thread_id drop not null;
comment on column mailbox_events.thread_id is 'References threads; null when it concerns the folders of the mailbox.';

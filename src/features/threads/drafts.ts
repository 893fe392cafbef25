/** Drafts: saved as often as somebody stops typing, their files apart from their words; sent under the same id. */
import { sql } from 'kysely';
import { inTransaction, type Db } from '../../platform/database.ts';
import { badRequest, conflict, notFound } from '../../platform/errors.ts';
import { encodeId, newUuid } from '../../platform/ids.ts';
import type { Caller } from '../../platform/route.ts';
import { requireMailbox, type MailboxRow } from '../mailboxes/find-mailbox.ts';
import { addFile, removeFile, replaceFiles } from './draft-files.ts';
import { removeMessage, requireDraft, saveDraftRow, type DraftContent, type DraftRow } from './draft-rows.ts';
import { noteThreadsChanged } from './events.ts';
import { requireThread } from './find-thread.ts';
import {
  getMessage,
  MESSAGE_COLUMNS_IF_WHOLE,
  messagesWithRoom,
  presentMessage,
  type MessageRow,
} from './messages.ts';
import { withCleanHtml } from './own-html.ts';
import { formatPerson, gatherPeople, joinPeople, toPeople, type People } from './people.ts';
import { sendCleaned, toFile } from './send.ts';
import {
  messageInput,
  type DraftInput,
  type DraftSend,
  type DraftUpdate,
  type FileInput,
  type MessageAccepted,
} from './sending.schema.ts';
import { storeMessages, toSnippet } from './store-message.ts';
import type { Message } from './threads.schema.ts';

const AT_MOST = 100;

export async function createDraft(
  db: Db,
  caller: Caller,
  mailboxId: string,
  given: DraftInput,
): Promise<Message> {
  const id = newUuid();
  const input = await withCleanHtml(given);
  return inTransaction(db, async (trx) => {
    const mailbox = await requireMailbox(trx, caller, mailboxId);
    const thread = input.thread_id ? await requireThread(trx, caller, input.thread_id, 'for update') : null;
    if (thread && thread.mailbox_id !== mailbox.id) throw notFound('Thread');
    const own = peopleOf(mailbox, input);
    await storeMessages(trx, [
      {
        message: {
          teamId: caller.teamId,
          mailboxId: mailbox.id,
          id,
          direction: 'out',
          emailId: null,
          cancelIfReplied: false,
          messageId: null,
          inReplyTo: null,
          references: [],
          from: formatPerson(mailbox),
          replyTo: [],
          authentication: null,
          raw: null,
          deliveryKey: null,
          createdAt: new Date(),
          files: (input.attachments ?? []).map(toFile),
          ...toContent(input),
        },
        thread: {
          id: thread?.id ?? newUuid(),
          folder: null,
          people: thread ? joinPeople(toPeople(thread.participants), own, mailbox.address_key) : own,
          isNews: false,
          event: 'thread.changed',
        },
      },
    ]);
    return getMessage(trx, caller, encodeId('msg', id));
  });
}

/** The newest hundred. */
export async function listDrafts(db: Db, caller: Caller, mailboxId: string): Promise<Message[]> {
  const mailbox = await requireMailbox(db, caller, mailboxId);
  const { rows } = await sql<MessageRow>`
    select ${MESSAGE_COLUMNS_IF_WHOLE} from ${messagesWithRoom(sql`
      where team_id = ${caller.teamId} and mailbox_id = ${mailbox.id} and direction = 'out' and email_id is null
      order by created_at desc, id desc limit ${AT_MOST}`)}
    where m.team_id = ${caller.teamId} order by m.created_at desc, m.id desc
  `.execute(db);
  return rows.map((row) => presentMessage(row, 'drafts'));
}

export async function getDraft(db: Db, caller: Caller, mailboxId: string, draftId: string): Promise<Message> {
  return inTransaction(db, async (trx) => {
    const mailbox = await requireMailbox(trx, caller, mailboxId);
    await requireDraft(trx, caller, mailbox, draftId);
    return getMessage(trx, caller, draftId);
  });
}

/** Replaces what it names. */
export async function updateDraft(
  db: Db,
  caller: Caller,
  mailboxId: string,
  draftId: string,
  update: DraftUpdate,
): Promise<Message> {
  const clean = await withCleanHtml(update);
  return changeDraft(db, caller, mailboxId, draftId, async (trx, draft) => {
    refuseStale(draft, update.if_unchanged_since ?? null);
    if (update.attachments) await replaceFiles(trx, caller.teamId, draft.id, update.attachments.map(toFile));
    return withoutUnnamed(clean);
  });
}

export async function addDraftFile(
  db: Db,
  caller: Caller,
  mailboxId: string,
  draftId: string,
  file: FileInput,
): Promise<Message> {
  return changeDraft(db, caller, mailboxId, draftId, async (trx, { id }) => {
    await addFile(trx, caller.teamId, id, toFile(file));
    return {};
  });
}

export async function removeDraftFile(
  db: Db,
  caller: Caller,
  mailboxId: string,
  draftId: string,
  n: number,
): Promise<Message> {
  return changeDraft(db, caller, mailboxId, draftId, async (trx, { id }) => {
    await removeFile(trx, caller.teamId, id, n);
    return {};
  });
}

/** Its files are changed by `change`; what that gives back replaces words and people. */
async function changeDraft(
  db: Db,
  caller: Caller,
  mailboxId: string,
  draftId: string,
  change: (trx: Db, draft: DraftRow) => Promise<DraftUpdate>,
): Promise<Message> {
  return inTransaction(db, async (trx) => {
    const mailbox = await requireMailbox(trx, caller, mailboxId);
    const draft = await requireDraft(trx, caller, mailbox, draftId);
    const content = toContent({ ...asInput(draft), ...(await change(trx, draft)) });
    const own = peopleOf(mailbox, content);
    const people = draft.isAlone
      ? own
      : joinPeople(await peopleInThread(trx, caller, draft), own, mailbox.address_key);
    await saveDraftRow(trx, caller.teamId, mailbox, draft, content, people);
    return getMessage(trx, caller, draftId);
  });
}

export async function deleteDraft(db: Db, caller: Caller, mailboxId: string, draftId: string): Promise<void> {
  await inTransaction(db, async (trx) => {
    const mailbox = await requireMailbox(trx, caller, mailboxId);
    const draft = await requireDraft(trx, caller, mailbox, draftId);
    await removeMessage(trx, caller.teamId, draft);
    await showLast(trx, caller.teamId, draft.thread_id);
    await noteThreadsChanged(trx, caller.teamId, mailbox.id, [draft.thread_id]);
  });
}

/** As it stands; what is missing for a message is told as for one that is sent without a draft. */
export async function sendDraft(
  db: Db,
  caller: Caller,
  mailboxId: string,
  draftId: string,
  timing: DraftSend,
): Promise<MessageAccepted> {
  return inTransaction(db, async (trx) => {
    const mailbox = await requireMailbox(trx, caller, mailboxId);
    const draft = await requireDraft(trx, caller, mailbox, draftId);
    const result = messageInput.safeParse({ ...asInput(draft), draft_id: draftId });
    if (!result.success) {
      const issues = result.error.issues.map(({ path, message }) => ({
        path: `/${path.join('/')}`,
        message,
      }));
      throw badRequest(
        `The draft cannot be sent yet: ${issues[0]!.path.slice(1)} ${issues[0]!.message}.`,
        issues,
      );
    }
    return sendCleaned(trx, caller, mailboxId, { ...result.data, ...timing });
  });
}

/** Two windows may have the same draft open: the one that knows an older state must not undo the other's work. */
function refuseStale(draft: DraftRow, knownAt: Date | null): void {
  if (knownAt && draft.created_at > knownAt)
    throw conflict('The draft was saved elsewhere meanwhile. Load it again before you save it.');
}

function toContent(input: DraftUpdate): DraftContent {
  return {
    to: input.to ?? [],
    cc: input.cc ?? [],
    bcc: input.bcc ?? [],
    subject: input.subject ?? '',
    html: input.html || null,
    text: input.text ?? null,
  };
}

function peopleOf(mailbox: MailboxRow, { to, cc, bcc }: DraftUpdate): People {
  return gatherPeople([...(to ?? []), ...(cc ?? []), ...(bcc ?? [])], mailbox.address_key);
}

async function peopleInThread(trx: Db, caller: Caller, draft: DraftRow): Promise<People> {
  return toPeople((await requireThread(trx, caller, encodeId('thr', draft.thread_id))).participants);
}

/** What the list shows of a thread is its last message again. */
async function showLast(trx: Db, teamId: number, threadId: string): Promise<void> {
  const { rows } = await sql<{ text: string | null; created_at: Date }>`
    select text, created_at from messages where team_id = ${teamId} and thread_id = ${threadId}
    order by created_at desc, id desc limit 1
  `.execute(trx);
  const last = rows[0];
  if (!last) return;
  await sql`
    update threads set last_message_at = ${last.created_at},
      snippet = ${last.text === null ? sql`snippet` : toSnippet(last.text)}
    where team_id = ${teamId} and id = ${threadId}
  `.execute(trx);
}

function asInput(draft: DraftRow) {
  return {
    to: draft.to_addresses,
    cc: draft.cc_addresses,
    bcc: draft.bcc_addresses,
    subject: draft.subject,
    html: draft.html,
    text: draft.text,
  };
}

function withoutUnnamed(update: DraftUpdate): DraftUpdate {
  return Object.fromEntries(Object.entries(update).filter(([, value]) => value !== undefined));
}

/** Drafts: saved as often as somebody stops typing, each time as a whole; sent under the same id. */
import { sql } from 'kysely';
import { cleanHtml } from '../../mail/clean-html.ts';
import { inTransaction, type Db } from '../../platform/database.ts';
import { badRequest, conflict, notFound } from '../../platform/errors.ts';
import { encodeId, newUuid } from '../../platform/ids.ts';
import type { Caller } from '../../platform/route.ts';
import { MAX_ATTACHMENTS, MAX_CONTENT_BYTES } from '../emails/emails.schema.ts';
import { requireMailbox, type MailboxRow } from '../mailboxes/find-mailbox.ts';
import { filesOfDraft, removeMessage, requireDraft, type DraftRow } from './draft-rows.ts';
import { noteThreadChanged } from './events.ts';
import { requireThread } from './find-thread.ts';
import { getMessage, MESSAGE_COLUMNS, MESSAGE_TABLES, presentMessage, type MessageRow } from './messages.ts';
import { formatPerson, gatherPeople, joinPeople, keyOfPerson, type People } from './people.ts';
import { sendMessage, toFile } from './send.ts';
import {
  messageInput,
  type DraftInput,
  type DraftSend,
  type DraftUpdate,
  type FileInput,
  type MessageAccepted,
} from './sending.schema.ts';
import { storeMessage, toSnippet, type StoredFile } from './store-message.ts';
import type { Message } from './threads.schema.ts';

const AT_MOST = 100;

export async function createDraft(
  db: Db,
  caller: Caller,
  mailboxId: string,
  input: DraftInput,
): Promise<Message> {
  const id = newUuid();
  return inTransaction(db, async (trx) => {
    const mailbox = await requireMailbox(trx, caller, mailboxId);
    const thread = input.thread_id ? await requireThread(trx, caller, input.thread_id, 'for update') : null;
    if (thread && thread.mailbox_id !== mailbox.id) throw notFound('Thread');
    const content = toContent(input, (input.attachments ?? []).map(toFile));
    await save(
      trx,
      caller,
      mailbox,
      { id, threadId: thread?.id ?? newUuid() },
      content,
      thread?.participants,
    );
    return getMessage(trx, caller, encodeId('msg', id));
  });
}

/** The newest hundred. */
export async function listDrafts(db: Db, caller: Caller, mailboxId: string): Promise<Message[]> {
  const mailbox = await requireMailbox(db, caller, mailboxId);
  const { rows } = await sql<MessageRow>`
    select ${MESSAGE_COLUMNS} from ${MESSAGE_TABLES}
    where m.team_id = ${caller.teamId} and m.mailbox_id = ${mailbox.id} and m.direction = 'out'
      and m.email_id is null
    order by m.created_at desc, m.id desc limit ${AT_MOST}
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
  return rewriteDraft(db, caller, mailboxId, draftId, async (trx, draft) => {
    refuseStale(draft, update.if_unchanged_since ?? null);
    const files = update.attachments
      ? update.attachments.map(toFile)
      : await filesOfDraft(trx, caller.teamId, draft);
    return { update: withoutUnnamed(update), files };
  });
}

export async function addDraftFile(
  db: Db,
  caller: Caller,
  mailboxId: string,
  draftId: string,
  file: FileInput,
): Promise<Message> {
  return rewriteDraft(db, caller, mailboxId, draftId, async (trx, draft) => {
    const files = [...(await filesOfDraft(trx, caller.teamId, draft)), toFile(file)];
    const bytes = files.reduce((sum, { content }) => sum + content.length, 0);
    if (files.length > MAX_ATTACHMENTS) throw badRequest(`A draft has at most ${MAX_ATTACHMENTS} files.`);
    if (bytes > MAX_CONTENT_BYTES) throw badRequest('The files must not be larger than 25 MiB in all.');
    return { update: {}, files };
  });
}

export async function removeDraftFile(
  db: Db,
  caller: Caller,
  mailboxId: string,
  draftId: string,
  n: number,
): Promise<Message> {
  return rewriteDraft(db, caller, mailboxId, draftId, async (trx, draft) => {
    const files = await filesOfDraft(trx, caller.teamId, draft);
    if (!files[n]) throw notFound('Attachment');
    return { update: {}, files: files.toSpliced(n, 1) };
  });
}

/** A draft is stored anew, under the same id, with what `change` makes of it. */
async function rewriteDraft(
  db: Db,
  caller: Caller,
  mailboxId: string,
  draftId: string,
  change: (trx: Db, draft: DraftRow) => Promise<{ update: DraftUpdate; files: StoredFile[] }>,
): Promise<Message> {
  return inTransaction(db, async (trx) => {
    const mailbox = await requireMailbox(trx, caller, mailboxId);
    const draft = await requireDraft(trx, caller, mailbox, draftId);
    const { update, files } = await change(trx, draft);
    const others = await othersIn(trx, caller, draft);
    await removeMessage(trx, caller.teamId, draft);
    const content = toContent({ ...asInput(draft), ...update }, files);
    await save(trx, caller, mailbox, { id: draft.id, threadId: draft.thread_id }, content, others);
    return getMessage(trx, caller, draftId);
  });
}

export async function deleteDraft(db: Db, caller: Caller, mailboxId: string, draftId: string): Promise<void> {
  await inTransaction(db, async (trx) => {
    const mailbox = await requireMailbox(trx, caller, mailboxId);
    const draft = await requireDraft(trx, caller, mailbox, draftId);
    await removeMessage(trx, caller.teamId, draft);
    await showLast(trx, caller.teamId, draft.thread_id);
    await noteThreadChanged(trx, caller.teamId, mailbox.id, draft.thread_id);
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
    return sendMessage(trx, caller, mailboxId, { ...result.data, ...timing });
  });
}

/** Two windows may have the same draft open: the one that knows an older state must not undo the other's work. */
function refuseStale(draft: DraftRow, knownAt: Date | null): void {
  if (knownAt && draft.created_at > knownAt)
    throw conflict('The draft was saved elsewhere meanwhile. Load it again before you save it.');
}

interface DraftContent {
  to: string[];
  cc: string[];
  bcc: string[];
  subject: string;
  html: string | null;
  text: string | null;
  files: StoredFile[];
}

function toContent(input: DraftUpdate, files: StoredFile[]): DraftContent {
  return {
    to: input.to ?? [],
    cc: input.cc ?? [],
    bcc: input.bcc ?? [],
    subject: input.subject ?? '',
    html: input.html ? cleanHtml(input.html) : null,
    text: input.text ?? null,
    files,
  };
}

async function save(
  trx: Db,
  caller: Caller,
  mailbox: MailboxRow,
  { id, threadId }: { id: string; threadId: string },
  { files, ...content }: DraftContent,
  participants: string[] | undefined,
): Promise<void> {
  const own = gatherPeople([...content.to, ...content.cc, ...content.bcc], mailbox.address_key);
  const before: People = { shown: participants ?? [], keys: (participants ?? []).map(keyOfPerson) };
  await storeMessage(
    trx,
    {
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
      files,
      ...content,
    },
    {
      id: threadId,
      folder: null,
      people: participants ? joinPeople(before, own, mailbox.address_key) : own,
      isNews: false,
      event: 'thread.changed',
    },
  );
}

/** Who else is in its thread; undefined where it is alone there. */
async function othersIn(trx: Db, caller: Caller, draft: DraftRow): Promise<string[] | undefined> {
  if (draft.isAlone) return undefined;
  return (await requireThread(trx, caller, encodeId('thr', draft.thread_id))).participants;
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

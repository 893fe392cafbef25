/** Drafts are saved whenever the writer pauses, with their files stored separately. Sending keeps the ID. */
import { userKeyOf } from '../activity/record-activity.ts';
import { recordDraftEvent } from '../activity/record-own-events.ts';
import { requireOwnDraft } from './draft-owner.ts';
import { sql } from 'kysely';
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import { badRequest, conflict, notFound } from '../../../platform/errors.ts';
import { encodeId, newUuid } from '../../../platform/ids.ts';
import {
  fromStart,
  orderOf,
  readPageStart,
  toPage,
  type Page,
  type PageRequest,
} from '../../../platform/pages.ts';
import { withoutUndefined } from '../../../platform/without-undefined.ts';
import type { Caller } from '../../api/caller.ts';
import { uploadContents } from '../../content/stored/upload-blobs.ts';
import { requireMailbox, type MailboxRow } from '../mailboxes/find-mailbox.ts';
import { addFile, removeFile, replaceFiles } from './draft-files.ts';
import { removeMessage, requireDraft, saveDraftRow, type DraftContent, type DraftRow } from './draft-rows.ts';
import { recordThreadChanges } from '../../events/live-updates.ts';
import { isDraft } from '../storage/message-kinds.ts';
import { requireThread } from '../reading/find-thread.ts';
import {
  getMessage,
  LIMITED_MESSAGE_COLUMNS,
  messagesWithBodyLimit,
  presentMessage,
  type MessageRow,
} from '../reading/messages.ts';
import { withCleanHtml } from '../storage/own-html.ts';
import { formatPerson, collectPeople, joinPeople, toPeople, type People } from '../storage/participants.ts';
import type { FileInput } from '../storage/file.schema.ts';
import { toFile } from '../storage/to-file.ts';
import { sendSanitized } from './send.ts';
import {
  messageInput,
  type DraftInput,
  type DraftSend,
  type DraftUpdate,
  type MessageSubmitted,
} from './sending.schema.ts';
import { NO_FLAGS, storeMessages } from '../storage/store-message.ts';
import type { Message } from '../reading/threads.schema.ts';

export async function createDraft(
  db: Db,
  caller: Caller,
  mailboxId: string,
  rawInput: DraftInput,
): Promise<Message> {
  const id = newUuid();
  const input = await withCleanHtml(rawInput);
  await uploadFiles(db, caller, input.attachments ?? []);
  return inTransaction(db, async (trx) => {
    const mailbox = await requireMailbox(trx, caller, mailboxId, 'draft');
    const thread = input.thread_id ? await requireThread(trx, caller, input.thread_id, 'for update') : null;
    if (thread && thread.mailbox_id !== mailbox.id) throw notFound('Thread');
    const own = peopleOf(mailbox, input);
    const threadId = thread?.id ?? newUuid();
    await storeMessages(trx, [
      {
        message: {
          teamId: caller.teamId,
          mailboxId: mailbox.id,
          id,
          direction: 'out',
          folder: 'drafts',
          flags: { ...NO_FLAGS, read: true, draft: true },
          labels: [],
          emailId: null,
          authorId: userKeyOf(caller),
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
          id: threadId,
          people: thread ? joinPeople(toPeople(thread.participants), own, mailbox.address_key) : own,
          movesToTop: false,
          event: 'thread.changed',
        },
      },
    ]);
    await recordDraftEvent(trx, caller, 'created', { mailboxId: mailbox.id, threadId, messageId: id });
    return getMessage(trx, caller, encodeId('msg', id));
  });
}

/** Lists the newest first. */
export async function listDrafts(
  db: Db,
  caller: Caller,
  mailboxId: string,
  page: PageRequest,
): Promise<Page<Message>> {
  const mailbox = await requireMailbox(db, caller, mailboxId);
  const start = readPageStart('msg', page);
  const { rows } = await sql<MessageRow>`
    select ${LIMITED_MESSAGE_COLUMNS} from ${messagesWithBodyLimit(sql`
      where team_id = ${caller.teamId} and mailbox_id = ${mailbox.id} and ${isDraft('messages')}
        and folder not in ('trash', 'spam') and ${fromStart(start, 'id')}
      order by id ${orderOf(start)} limit ${page.limit + 1}`)}
    where m.team_id = ${caller.teamId} order by m.id ${orderOf(start)}
  `.execute(db);
  return toPage(rows, page, (row) => presentMessage(row));
}

export async function getDraft(db: Db, caller: Caller, mailboxId: string, draftId: string): Promise<Message> {
  return inTransaction(db, async (trx) => {
    const mailbox = await requireMailbox(trx, caller, mailboxId);
    await requireDraft(trx, caller, mailbox, draftId);
    return getMessage(trx, caller, draftId);
  });
}

/** Changes only the fields that are in the update. */
export async function updateDraft(
  db: Db,
  caller: Caller,
  mailboxId: string,
  draftId: string,
  update: DraftUpdate,
): Promise<Message> {
  const clean = await withCleanHtml(update);
  await uploadFiles(db, caller, update.attachments ?? []);
  return changeDraft(db, caller, mailboxId, draftId, async (trx, draft) => {
    refuseStale(draft, update.if_unchanged_since ?? null);
    if (update.attachments) await replaceFiles(trx, caller.teamId, draft.id, update.attachments.map(toFile));
    return withoutUndefined(clean);
  });
}

export async function addDraftFile(
  db: Db,
  caller: Caller,
  mailboxId: string,
  draftId: string,
  file: FileInput,
): Promise<Message> {
  await uploadFiles(db, caller, [file]);
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

function uploadFiles(db: Db, { teamId }: Caller, files: FileInput[]): Promise<void> {
  return uploadContents(
    db,
    [teamId],
    files.map(({ content }) => content),
  );
}

/** `change` may change the files, and returns the new text fields and recipients. */
async function changeDraft(
  db: Db,
  caller: Caller,
  mailboxId: string,
  draftId: string,
  change: (trx: Db, draft: DraftRow) => Promise<DraftUpdate>,
): Promise<Message> {
  return inTransaction(db, async (trx) => {
    const mailbox = await requireMailbox(trx, caller, mailboxId, 'draft');
    const draft = await requireOwnDraft(trx, caller, mailbox, draftId);
    const content = toContent({ ...asInput(draft), ...(await change(trx, draft)) });
    const own = peopleOf(mailbox, content);
    const people = draft.isAlone
      ? own
      : joinPeople(await peopleInThread(trx, caller, draft), own, mailbox.address_key);
    await saveDraftRow(trx, caller.teamId, mailbox, draft, content, people);
    await recordDraftEvent(trx, caller, 'updated', refOf(mailbox, draft));
    return getMessage(trx, caller, draftId);
  });
}

export async function deleteDraft(db: Db, caller: Caller, mailboxId: string, draftId: string): Promise<void> {
  await inTransaction(db, async (trx) => {
    const mailbox = await requireMailbox(trx, caller, mailboxId, 'draft');
    const draft = await requireOwnDraft(trx, caller, mailbox, draftId);
    await removeMessage(trx, { teamId: caller.teamId, mailboxId: mailbox.id }, draft);
    await recordThreadChanges(trx, caller.teamId, mailbox.id, [draft.thread_id]);
    await recordDraftEvent(trx, caller, 'deleted', refOf(mailbox, draft));
  });
}

/** Validates the stored draft like a message that is sent directly. */
export async function sendDraft(
  db: Db,
  caller: Caller,
  mailboxId: string,
  draftId: string,
  timing: DraftSend,
): Promise<MessageSubmitted> {
  return inTransaction(db, async (trx) => {
    const mailbox = await requireMailbox(trx, caller, mailboxId, 'reply');
    const draft = await requireOwnDraft(trx, caller, mailbox, draftId);
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
    return sendSanitized(trx, caller, mailboxId, { ...result.data, ...timing });
  });
}

function refOf({ id: mailboxId }: MailboxRow, { id: messageId, thread_id: threadId }: DraftRow) {
  return { mailboxId, threadId, messageId };
}

/** Two windows may have the same draft open. A window with an older version must not overwrite the newer one. */
function refuseStale(draft: DraftRow, knownAt: Date | null): void {
  if (knownAt && draft.created_at > knownAt)
    throw conflict('The draft was changed elsewhere in the meantime. Reload it before you save.');
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
  return collectPeople([...(to ?? []), ...(cc ?? []), ...(bcc ?? [])], mailbox.address_key);
}

async function peopleInThread(trx: Db, caller: Caller, draft: DraftRow): Promise<People> {
  return toPeople((await requireThread(trx, caller, encodeId('thr', draft.thread_id))).participants);
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

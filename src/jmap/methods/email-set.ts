/** Email/set and /import (RFC 8621 sections 4.6 and 4.8). */
import { z } from 'zod';
import { requireLevel } from '../../features/api/mailbox-access.ts';
import { needInFolder, needOfFlags } from '../../features/mailboxes/access/message-needs.ts';
import { requireSpace } from '../../features/instance/require-space.ts';
import { detachSubmissions } from '../../features/mailboxes/jmap/submissions.ts';
import type { JmapEmailRow } from '../../features/mailboxes/jmap/email-rows.ts';
import { appendMessage } from '../../features/mailboxes/receiving/append-message.ts';
import { addsLabels } from '../../features/mailboxes/storage/change-flags.ts';
import { changeFlagsByApp, moveByApp } from '../../features/mailboxes/email-apps/record-changes.ts';
import { refuseOthersDrafts } from '../../features/mailboxes/writing/draft-owner.ts';
import { expungeMessages } from '../../features/mailboxes/storage/expunge-messages.ts';
import { composeEmail } from '../../mail/jmap/compose-email.ts';
import { InvalidEmail, readNewEmail, type NewPart } from '../../mail/jmap/email-input.ts';
import { readAnyHeaders } from '../../mail/mime/parse/raw-headers.ts';
import { inTransaction } from '../../platform/database/database.ts';
import { AppError } from '../../platform/errors.ts';
import { encodeId, newUuid } from '../../platform/ids.ts';
import { runYielding } from '../../platform/concurrency/run-yielding.ts';
import { object, readArguments, requireAccount, requireCount } from '../calls/arguments.ts';
import { findBlob, findEmail } from '../calls/blobs.ts';
import { isId, toEmailId, toThreadId } from '../calls/ids.ts';
import { checkState, StateMismatch } from '../calls/if-in-state.ts';
import { LIMITS } from '../calls/limits.ts';
import { notFound, runSet, toSetError } from '../calls/set-objects.ts';
import { invalidProperties, ObjectError, type Arguments, type MethodContext } from '../calls/tools.ts';
import { readEmailPatch, readFolder, readKeywords, toFlagSet } from './email-changes-input.ts';
import { mailState } from './mailbox-read.ts';
import { readMailboxes } from './mailbox-objects.ts';

export async function setEmails(context: MethodContext, args: Arguments): Promise<Arguments> {
  const { response, created, updated, destroyed } = await runSet(context, args, {
    readState: () => mailState(context),
    create: (input) => createEmail(context, input),
    update: (id, patch) => updateEmail(context, id, patch),
    destroy: (id) => destroyEmail(context, id),
    isSmallUpdate: () => true,
  });
  if (created.size + updated.size + destroyed.size > 0) context.tools.facts.hintMail();
  return response;
}

async function createEmail(context: MethodContext, input: Arguments): Promise<Arguments & { id: string }> {
  const folder = await requireFolder(context, input.mailboxIds);
  const keywords = readKeywords(input.keywords);
  const receivedAt = readReceivedAt(input.receivedAt);
  const raw = await compose(context, input);
  return store(context, { raw, folder, keywords, receivedAt });
}

async function compose(context: MethodContext, input: Arguments): Promise<Buffer> {
  const { tools, login, allowance } = context;
  const limit = tools.facts.mailLimits.messageBytes;
  try {
    const email = readNewEmail(input);
    const contents = new Map<string, Buffer>();
    const missing: string[] = [];
    let bytes = 0;
    for (const blobId of blobIdsIn(email.body)) {
      allowance.requireFile(blobId);
      const found = await findBlob(tools.db, login, blobId);
      allowance.addFile(blobId, found?.content.length ?? 0);
      if (found) contents.set(blobId, found.content);
      else missing.push(blobId);
      bytes += found?.content.length ?? 0;
      if (bytes > limit) throw new ObjectError('tooLarge', `A message can have at most ${limit} bytes.`);
    }
    if (missing.length > 0)
      throw new ObjectError('blobNotFound', 'Some blobs do not exist.', { notFound: missing });
    const domain = login.address.slice(login.address.lastIndexOf('@') + 1);
    const identity = { messageId: `<${encodeId('msg', newUuid())}@${domain}>`, date: new Date() };
    return await runYielding(bytes, () => composeEmail(email, contents, identity));
  } catch (error) {
    throw error instanceof InvalidEmail ? invalidProperties(error.properties, error.message) : error;
  }
}

function blobIdsIn(part: NewPart): Set<string> {
  const ids = new Set<string>(part.blobId === null ? [] : [part.blobId]);
  for (const each of part.subParts) for (const id of blobIdsIn(each)) ids.add(id);
  return ids;
}

async function requireFolder(context: MethodContext, mailboxIds: unknown): Promise<string> {
  const folder = readFolder(context, mailboxIds);
  const mailboxes = await readMailboxes(context);
  if (!mailboxes.some(({ id }) => id === folder)) throw noSuchFolder();
  return folder;
}

function noSuchFolder(): ObjectError {
  return invalidProperties(['mailboxIds'], 'The mailbox does not exist.');
}

/** The folder may be deleted between the check and the change. */
function toFolderError(error: unknown): never {
  throw error instanceof AppError && error.code === 'NOT_FOUND' ? noSuchFolder() : error;
}

function readReceivedAt(value: unknown): Date | null {
  if (value === undefined || value === null) return null;
  const text = typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]{8,20}Z$/.test(value) ? value : '';
  const date = new Date(text);
  // JavaScript parses 30 February as 2 March.
  const isDate =
    date.getTime() > 0 && date.getUTCFullYear() < 2200 && date.getUTCDate() === Number(text.slice(8, 10));
  if (!isDate) throw invalidProperties(['receivedAt'], 'receivedAt must be a date in UTC.');
  return date;
}

interface NewMessage {
  raw: Buffer;
  folder: string;
  keywords: string[];
  receivedAt: Date | null;
}

async function store(
  { tools, login, allowance }: MethodContext,
  { raw, folder, keywords, receivedAt }: NewMessage,
): Promise<Arguments & { id: string }> {
  const limit = Math.max(tools.facts.mailLimits.inboundMessageBytes, tools.facts.mailLimits.messageBytes);
  requireLevel(login.access, needInFolder(folder));
  if (raw.length > limit) throw new ObjectError('tooLarge', `A message can have at most ${limit} bytes.`);
  allowance.spend(raw.length);
  await requireSpace(tools.facts, login.teamId, raw.length);
  const input = { raw, folder, flags: toFlagSet(keywords), date: receivedAt };
  const stored = await appendMessage(tools.db, login, input).catch(toFolderError);
  const id = toEmailId({ id: stored.id, version: null });
  return { id, blobId: id, threadId: toThreadId(stored.threadId), size: raw.length };
}

async function requireRow({ tools, login }: MethodContext, id: string): Promise<JmapEmailRow> {
  const row = await findEmail(tools.db, login, id);
  if (!row) throw notFound();
  return row;
}

async function updateEmail(context: MethodContext, id: string, patch: Arguments): Promise<null> {
  const { tools, login } = context;
  const row = await requireRow(context, id);
  const { folder, keywords } = readEmailPatch(context, row, patch);
  if (folder !== null) requireLevel(login.access, 'reply');
  if (keywords) requireLevel(login.access, needOfFlags(row.folder, keywords));
  if (keywords && addsLabels(keywords)) await requireSpace(tools.facts, login.teamId, 0);
  await inTransaction(tools.db, async (trx) => {
    if (folder !== null) await moveByApp(trx, login, [row.id], folder).catch(toFolderError);
    if (keywords) await changeFlagsByApp(trx, login, [row.id], keywords);
  });
  return null;
}

async function destroyEmail(context: MethodContext, id: string): Promise<void> {
  const { tools, login } = context;
  const row = await requireRow(context, id);
  requireLevel(login.access, needInFolder(row.folder));
  const { expunged } = await inTransaction(tools.db, async (trx) => {
    await refuseOthersDrafts(trx, login, [row.id]);
    if (row.emailId !== null) await detachSubmissions(trx, login, [row.id]);
    return expungeMessages(trx, login, [row.id]);
  });
  if (expunged.length === 0) throw notFound();
}

const importArguments = z.object({ ifInState: z.string().max(200).nullish(), emails: object });

export async function importEmails(context: MethodContext, args: Arguments): Promise<Arguments> {
  requireAccount(context, args);
  const { ifInState, emails } = readArguments(importArguments, args);
  const entries = Object.entries(emails);
  requireCount(entries.length, LIMITS.maxObjectsInSet);
  const { oldState, hold } = await checkState(context, () => mailState(context), ifInState);
  const created: [string, Arguments][] = [];
  const notCreated: [string, unknown][] = [];
  for (const [creationId, input] of entries) {
    try {
      await hold(async () => {
        const result = await importEmail(context, creationId, input);
        context.createdIds.set(creationId, result.id);
        created.push([creationId, result]);
      });
    } catch (error) {
      if (error instanceof StateMismatch) throw error;
      notCreated.push([creationId, toSetError(context.tools, error)]);
    }
  }
  if (created.length > 0) context.tools.facts.hintMail();
  return {
    accountId: context.accountId,
    oldState,
    newState: await mailState(context),
    created: created.length > 0 ? Object.fromEntries(created) : null,
    notCreated: notCreated.length > 0 ? Object.fromEntries(notCreated) : null,
  };
}

const importInput = z.object({
  blobId: z.string().max(255),
  mailboxIds: z.unknown().optional(),
  keywords: z.unknown().optional(),
  receivedAt: z.unknown().optional(),
});

async function importEmail(
  context: MethodContext,
  creationId: string,
  input: unknown,
): Promise<Arguments & { id: string }> {
  if (!isId(creationId)) throw new ObjectError('invalidProperties', 'The creation ID is not valid.');
  const parsed = importInput.safeParse(input);
  if (!parsed.success) throw invalidProperties(['blobId'], 'An import needs a blobId and mailboxIds.');
  const { blobId, mailboxIds, keywords, receivedAt } = parsed.data;
  const folder = await requireFolder(context, mailboxIds);
  const message = {
    folder,
    keywords: readKeywords(keywords ?? undefined),
    receivedAt: readReceivedAt(receivedAt),
  };
  context.allowance.requireFile(blobId);
  const found = await findBlob(context.tools.db, context.login, blobId);
  if (!found) throw invalidProperties(['blobId'], 'The blob does not exist.');
  context.allowance.addFile(blobId, found.content.length);
  if (!isMessage(found.content)) throw new ObjectError('invalidEmail', 'The blob is not a message.');
  return store(context, { raw: found.content, ...message });
}

/** A message begins with header fields, and PostgreSQL cannot store NUL. */
export function isMessage(content: Buffer): boolean {
  const { headers } = readAnyHeaders(content.subarray(0, 64 * 1024));
  return headers.length > 0 && !content.includes(0);
}

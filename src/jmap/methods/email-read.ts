/** Email/get and /changes, Thread/get and /changes (RFC 8621 sections 3, 4.2 and 4.3). */
import { setImmediate as yieldEventLoop } from 'node:timers/promises';
import {
  listEmailChanges,
  listThreadChanges,
  type ChangePosition,
} from '../../features/mailboxes/jmap/email-changes.ts';
import {
  listThreadMessages,
  readEmailRows,
  type JmapEmailRow,
} from '../../features/mailboxes/jmap/email-rows.ts';
import { readStructures } from '../../features/mailboxes/email-apps/message-source.ts';
import { readBody } from '../../mail/jmap/body-parts.ts';
import { readHeader } from '../../mail/jmap/header-forms.ts';
import { AppError } from '../../platform/errors.ts';
import { decodeId, encodeId } from '../../platform/ids.ts';
import { runYielding } from '../../platform/concurrency/run-yielding.ts';
import {
  cannotCalculate,
  pick,
  readChanges,
  readGet,
  refuseUnknown,
  requireCount,
} from '../calls/arguments.ts';
import { blobIdOf, sourceOf } from '../calls/blobs.ts';
import { fromEmailId, fromThreadId, readState, toEmailId, toThreadId } from '../calls/ids.ts';
import { LIMITS } from '../calls/limits.ts';
import { MethodError, type Arguments, type MethodContext } from '../calls/tools.ts';
import {
  newValuesBudget,
  presentBody,
  presentHeaders,
  presentMetadata,
  spendOn,
  type ValuesBudget,
} from './email-objects.ts';
import { readEmailProperties, type EmailProperties } from './email-properties.ts';
import { mailState } from './mailbox-read.ts';

const BATCH = 100;

export async function getEmails(context: MethodContext, args: Arguments): Promise<Arguments> {
  const { ids, properties } = readGet(context, args);
  const wanted = readEmailProperties(properties, args);
  if (!ids) throw new MethodError('requestTooLarge', 'ids is required. Use Email/query to list messages.');
  const { tools, login } = context;
  const state = await mailState(context);
  const refs = new Map(ids.map((id) => [id, fromEmailId(id)]));
  const uuids = [...refs.values()].flatMap((ref) => ref?.id ?? []);
  const rows = await readEmailRows(tools.db, login, uuids);
  const budget = newValuesBudget();
  const list: Record<string, unknown>[] = [];
  const notFound: string[] = [];
  for (let at = 0; at < ids.length; at += BATCH) {
    const some = ids.slice(at, at + BATCH);
    const known = some.flatMap((id) => rows.get(refs.get(id)?.id ?? '') ?? []);
    const shown = await presentEmails(context, known, wanted, budget);
    for (const id of some) {
      const email = shown.get(id);
      if (email) list.push(email);
      else notFound.push(id);
    }
    await yieldEventLoop();
  }
  return { accountId: context.accountId, state, list, notFound };
}

async function presentEmails(
  { tools, login }: MethodContext,
  rows: JmapEmailRow[],
  wanted: EmailProperties,
  budget: ValuesBudget,
): Promise<Map<string, Record<string, unknown>>> {
  const needsHeader = wanted.headers.size > 0 || wanted.hasAllHeaders;
  const needsSize = wanted.metadata.has('size') && rows.some(({ size }) => size === null);
  const structures =
    needsHeader || needsSize
      ? await readStructures(tools.db, login, rows, { onlyHeaders: true })
      : new Map<string, never>();
  const shown = new Map<string, Record<string, unknown>>();
  for (const row of rows) {
    const structure = structures.get(row.id);
    // The message was deleted in the meantime.
    if (needsHeader && !structure) continue;
    const header = structure && needsHeader ? presentHeaders(readHeader(structure.header), wanted) : {};
    const body = wanted.body.size === 0 ? {} : await readWanted({ tools, login }, row, wanted, budget);
    if (body === null) continue;
    spendOn(budget, { ...header, ...body, bodyValues: null });
    const metadata = presentMetadata(row, wanted, structure?.size ?? null);
    shown.set(toEmailId(row), { id: toEmailId(row), ...metadata, ...header, ...body });
  }
  return shown;
}

/** Returns null if the message was deleted in the meantime. */
async function readWanted(
  { tools, login }: Pick<MethodContext, 'tools' | 'login'>,
  row: JmapEmailRow,
  wanted: EmailProperties,
  budget: ValuesBudget,
): Promise<Record<string, unknown> | null> {
  const raw = await sourceOf(tools.db, login, row).catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'NOT_FOUND') return null;
    throw error;
  });
  if (!raw) return null;
  return runYielding(raw.length, () => presentBody(readBody(raw), blobIdOf(row), wanted, budget));
}

/** `12`, or inside a page `12-msg_…-10`: see ChangePosition. */
function readPosition(state: string): ChangePosition | null {
  const modseq = readState(state);
  if (modseq !== null) return { modseq, messageId: null, base: modseq };
  const [, number, id, base] = /^(\d{1,15})-(msg_[0-9a-z]{26})-(\d{1,15})$/.exec(state) ?? [];
  const messageId = id === undefined ? null : decodeId('msg', id);
  return messageId === null ? null : { modseq: Number(number), messageId, base: Number(base) };
}

export async function changedEmails(context: MethodContext, args: Arguments): Promise<Arguments> {
  const { sinceState, limit } = readChanges(context, args);
  const since = readPosition(sinceState);
  const changes = since && (await listEmailChanges(context.tools.db, context.login, since, limit));
  if (!changes) throw cannotCalculate();
  const { next } = changes;
  return {
    accountId: context.accountId,
    oldState: sinceState,
    newState: next
      ? `${next.modseq}-${encodeId('msg', next.messageId!)}-${next.base}`
      : String(changes.modseq),
    hasMoreChanges: next !== null,
    created: changes.created.map(toEmailId),
    updated: changes.updated.map(toEmailId),
    destroyed: changes.destroyed.map(toEmailId),
  };
}

export async function getThreads(context: MethodContext, args: Arguments): Promise<Arguments> {
  const { ids, properties } = readGet(context, args);
  refuseUnknown(properties, ['id', 'emailIds']);
  if (!ids) throw new MethodError('requestTooLarge', 'ids is required.');
  requireCount(ids.length, LIMITS.maxObjectsInGet);
  const state = await mailState(context);
  const uuids = ids.flatMap((id) => fromThreadId(id) ?? []);
  const threads = await listThreadMessages(context.tools.db, context.login, uuids);
  const list = ids.flatMap((id) => {
    const messages = threads.get(fromThreadId(id) ?? '');
    return messages ? [pick({ id, emailIds: messages.map(toEmailId) }, properties)] : [];
  });
  const notFound = ids.filter((id) => !threads.has(fromThreadId(id) ?? ''));
  return { accountId: context.accountId, state, list, notFound };
}

export async function changedThreads(context: MethodContext, args: Arguments): Promise<Arguments> {
  const { sinceState, limit } = readChanges(context, args);
  const since = readState(sinceState);
  const changes =
    since === null ? null : await listThreadChanges(context.tools.db, context.login, since, limit);
  if (!changes) throw cannotCalculate();
  return {
    accountId: context.accountId,
    oldState: sinceState,
    newState: String(changes.modseq),
    hasMoreChanges: false,
    created: changes.created.map(toThreadId),
    updated: changes.updated.map(toThreadId),
    destroyed: changes.destroyed.map(toThreadId),
  };
}

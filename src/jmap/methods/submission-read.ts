/** EmailSubmission/get, /changes, /query and /queryChanges (RFC 8621 sections 7.1 to 7.4). */
import {
  listSubmissionChanges,
  querySubmissions,
  readSubmissions,
  submissionState,
  type SubmissionFilter,
} from '../../features/mailboxes/jmap/list-submissions.ts';
import type { SubmissionRow } from '../../features/mailboxes/jmap/submissions.ts';
import { decodeId, encodeId, type IdPrefix } from '../../platform/ids.ts';
import {
  anchorNotFound,
  cannotCalculate,
  pageOf,
  pick,
  readChanges,
  readGet,
  readQuery,
  readQueryChanges,
  refuseUnknown,
  requireFewChanges,
} from '../calls/arguments.ts';
import { readFilter, readSort, unsupportedFilter } from '../calls/filters.ts';
import { readState, toEmailId, toThreadId } from '../calls/ids.ts';
import { LIMITS } from '../calls/limits.ts';
import { MethodError, type Arguments, type MethodContext } from '../calls/tools.ts';
import { toUtcDate } from './email-objects.ts';

const PROPERTIES = [
  'id',
  'identityId',
  'emailId',
  'threadId',
  'envelope',
  'sendAt',
  'undoStatus',
  'deliveryStatus',
  'dsnBlobIds',
  'mdnBlobIds',
];
const MAX_RESULTS = 10_000;

const toSubmissionId = (uuid: string): string => encodeId('sub', uuid);

export function presentSubmission(row: SubmissionRow): Arguments & { id: string } {
  return {
    id: toSubmissionId(row.id),
    identityId: encodeId('idn', row.identityId),
    emailId: toEmailId({ id: row.messageId, version: null }),
    threadId: toThreadId(row.threadId),
    envelope: row.envelope,
    sendAt: toUtcDate(row.sendAt),
    undoStatus: row.undoStatus,
    // The API and webmail show the result for each recipient.
    deliveryStatus: null,
    dsnBlobIds: [],
    mdnBlobIds: [],
  };
}

export async function getSubmissions(context: MethodContext, args: Arguments): Promise<Arguments> {
  const { ids, properties } = readGet(context, args);
  refuseUnknown(properties, PROPERTIES);
  const { db } = context.tools;
  const state = await submissionState(db, context.login);
  const uuids = ids?.flatMap((id) => decodeId('sub', id) ?? []) ?? null;
  const rows = await readSubmissions(db, context.login, uuids, LIMITS.maxObjectsInGet);
  const list = rows.map(presentSubmission);
  const known = new Set(list.map(({ id }) => id));
  return {
    accountId: context.accountId,
    state: String(state),
    list: list.map((each) => pick(each, properties)),
    notFound: (ids ?? []).filter((id) => !known.has(id)),
  };
}

export async function changedSubmissions(context: MethodContext, args: Arguments): Promise<Arguments> {
  const { sinceState, limit } = readChanges(context, args);
  const since = readState(sinceState);
  const { db } = context.tools;
  const state = await submissionState(db, context.login);
  if (since === null || since > state) throw cannotCalculate();
  const changes = await listSubmissionChanges(db, context.login, since, limit);
  return {
    accountId: context.accountId,
    oldState: sinceState,
    newState: String(changes.next ?? state),
    hasMoreChanges: changes.next !== null,
    created: changes.created.map(toSubmissionId),
    updated: changes.updated.map(toSubmissionId),
    destroyed: changes.destroyed.map(toSubmissionId),
  };
}

export async function querySubmissionIds(context: MethodContext, args: Arguments): Promise<Arguments> {
  const query = readQuery(context, args);
  const filter = readFilter(query.filter, readCondition);
  const sort = readSort(query.sort, SORTED_BY);
  const { db } = context.tools;
  const state = await submissionState(db, context.login);
  const found = await querySubmissions(db, context.login, filter, sort, MAX_RESULTS);
  const page = pageOf(found.map(toSubmissionId), query);
  if (!page) throw anchorNotFound();
  return {
    accountId: context.accountId,
    queryState: String(state),
    canCalculateChanges: true,
    ...page,
    ...(query.calculateTotal ? { total: found.length } : {}),
  };
}

export async function querySubmissionChanges(context: MethodContext, args: Arguments): Promise<Arguments> {
  const given = readQueryChanges(context, args);
  const since = readState(given.sinceQueryState);
  const [filter, sort] = [readFilter(given.filter, readCondition), readSort(given.sort, SORTED_BY)];
  const { db } = context.tools;
  const state = await submissionState(db, context.login);
  if (since === null || since > state) throw cannotCalculate();
  const changes = await listSubmissionChanges(db, context.login, since, MAX_RESULTS);
  const changed = new Set([...changes.created, ...changes.updated, ...changes.destroyed].map(toSubmissionId));
  const found = (await querySubmissions(db, context.login, filter, sort, MAX_RESULTS)).map(toSubmissionId);
  const added = found.flatMap((id, index) => (changed.has(id) ? [{ id, index }] : []));
  requireFewChanges(changed.size + added.length, given.maxChanges);
  return {
    accountId: context.accountId,
    oldQueryState: given.sinceQueryState,
    newQueryState: String(state),
    removed: [...changed],
    added,
    ...(given.calculateTotal ? { total: found.length } : {}),
  };
}

const MAX_ITEMS = 500;
const SORTED_BY = ['emailId', 'threadId', 'sentAt'] as const;

function readCondition(filter: Arguments): SubmissionFilter {
  const read: SubmissionFilter = {};
  for (const [name, value] of Object.entries(filter)) {
    if (name === 'identityIds') read.identityIds = readIds('idn', name, value);
    else if (name === 'emailIds') read.messageIds = readIds('msg', name, value);
    else if (name === 'threadIds') read.threadIds = readIds('thr', name, value);
    else if (name === 'undoStatus' && typeof value === 'string') read.undoStatus = value;
    else if (name === 'before' || name === 'after') read[name] = readDate(name, value);
    else throw unsupportedFilter(name);
  }
  return read;
}

function readIds(prefix: IdPrefix, name: string, value: unknown): string[] {
  if (!Array.isArray(value) || value.length > MAX_ITEMS || !value.every((id) => typeof id === 'string'))
    throw new MethodError('invalidArguments', `${name} must be a list of at most ${MAX_ITEMS} IDs.`);
  return value.flatMap((id) => decodeId(prefix, id) ?? []);
}

function readDate(name: string, value: unknown): Date {
  const date = new Date(typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value) ? value : Number.NaN);
  if (Number.isNaN(date.getTime()))
    throw new MethodError('invalidArguments', `${name} must be a date in UTC.`);
  return date;
}

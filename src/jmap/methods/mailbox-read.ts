/** Mailbox/get, /changes, /query and /queryChanges (RFC 8621 sections 2.1 to 2.4). */
import { listDestroyedFolders } from '../../features/mailboxes/jmap/email-changes.ts';
import { readChangeNumber } from '../../features/mailboxes/storage/list-changes.ts';
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
import { readState } from '../calls/ids.ts';
import type { Arguments, MethodContext } from '../calls/tools.ts';
import { matchMailboxes, readMailboxFilter, readMailboxSort } from './mailbox-query.ts';
import { MAILBOX_PROPERTIES, presentMailboxes, readMailboxes } from './mailbox-objects.ts';

export async function mailState({ tools, login }: MethodContext): Promise<string> {
  return String((await readChangeNumber(tools.db, login)).modseq);
}

export async function getMailboxes(context: MethodContext, args: Arguments): Promise<Arguments> {
  const { ids, properties } = readGet(context, args);
  refuseUnknown(properties, MAILBOX_PROPERTIES);
  const state = await mailState(context);
  const all = await readMailboxes(context);
  const found = ids ? all.filter(({ id }) => ids.includes(id)) : all;
  const list = await presentMailboxes(context, found, properties);
  return {
    accountId: context.accountId,
    state,
    list: list.map((each) => pick(each, properties)),
    notFound: (ids ?? []).filter((id) => !found.some((mailbox) => mailbox.id === id)),
  };
}

async function readFolderChanges(context: MethodContext, since: number) {
  const { tools, login } = context;
  const { modseq, forgotten_modseq } = await readChangeNumber(tools.db, login);
  if (since > modseq || since < forgotten_modseq) throw cannotCalculate();
  const all = await readMailboxes(context);
  const changed = all.filter(({ folder }) => folder.modseq > since || folder.changedModseq > since);
  const destroyed = await listDestroyedFolders(tools.db, login, since);
  return { modseq, all, changed, destroyed };
}

export async function changedMailboxes(context: MethodContext, args: Arguments): Promise<Arguments> {
  const { sinceState, limit } = readChanges(context, args);
  const since = readState(sinceState);
  if (since === null) throw cannotCalculate();
  const { modseq, changed, destroyed } = await readFolderChanges(context, since);
  if (changed.length + destroyed.length > limit) throw cannotCalculate();
  const created = changed.filter(({ folder }) => folder.createdModseq > since);
  const updated = changed.filter(({ folder }) => folder.createdModseq <= since);
  const onlyCounts = updated.length > 0 && updated.every(({ folder }) => folder.changedModseq <= since);
  return {
    accountId: context.accountId,
    oldState: sinceState,
    newState: String(modseq),
    hasMoreChanges: false,
    created: created.map(({ id }) => id),
    updated: updated.map(({ id }) => id),
    destroyed,
    updatedProperties: onlyCounts ? ['totalEmails', 'unreadEmails', 'totalThreads', 'unreadThreads'] : null,
  };
}

export async function queryMailboxes(context: MethodContext, args: Arguments): Promise<Arguments> {
  const query = readQuery(context, args);
  const filter = readMailboxFilter(query.filter);
  const sort = readMailboxSort(query.sort);
  const state = await mailState(context);
  const options = { sortAsTree: args.sortAsTree === true, filterAsTree: args.filterAsTree === true };
  const ids = matchMailboxes(await readMailboxes(context), filter, sort, options);
  const page = pageOf(ids, query);
  if (!page) throw anchorNotFound();
  return {
    accountId: context.accountId,
    queryState: state,
    canCalculateChanges: true,
    ...page,
    ...(query.calculateTotal ? { total: ids.length } : {}),
    ...(query.loweredLimit !== null && ids.length > query.loweredLimit ? { limit: query.loweredLimit } : {}),
  };
}

/**
 * Renaming a folder also changes the folders inside it, so a folder that moves in the list always counts as changed.
 */
export async function queryMailboxChanges(context: MethodContext, args: Arguments): Promise<Arguments> {
  const { sinceQueryState, maxChanges, calculateTotal, filter, sort } = readQueryChanges(context, args);
  const since = readState(sinceQueryState);
  if (since === null) throw cannotCalculate();
  const [conditions, order] = [readMailboxFilter(filter), readMailboxSort(sort)];
  const { modseq, all, changed, destroyed } = await readFolderChanges(context, since);
  const options = { sortAsTree: args.sortAsTree === true, filterAsTree: args.filterAsTree === true };
  const ids = matchMailboxes(all, conditions, order, options);
  const moved = new Set(changed.filter(({ folder }) => folder.changedModseq > since).map(({ id }) => id));
  const removed = [...destroyed, ...moved];
  const added = ids.flatMap((id, index) => (moved.has(id) ? [{ id, index }] : []));
  requireFewChanges(removed.length + added.length, maxChanges);
  return {
    accountId: context.accountId,
    oldQueryState: sinceQueryState,
    newQueryState: String(modseq),
    removed,
    added,
    ...(calculateTotal ? { total: ids.length } : {}),
  };
}

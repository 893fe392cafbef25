/** Email/query, /queryChanges and SearchSnippet/get (RFC 8621 sections 4.4, 4.5 and 5). */
import { z } from 'zod';
import { listChangedIds } from '../../features/mailboxes/jmap/email-changes.ts';
import { readEmailTexts } from '../../features/mailboxes/jmap/email-rows.ts';
import { locateEmails, queryEmails, type JmapQuery } from '../../features/mailboxes/jmap/query-emails.ts';
import { htmlToPlainText } from '../../mail/html/text.ts';
import {
  BadFilter,
  dependsOnThread,
  readEmailFilter,
  readEmailSort,
  type JmapFilter,
} from '../../mail/jmap/email-filter.ts';
import { markPiece, markWords, searchWords } from '../../mail/jmap/snippets.ts';
import { runYielding } from '../../platform/concurrency/run-yielding.ts';
import {
  anchorNotFound,
  cannotCalculate,
  idList,
  readArguments,
  readQuery,
  readQueryChanges,
  requireAccount,
  requireCount,
  requireFewChanges,
} from '../calls/arguments.ts';
import { fromEmailId, readState, toEmailId } from '../calls/ids.ts';
import { LIMITS } from '../calls/limits.ts';
import { MethodError, type Arguments, type MethodContext } from '../calls/tools.ts';
import { mailState } from './mailbox-read.ts';

const MAX_CHANGED = 10_000;

function readEmailQuery(filter: unknown, sort: unknown, args: Arguments): JmapQuery {
  const { collapseThreads } = readArguments(z.object({ collapseThreads: z.boolean().nullish() }), args);
  return {
    filter: readFilter(filter),
    sort: orMethodError(() => readEmailSort(sort)),
    collapseThreads: collapseThreads ?? false,
  };
}

function readFilter(filter: unknown): JmapFilter | null {
  return orMethodError(() => readEmailFilter(filter));
}

function orMethodError<Result>(read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    throw error instanceof BadFilter ? new MethodError(error.type, error.message) : error;
  }
}

export async function queryEmailIds(context: MethodContext, args: Arguments): Promise<Arguments> {
  const given = readQuery(context, args);
  const query = readEmailQuery(given.filter, given.sort, args);
  const anchor = given.anchor === null ? null : (fromEmailId(given.anchor)?.id ?? null);
  if (given.anchor !== null && anchor === null) throw anchorNotFound();
  const state = await mailState(context);
  const start = anchor === null ? { position: given.position } : { anchor, offset: given.anchorOffset };
  const { calculateTotal, limit, loweredLimit } = given;
  const page = await queryEmails(context.tools.db, context.login, query, { start, limit, calculateTotal });
  if (!page) throw anchorNotFound();
  return {
    accountId: context.accountId,
    queryState: state,
    canCalculateChanges: true,
    position: page.position,
    ids: page.ids.map(toEmailId),
    ...(page.total === null ? {} : { total: page.total }),
    ...(loweredLimit !== null && page.ids.length >= loweredLimit ? { limit: loweredLimit } : {}),
  };
}

/**
 * Lists every message that has changed since as removed, and those of them that are among the results now as added,
 * with their index. For clients this is equivalent to listing only the differences (RFC 8620 section 5.6).
 */
export async function queryEmailChanges(context: MethodContext, args: Arguments): Promise<Arguments> {
  const given = readQueryChanges(context, args);
  const query = readEmailQuery(given.filter, given.sort, args);
  const since = readState(given.sinceQueryState);
  const { db } = context.tools;
  const wholeThreads = query.collapseThreads || dependsOnThread(query.filter, query.sort);
  const changed =
    since === null
      ? null
      : await listChangedIds(db, context.login, since, { wholeThreads, limit: MAX_CHANGED });
  if (!changed) throw cannotCalculate();
  const isUnchanged = changed.refs.length === 0 && !given.calculateTotal;
  const { found, total } = isUnchanged
    ? { found: [], total: 0 }
    : await locateEmails(
        db,
        context.login,
        query,
        changed.refs.map(({ id }) => id),
      );
  requireFewChanges(changed.refs.length + found.length, given.maxChanges);
  return {
    accountId: context.accountId,
    oldQueryState: given.sinceQueryState,
    newQueryState: String(changed.modseq),
    removed: changed.refs.map(toEmailId),
    added: found.map(({ index, ...ref }) => ({ id: toEmailId(ref), index })),
    ...(given.calculateTotal ? { total } : {}),
  };
}

export async function getSnippets(context: MethodContext, args: Arguments): Promise<Arguments> {
  requireAccount(context, args);
  const { emailIds, filter } = readArguments(
    z.object({ emailIds: idList, filter: z.unknown().optional() }),
    args,
  );
  requireCount(emailIds.length, LIMITS.maxObjectsInGet);
  const words = wordsIn(readFilter(filter));
  const uuids = emailIds.flatMap((id) => fromEmailId(id)?.id ?? []);
  const texts = await readEmailTexts(context.tools.db, context.login, uuids);
  const list: Record<string, unknown>[] = [];
  for (const emailId of new Set(emailIds)) {
    const found = texts.get(fromEmailId(emailId)?.id ?? '');
    if (!found) continue;
    const length = (found.text ?? found.html ?? '').length;
    const preview = await runYielding(length, () =>
      words.body.length === 0 ? null : markPiece(found.text ?? htmlToPlainText(found.html ?? ''), words.body),
    );
    list.push({ emailId, subject: markWords(found.subject, words.subject), preview });
  }
  const notFound = emailIds.filter((id) => !texts.has(fromEmailId(id)?.id ?? ''));
  return { accountId: context.accountId, list, notFound: notFound.length > 0 ? notFound : null };
}

/** Returns the words that the filter searches for in subjects and bodies. */
function wordsIn(filter: JmapFilter | null): { subject: string[]; body: string[] } {
  const words = { subject: new Set<string>(), body: new Set<string>() };
  const collect = (each: JmapFilter): void => {
    if ('filters' in each) {
      if (each.kind !== 'NOT') each.filters.forEach(collect);
    } else if (each.kind === 'text') {
      const own = searchWords(each.value);
      if (each.field === 'text' || each.field === 'subject') for (const word of own) words.subject.add(word);
      if (each.field === 'text' || each.field === 'body') for (const word of own) words.body.add(word);
    }
  };
  if (filter) collect(filter);
  return { subject: [...words.subject], body: [...words.body] };
}

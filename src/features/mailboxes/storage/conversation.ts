/**
 * Finds the thread of an incoming message: by the Message-IDs that it references or that reference it, otherwise by
 * subject and sender. A parent that arrives late finds its replies; if it connects several threads, they are merged.
 *
 * Messages of one conversation may arrive at the same time. Each takes advisory locks on its own ID, on every ID it
 * references and on its subject, so that messages that could belong together are handled one after the other. Threads
 * are locked in the order of their IDs.
 *
 * Threads that people have split are not merged again. A message that refers to both joins the one with the last
 * message that it refers to.
 */
import {
  Fragment,
  lockNumber,
  statement,
  toNumberArray,
  runTogether,
  toJson,
  type Db,
} from '../../../platform/database/database.ts';
import type { Row } from '../../../platform/database/rows.ts';
import type { People } from './participants.ts';
import { keepSeparate } from './separated-threads.ts';
import { shortenId } from './store-message.ts';
import { takeOverThreads } from './take-over-threads.ts';

/** The values that determine the thread of a message in one mailbox. */
export interface ThreadCriteria {
  teamId: number;
  mailboxId: string;
  messageId: string | null;
  references: string[];
  /** Empty if the subject does not identify a conversation. */
  subjectKey: string;
  senderKey: string;
  deliveryKey: Buffer | null;
  /**
   * How well the sender is authenticated. A stored message with the same key is a copy only if it is as trusted and
   * still there. Null: any stored message with the key is one.
   */
  trust: number | null;
  /** Spam joins only spam threads, so that forged messages do not appear in real conversations. */
  isSpam: boolean;
  /** Messages that share a key could belong together. */
  lockKeys: string[];
}

interface FoundThread {
  id: string;
  people: People;
  /** Whether new messages skip the inbox. */
  isMuted: boolean;
}

/** Null: a new thread. `duplicate`: the message is already stored. `gone`: the mailbox was deleted. */
export type ThreadMatch = FoundThread | 'duplicate' | 'gone' | null;

/** This is a literal in the statement, so that PostgreSQL can use it in a generic plan. */
const RECENT = new Fragment("interval '30 days'");
const MAX_ATTEMPTS = 5;
/** How well the sender of a stored message is authenticated, as in receive.ts. */
const TRUST = new Fragment(`case
  when authentication is null then 0
  when authentication ->> 'dmarc' = 'pass' then 3
  when authentication ->> 'dmarc' in ('fail', 'permerror') then -1
  when authentication ->> 'dkim' = 'pass' then 2
  when authentication ->> 'spf' = 'pass' then 1
  else 0 end`);

export function lockKeysOf(criteria: Omit<ThreadCriteria, 'lockKeys'>): string[] {
  const names = [
    criteria.messageId ?? '',
    ...criteria.references,
    criteria.subjectKey && `about ${criteria.subjectKey}`,
  ].filter((name) => name !== '');
  return names.map((name) => lockKeyOf(criteria.mailboxId, name));
}

function lockKeyOf(mailboxId: string, name: string): string {
  return lockNumber(`thread ${mailboxId} ${name}`);
}

/** Locks out messages that have or reference one of these Message-IDs, until the end of the transaction. */
export async function lockNames(trx: Db, mailboxId: string, names: readonly string[]): Promise<void> {
  await lockKeys(
    trx,
    names.map((name) => lockKeyOf(mailboxId, name)),
  );
}

/**
 * Returns the matches of each message, one per mailbox. The messages must not share lock keys. If two of them match
 * the same thread nevertheless, the later one gets null and must be retried in another transaction.
 */
export async function findThreads(trx: Db, messages: ThreadCriteria[][]): Promise<(ThreadMatch[] | null)[]> {
  // The statements run in this order on one connection, so candidates are read under the locks.
  const [, mailboxes, , foundFirst] = await runTogether(
    forceGenericPlans(trx),
    lockMailboxes(trx, messages.flat()),
    lockConversations(trx, messages.flat()),
    findCandidates(trx, messages),
  );
  let found = foundFirst;
  for (let attempt = 1; ; attempt++) {
    const taken = new Map<string, number>();
    const chosen = found.map((copies) => {
      if (copies.flatMap(idsOf).some((id) => taken.has(id))) return null;
      for (const candidates of copies) for (const id of idsOf(candidates)) taken.set(id, candidates.teamId);
      return copies;
    });
    const threads = await lockThreads(trx, taken);
    // A missing thread was merged into another between reading and locking, so search again.
    if (threads.size === taken.size || attempt === MAX_ATTEMPTS) {
      await takeDeliveryKeys(trx, chosen);
      return resolveMatches(trx, chosen, threads, mailboxes);
    }
    found = await findCandidates(trx, messages);
  }
}

/**
 * Takes the locks for several messages that one transaction stores one after the other, in the usual order.
 * `findThreads` then needs no further locks, even if the messages belong to the same thread.
 */
export async function lockThreadsOfAll(trx: Db, messages: ThreadCriteria[]): Promise<void> {
  const [, , found] = await runTogether(
    lockMailboxes(trx, messages),
    lockConversations(trx, messages),
    findCandidates(trx, [messages]),
  );
  const candidates = found.flat();
  await lockThreads(
    trx,
    new Map(candidates.flatMap((each) => idsOf(each).map((id) => [id, each.teamId] as const))),
  );
}

/** The key of a less trusted or deleted copy goes to the message that is stored now, so that its copies are recognised. */
async function takeDeliveryKeys(trx: Db, messages: (Candidates[] | null)[]): Promise<void> {
  const replaced = messages.flatMap((copies) => (copies ?? []).filter((each) => each.replaced.size > 0));
  for (const { teamId, replaced: ids } of replaced)
    await statement(trx)`
      update messages set delivery_key = null where team_id = ${teamId} and id = any(${[...ids]}::uuid[])`;
}

async function resolveMatches(
  trx: Db,
  messages: (Candidates[] | null)[],
  threads: Map<string, FoundThread>,
  mailboxes: Set<string>,
): Promise<(ThreadMatch[] | null)[]> {
  const matches: (ThreadMatch[] | null)[] = [];
  for (const copies of messages) {
    const own: ThreadMatch[] = [];
    for (const candidates of copies ?? []) {
      const joined = idsOf(candidates).flatMap((id) => threads.get(id) ?? []);
      if (!mailboxes.has(candidates.mailboxId)) own.push('gone');
      else if (candidates.isDuplicate) own.push('duplicate');
      else if (joined.length > 1) own.push(await mergeThreads(trx, candidates.teamId, joined));
      else own.push(joined[0] ?? null);
    }
    matches.push(copies && own);
  }
  return matches;
}

/** While the tables grow, PostgreSQL wrongly estimates that planning each search again is cheaper. */
async function forceGenericPlans(trx: Db): Promise<void> {
  await statement(trx)`select set_config('plan_cache_mode', ${'force_generic_plan'}, true)`;
}

/** Returns the mailboxes that exist, locked against deletion until the message is stored. */
async function lockMailboxes(trx: Db, criteria: ThreadCriteria[]): Promise<Set<string>> {
  const wanted = [...new Map(criteria.map((each) => [each.mailboxId, each])).values()];
  const rows = await statement<Row<'mailboxes', 'id'>>(trx)`
    select m.id
    from unnest(${toNumberArray(wanted, ({ teamId }) => teamId)}::integer[],
      ${wanted.map(({ mailboxId }) => mailboxId)}::uuid[]) as wanted (team_id, id)
    join mailboxes m using (team_id, id) order by m.id for key share of m`;
  return new Set(rows.map(({ id }) => id));
}

async function lockConversations(trx: Db, criteria: ThreadCriteria[]): Promise<void> {
  await lockKeys(trx, [...new Set(criteria.flatMap((each) => each.lockKeys))]);
}

/** In the order of the keys, so that transactions wait for each other and not in a circle. */
async function lockKeys(trx: Db, keys: readonly string[]): Promise<void> {
  await statement(trx)`
    select pg_advisory_xact_lock(key) from (
      select key from unnest(${keys}::bigint[]) as key order by key
    ) sorted`;
}

interface Candidates {
  teamId: number;
  mailboxId: string;
  isDuplicate: boolean;
  /** Messages whose delivery key goes to this one. */
  replaced: Set<string>;
  /** How close the thread is: the place of the last reference that leads to it. */
  byReference: Map<string, number>;
  bySubject: Set<string>;
}

/** Candidates by reference take precedence. The oldest thread comes first. */
function idsOf({ isDuplicate, byReference, bySubject }: Candidates): string[] {
  if (isDuplicate) return [];
  return [...(byReference.size > 0 ? byReference.keys() : bySubject)].toSorted();
}

interface CandidateRow {
  no: number;
  how: 'duplicate' | 'replaced' | 'byReference' | 'bySubject';
  /** The ID of a thread, and for `replaced` of a message. */
  id: Row<'messages'>['thread_id'];
  /** For `byReference`. */
  place: number | null;
}

/**
 * One row for each thread that a message may belong to, and how it was found: a message that was stored before
 * (`duplicate`), or was, but is less trusted or no longer there (`replaced`); a message that this one references, or that references this one or the same ancestor (`byReference`);
 * a recent thread with the same subject in which the sender takes part (`bySubject`).
 */
async function findCandidates(trx: Db, messages: ThreadCriteria[][]): Promise<Candidates[][]> {
  const all = messages.flat();
  const lookups = all.map((criteria, no) => {
    const own = criteria.messageId && shortenId(criteria.messageId);
    return {
      no,
      team: criteria.teamId,
      mailbox: criteria.mailboxId,
      key: criteria.deliveryKey && criteria.deliveryKey.toString('hex'),
      trust: criteria.trust,
      own,
      named: [...criteria.references.map(shortenId), ...(own ? [own] : [])],
      subject: criteria.subjectKey,
      sender: criteria.senderKey,
      spam: criteria.isSpam,
    };
  });
  const rows = await statement<CandidateRow>(trx)`
    select a.no, found.how, found.id, found.place
    from json_to_recordset(${toJson(lookups)}::json) as a (no integer, team integer, mailbox uuid, key text,
      trust integer, own text, named text[], subject text, sender text, spam boolean)
    cross join lateral (
      select case when is_copy then 'duplicate' else 'replaced' end as how,
        case when is_copy then thread_id else id end as id, null::integer as place
      from messages, lateral (select a.trust is null or (
        not deleted and folder <> 'trash' and (folder = 'spam') <= a.spam and a.trust <= ${TRUST}) as is_copy) as _
      where team_id = a.team and mailbox_id = a.mailbox and delivery_key = decode(a.key, 'hex')
      union all
      select 'byReference', t.id, 2 * array_position(a.named, m.message_id) + 1 from messages m
      join threads t on t.team_id = m.team_id and t.id = m.thread_id
      where m.team_id = a.team and m.mailbox_id = a.mailbox and m.message_id = any(a.named)
        and (t.folder = 'spam') = a.spam
      union all
      select 'byReference', t.id, 2 * array_position(a.named, r.reference) from message_references r
      join messages m on m.team_id = r.team_id and m.id = r.message_id
      join threads t on t.team_id = m.team_id and t.id = m.thread_id
      where r.team_id = a.team and r.mailbox_id = a.mailbox and r.reference = any(a.named) and (t.folder = 'spam') = a.spam
      union all
      (
        select 'bySubject', id, null from threads
        where team_id = a.team and mailbox_id = a.mailbox and base_subject <> '' and base_subject = a.subject
          and folder not in ('trash', 'spam') and not a.spam and a.sender = any(participant_keys)
          and last_message_at > now() - ${RECENT}
        order by last_message_at desc limit 1
      )
    ) found`;
  const found = all.map(({ teamId, mailboxId }): Candidates => ({
    teamId,
    mailboxId,
    isDuplicate: false,
    replaced: new Set(),
    byReference: new Map(),
    bySubject: new Set(),
  }));
  for (const { no, how, id, place } of rows) {
    const candidates = found[no]!;
    if (how === 'duplicate') candidates.isDuplicate = true;
    else if (how !== 'byReference') candidates[how].add(id);
    else candidates.byReference.set(id, Math.max(place ?? 0, candidates.byReference.get(id) ?? 0));
  }
  await keepSeparate(trx, found);
  return messages.map((copies) => found.splice(0, copies.length));
}

type ThreadRow = Row<'threads', 'id' | 'participants' | 'participant_keys' | 'muted'>;

async function lockThreads(trx: Db, teamOf: Map<string, number>): Promise<Map<string, FoundThread>> {
  if (teamOf.size === 0) return new Map();
  const rows = await statement<ThreadRow>(trx)`
    select t.id, t.participants, t.participant_keys, t.muted
    from unnest(${[...teamOf.values()]}::integer[], ${[...teamOf.keys()]}::uuid[]) as wanted (team_id, id)
    join threads t using (team_id, id) order by t.id for update of t`;
  return new Map(
    rows.map(({ id, participants, participant_keys, muted }) => [
      id,
      { id, people: { shown: participants, keys: participant_keys }, isMuted: muted },
    ]),
  );
}

/** Merges all threads into the oldest. */
async function mergeThreads(trx: Db, teamId: number, threads: FoundThread[]): Promise<FoundThread> {
  const [kept, ...others] = threads as [FoundThread, ...FoundThread[]];
  await takeOverThreads(
    trx,
    teamId,
    kept.id,
    others.map(({ id }) => id),
  );
  return {
    id: kept.id,
    isMuted: kept.isMuted,
    people: {
      shown: threads.flatMap(({ people }) => people.shown),
      keys: threads.flatMap(({ people }) => people.keys),
    },
  };
}

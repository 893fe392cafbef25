/**
 * Which thread a message that came in belongs to: by the ids that it names or that name it, else by what it is about
 * and who writes it. A parent that comes late finds what is there already; where it holds threads together that were
 * apart, they become one.
 *
 * Messages of one conversation may come in at the same moment. Each takes locks on every id that it is or names, and
 * on its subject, so two that could belong together go one behind the other; the threads themselves are locked in the
 * order of their ids.
 */
import { sql } from 'kysely';
import {
  Fragment,
  lockNumber,
  statement,
  toArray,
  together,
  toJson,
  type Db,
} from '../../platform/database.ts';
import type { People } from './people.ts';
import { shortenId } from './store-message.ts';

/** A message on its way into one mailbox. */
export interface Arrival {
  teamId: number;
  mailboxId: string;
  messageId: string | null;
  references: string[];
  /** Empty where the subject tells nothing. */
  subjectKey: string;
  senderKey: string;
  deliveryKey: Buffer | null;
  /** What strangers forge must not find its way between what friends wrote. */
  isSpam: boolean;
  /** Two that have one in common could belong together. */
  lockKeys: string[];
}

interface FoundThread {
  id: string;
  people: People;
}

/** Null: a new one. `known`: this very message is stored already. `gone`: there is no such mailbox any more. */
export type Place = FoundThread | 'known' | 'gone' | null;

/** Part of the text, so that PostgreSQL need not plan anew for each value. */
const RECENT = new Fragment("interval '30 days'");
const TRIES = 5;

export function lockKeysOf(arrival: Omit<Arrival, 'lockKeys'>): string[] {
  const names = [
    arrival.messageId ?? '',
    ...arrival.references,
    arrival.subjectKey && `about ${arrival.subjectKey}`,
  ].filter((name) => name !== '');
  return names.map((name) => lockNumber(`thread ${arrival.mailboxId} ${name}`));
}

/**
 * The places of each letter, one for each mailbox that it comes into. No two letters may share a lock key; where two
 * turn out to belong into one thread all the same, the later one has no places: it has to come again.
 */
export async function findPlaces(trx: Db, letters: Arrival[][]): Promise<(Place[] | null)[]> {
  // The last begins when the locks are there.
  const [, mailboxes, , foundFirst] = await together(
    keepPlans(trx),
    lockMailboxes(trx, letters.flat()),
    lockArrivals(trx, letters.flat()),
    findCandidates(trx, letters),
  );
  let found = foundFirst;
  for (let attempt = 1; ; attempt++) {
    const taken = new Map<string, number>();
    const chosen = found.map((letter) => {
      if (letter.flatMap(idsOf).some((id) => taken.has(id))) return null;
      for (const candidates of letter) for (const id of idsOf(candidates)) taken.set(id, candidates.teamId);
      return letter;
    });
    const threads = await lockThreads(trx, taken);
    // One that is gone became part of another between looking and locking: looked for again.
    if (threads.size === taken.size || attempt === TRIES) return placeAll(trx, chosen, threads, mailboxes);
    found = await findCandidates(trx, letters);
  }
}

async function placeAll(
  trx: Db,
  letters: (Candidates[] | null)[],
  threads: Map<string, FoundThread>,
  mailboxes: Set<string>,
): Promise<(Place[] | null)[]> {
  const places: (Place[] | null)[] = [];
  for (const letter of letters) {
    const own: Place[] = [];
    for (const candidates of letter ?? []) {
      const joined = idsOf(candidates).flatMap((id) => threads.get(id) ?? []);
      if (!mailboxes.has(candidates.mailboxId)) own.push('gone');
      else if (candidates.isKnown) own.push('known');
      else if (joined.length > 1) own.push(await mergeThreads(trx, candidates.teamId, joined));
      else own.push(joined[0] ?? null);
    }
    places.push(letter && own);
  }
  return places;
}

/** While the tables grow, PostgreSQL takes a plan of its own for each search to be cheaper, and it is not. */
async function keepPlans(trx: Db): Promise<void> {
  await statement(trx)`select set_config('plan_cache_mode', ${'force_generic_plan'}, true)`;
}

/** Those that are there, and stay until the message is. */
async function lockMailboxes(trx: Db, arrivals: Arrival[]): Promise<Set<string>> {
  const wanted = [...new Map(arrivals.map((arrival) => [arrival.mailboxId, arrival])).values()];
  const rows = await statement<{ id: string }>(trx)`
    select m.id
    from unnest(${toArray(wanted, ({ teamId }) => teamId)}::integer[],
      ${toArray(wanted, ({ mailboxId }) => mailboxId)}::uuid[]) as wanted (team_id, id)
    join mailboxes m using (team_id, id) order by m.id for key share of m`;
  return new Set(rows.map(({ id }) => id));
}

async function lockArrivals(trx: Db, arrivals: Arrival[]): Promise<void> {
  const keys = [...new Set(arrivals.flatMap(({ lockKeys }) => lockKeys))];
  await statement(trx)`
    select pg_advisory_xact_lock(key) from (
      select key from unnest(${keys}::bigint[]) as key order by key
    ) sorted`;
}

interface Candidates {
  teamId: number;
  mailboxId: string;
  isKnown: boolean;
  named: Set<string>;
  about: Set<string>;
}

/** By the ids where there are any, in the order of their making. */
function idsOf({ isKnown, named, about }: Candidates): string[] {
  if (isKnown) return [];
  return [...(named.size > 0 ? named : about)].toSorted();
}

interface CandidateRow {
  no: number;
  how: 'known' | 'named' | 'about';
  id: string;
}

async function findCandidates(trx: Db, letters: Arrival[][]): Promise<Candidates[][]> {
  const arrivals = letters.flat();
  const asked = arrivals.map((arrival, no) => {
    const own = arrival.messageId && shortenId(arrival.messageId);
    return {
      no,
      team: arrival.teamId,
      mailbox: arrival.mailboxId,
      key: arrival.deliveryKey && arrival.deliveryKey.toString('hex'),
      own,
      named: [...arrival.references.map(shortenId), ...(own ? [own] : [])],
      subject: arrival.subjectKey,
      sender: arrival.senderKey,
      spam: arrival.isSpam,
    };
  });
  const rows = await statement<CandidateRow>(trx)`
    select a.no, found.how, found.id
    from json_to_recordset(${toJson(asked)}::json) as a (no integer, team integer, mailbox uuid, key text,
      own text, named text[], subject text, sender text, spam boolean)
    cross join lateral (
      select 'known' as how, thread_id as id from messages
      where team_id = a.team and mailbox_id = a.mailbox and delivery_key = decode(a.key, 'hex')
      union all
      select 'named', t.id from messages m
      join threads t on t.team_id = m.team_id and t.id = m.thread_id
      where m.team_id = a.team and m.mailbox_id = a.mailbox and m.message_id = any(a.named)
        and (t.folder = 'spam') = a.spam
      union all
      select 'named', t.id from message_references r
      join messages m on m.team_id = r.team_id and m.id = r.message_id
      join threads t on t.team_id = m.team_id and t.id = m.thread_id
      where r.team_id = a.team and r.mailbox_id = a.mailbox and r.reference = any(a.named) and (t.folder = 'spam') = a.spam
      union all
      (
        select 'about', id from threads
        where team_id = a.team and mailbox_id = a.mailbox and base_subject <> '' and base_subject = a.subject
          and folder not in ('trash', 'spam') and not a.spam and a.sender = any(participant_keys)
          and last_message_at > now() - ${RECENT}
        order by last_message_at desc limit 1
      )
    ) found`;
  const found = arrivals.map(({ teamId, mailboxId }): Candidates => ({
    teamId,
    mailboxId,
    isKnown: false,
    named: new Set(),
    about: new Set(),
  }));
  for (const { no, how, id } of rows) {
    if (how === 'known') found[no]!.isKnown = true;
    else found[no]![how].add(id);
  }
  return letters.map((letter) => found.splice(0, letter.length));
}

interface ThreadRow {
  id: string;
  participants: string[];
  participant_keys: string[];
}

async function lockThreads(trx: Db, teamOf: Map<string, number>): Promise<Map<string, FoundThread>> {
  if (teamOf.size === 0) return new Map();
  const rows = await statement<ThreadRow>(trx)`
    select t.id, t.participants, t.participant_keys
    from unnest(${[...teamOf.values()]}::integer[], ${[...teamOf.keys()]}::uuid[]) as wanted (team_id, id)
    join threads t using (team_id, id) order by t.id for update of t`;
  return new Map(
    rows.map(({ id, participants, participant_keys }) => [
      id,
      { id, people: { shown: participants, keys: participant_keys } },
    ]),
  );
}

/** The oldest takes the others in; who knows one of them by its id still finds it. */
async function mergeThreads(trx: Db, teamId: number, threads: FoundThread[]): Promise<FoundThread> {
  const [kept, ...others] = threads as [FoundThread, ...FoundThread[]];
  const ids = others.map(({ id }) => id);
  await sql`
    update messages set thread_id = ${kept.id} where team_id = ${teamId} and thread_id = any(${ids}::uuid[])
  `.execute(trx);
  await sql`
    update merged_threads set into_id = ${kept.id} where team_id = ${teamId} and into_id = any(${ids}::uuid[])
  `.execute(trx);
  await sql`
    with gone as (
      delete from threads where team_id = ${teamId} and id = any(${ids}::uuid[])
      returning id, message_count, unread_count, last_message_at
    ), noted as (
      insert into merged_threads (team_id, id, into_id) select ${teamId}, id, ${kept.id} from gone
    ), total as (
      select sum(message_count)::integer as messages, sum(unread_count)::integer as unread, max(last_message_at) as last
      from gone
    )
    update threads t set message_count = t.message_count + messages, unread_count = t.unread_count + unread,
      last_message_at = greatest(t.last_message_at, last)
    from total where t.team_id = ${teamId} and t.id = ${kept.id}
  `.execute(trx);
  return {
    id: kept.id,
    people: {
      shown: threads.flatMap(({ people }) => people.shown),
      keys: threads.flatMap(({ people }) => people.keys),
    },
  };
}

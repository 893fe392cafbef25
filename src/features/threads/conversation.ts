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
import { sha256 } from '../../platform/crypto.ts';
import { statement, type Db } from '../../platform/database.ts';
import type { People } from './people.ts';
import { shortenId } from './store-message.ts';

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
}

export interface FoundThread {
  id: string;
  people: People;
}

const SUBJECT_DAYS = 30;
const TRIES = 5;

/** Null: a new one. `known`: this very message is stored already. */
export async function findThread(trx: Db, arrival: Arrival): Promise<FoundThread | 'known' | null> {
  await lockArrival(trx, arrival);
  for (let attempt = 1; ; attempt++) {
    const candidates = await findCandidates(trx, arrival);
    if (candidates.some(({ how }) => how === 'known')) return 'known';
    const named = candidates.filter(({ how }) => how === 'named');
    const ids = (named.length > 0 ? named : candidates).map(({ id }) => id);
    if (ids.length === 0) return null;
    const threads = await lockThreads(trx, arrival.teamId, [...new Set(ids)]);
    // One that is gone became part of another between looking and locking: looked for again.
    if (threads.length < new Set(ids).size && attempt < TRIES) continue;
    return threads.length > 1 ? mergeThreads(trx, arrival.teamId, threads) : (threads[0] ?? null);
  }
}

async function lockArrival(trx: Db, arrival: Arrival): Promise<void> {
  const names = [
    arrival.messageId ?? '',
    ...arrival.references,
    arrival.subjectKey && `about ${arrival.subjectKey}`,
  ];
  const keys = names
    .filter((name) => name !== '')
    .map((name) => sha256(`thread ${arrival.mailboxId} ${name}`).readBigInt64BE())
    .toSorted((a, b) => (a < b ? -1 : 1));
  await statement(trx)`
    select pg_advisory_xact_lock(key) from unnest(${keys.map(String)}::bigint[]) as key`;
}

interface Candidate {
  how: 'known' | 'named' | 'about';
  id: string;
}

function findCandidates(trx: Db, arrival: Arrival): Promise<Candidate[]> {
  const { teamId, mailboxId } = arrival;
  const own = arrival.messageId && shortenId(arrival.messageId);
  const named = [...arrival.references.map(shortenId), ...(own ? [own] : [])];
  return statement<Candidate>(trx)`
    select 'known' as how, thread_id as id from messages
    where team_id = ${teamId} and mailbox_id = ${mailboxId} and delivery_key = ${arrival.deliveryKey}::bytea
    union
    select 'named', t.id from messages m
    join threads t on t.team_id = m.team_id and t.id = m.thread_id
    where m.team_id = ${teamId} and m.mailbox_id = ${mailboxId} and m.message_id = any(${named}::text[])
      and (t.folder = 'spam') = ${arrival.isSpam}::boolean
    union
    select 'named', t.id from message_references r
    join messages m on m.team_id = r.team_id and m.id = r.message_id
    join threads t on t.team_id = m.team_id and t.id = m.thread_id
    where r.team_id = ${teamId} and r.mailbox_id = ${mailboxId} and r.reference = ${own}::text
      and (t.folder = 'spam') = ${arrival.isSpam}::boolean
    union
    select * from (
      select 'about', id from threads
      where team_id = ${teamId} and mailbox_id = ${mailboxId} and base_subject <> ''
        and base_subject = ${arrival.subjectKey} and folder not in ('trash', 'spam')
        and not ${arrival.isSpam}::boolean and ${arrival.senderKey} = any(participant_keys)
        and last_message_at > now() - make_interval(days => ${SUBJECT_DAYS})
      order by last_message_at desc limit 1
    ) about`;
}

interface ThreadRow {
  id: string;
  participants: string[];
  participant_keys: string[];
}

async function lockThreads(trx: Db, teamId: number, ids: string[]): Promise<FoundThread[]> {
  const rows = await statement<ThreadRow>(trx)`
    select id, participants, participant_keys from threads
    where team_id = ${teamId} and id = any(${ids}::uuid[]) order by id for update`;
  return rows.map((row) => ({ id: row.id, people: { shown: row.participants, keys: row.participant_keys } }));
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

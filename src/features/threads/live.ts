/**
 * What happens in a mailbox as server-sent events. A listener who was away says the last id that it has seen and gets
 * all that came since. The events are numbered here, by whoever reads them first and under a lock: what is numbered is
 * committed, so nothing can come into sight behind a number that somebody has read.
 */
import { sql } from 'kysely';
import { setTimeout as wait } from 'node:timers/promises';
import { inTransaction, lockNumber, type Db } from '../../platform/database.ts';
import { badRequest } from '../../platform/errors.ts';
import type { Facts } from '../../platform/facts.ts';
import { encodeId } from '../../platform/ids.ts';
import type { Caller } from '../../platform/route.ts';
import { requireMailbox } from '../mailboxes/find-mailbox.ts';

const AT_ONCE = 500;
const HEARTBEAT_MS = 15_000;
/** However much happens, a listener looks no more often than this. */
const PAUSE_MS = 100;
/** Then the listener comes again, with a key that may have been revoked meanwhile. */
const LONGEST_MS = 10 * 60_000;

interface EventRow {
  no: number;
  type: string;
  thread_id: string;
  message_id: string | null;
  created_at: Date;
}

interface Ear {
  teamId: number;
  mailboxId: string;
}

export async function openMailboxEvents(
  db: Db,
  caller: Caller,
  facts: Facts,
  mailboxId: string,
  lastEventId: string | undefined,
): Promise<AsyncIterable<string>> {
  const { id } = await requireMailbox(db, caller, mailboxId);
  const ear = { teamId: caller.teamId, mailboxId: id };
  const seen = lastEventId === undefined ? await findLast(db, ear) : readEventId(lastEventId);
  return streamEvents(db, facts, ear, seen);
}

function readEventId(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw badRequest('Last-Event-ID is not one that this stream gave.');
  return Number(text);
}

async function* streamEvents(db: Db, facts: Facts, ear: Ear, after: number): AsyncGenerator<string> {
  let seen = after;
  let isHinted = true;
  let wake: (() => void) | null = null;
  const unsubscribe = facts.onMailHint(() => {
    isHinted = true;
    wake?.();
  });
  const end = () => wake?.();
  facts.stopping.addEventListener('abort', end);
  const endsAt = performance.now() + LONGEST_MS;
  try {
    yield `retry: 2000\n${ping(seen)}`;
    while (!facts.stopping.aborted && performance.now() < endsAt) {
      if (isHinted) {
        isHinted = false;
        for (let events = await readEvents(db, ear, seen); events.length > 0;) {
          yield events.map((event) => format(ear, event)).join('');
          seen = events.at(-1)!.no;
          events = events.length < AT_ONCE ? [] : await readEvents(db, ear, seen);
        }
        await wait(PAUSE_MS, undefined, { ref: false });
      }
      if (isHinted || facts.stopping.aborted) continue;
      const isQuiet = await new Promise<boolean>((resolve) => {
        const timer = setTimeout(() => resolve(true), HEARTBEAT_MS);
        wake = () => {
          clearTimeout(timer);
          resolve(false);
        };
      });
      if (isQuiet) {
        // A hint may have got lost.
        isHinted = true;
        yield ping(seen);
      }
    }
  } finally {
    unsubscribe();
    facts.stopping.removeEventListener('abort', end);
  }
}

async function readEvents(db: Db, ear: Ear, after: number): Promise<EventRow[]> {
  await numberEvents(db, ear);
  const { rows } = await sql<EventRow>`
    select no, type, thread_id, message_id, created_at from mailbox_events
    where team_id = ${ear.teamId} and mailbox_id = ${ear.mailboxId} and no > ${after} order by no limit ${AT_ONCE}
  `.execute(db);
  return rows;
}

async function findLast(db: Db, ear: Ear): Promise<number> {
  await numberEvents(db, ear);
  const { rows } = await sql<{ no: number }>`
    select coalesce(max(no), 0) as no from mailbox_events
    where team_id = ${ear.teamId} and mailbox_id = ${ear.mailboxId} and no is not null
  `.execute(db);
  return rows[0]!.no;
}

async function numberEvents(db: Db, { teamId, mailboxId }: Ear): Promise<void> {
  const unnumbered = sql`team_id = ${teamId} and mailbox_id = ${mailboxId} and no is null`;
  const { rows } = await sql`select 1 from mailbox_events where ${unnumbered} limit 1`.execute(db);
  if (rows.length === 0) return;
  const lock = lockNumber(`mailbox events ${mailboxId}`);
  await inTransaction(db, async (trx) => {
    await sql`select pg_advisory_xact_lock(${lock}::bigint)`.execute(trx);
    await sql`
      update mailbox_events e set no = fresh.no
      from (
        select id, nextval('mailbox_event_numbers') as no
        from (select id from mailbox_events where ${unnumbered} order by id) ordered
      ) fresh
      where e.team_id = ${teamId} and e.mailbox_id = ${mailboxId} and e.id = fresh.id
    `.execute(trx);
  });
}

/** Heard by the page itself, unlike a comment: one that hears nothing for long knows that its line is dead. */
function ping(seen: number): string {
  return `id: ${seen}\nevent: ping\ndata: {}\n\n`;
}

function format(ear: Ear, event: EventRow): string {
  const data = {
    type: event.type,
    mailbox_id: encodeId('mbx', ear.mailboxId),
    thread_id: encodeId('thr', event.thread_id),
    message_id: event.message_id && encodeId('msg', event.message_id),
    created_at: event.created_at.toISOString(),
  };
  return `id: ${event.no}\nevent: ${event.type}\ndata: ${JSON.stringify(data)}\n\n`;
}

/**
 * Streams a mailbox's events as server-sent events. A client that reconnects sends the last event ID and gets all
 * events since then. Events are numbered when they are first read, under a lock: only committed events get numbers,
 * so none can appear later with a lower number than one already read.
 */
import { sql } from 'kysely';
import { setTimeout as wait } from 'node:timers/promises';
import { inTransaction, lockNumber, type Db } from '../../../platform/database/database.ts';
import { badRequest } from '../../../platform/errors.ts';
import type { Facts } from '../../instance/facts.ts';
import { encodeId } from '../../../platform/ids.ts';
import type { Row } from '../../../platform/database/rows.ts';
import type { Caller } from '../../api/caller.ts';
import { mayRead } from '../../api/mailbox-access.ts';
import { userKeyOf } from '../activity/record-activity.ts';
import { requireMailbox } from '../mailboxes/find-mailbox.ts';
import type { MailboxRef } from '../storage/change-numbers.ts';

const BATCH_SIZE = 500;
const HEARTBEAT_MS = 15_000;
/** Minimum time between two queries of one stream. */
const MIN_INTERVAL_MS = 100;
/** After this time the client must reconnect and authenticate again, in case its key was revoked. */
const MAX_STREAM_MS = 10 * 60_000;

interface EventRow extends Row<'mailbox_events', 'type' | 'thread_id' | 'message_id' | 'created_at'> {
  no: NonNullable<Row<'mailbox_events'>['no']>;
}

export async function openMailboxEvents(
  db: Db,
  caller: Caller,
  facts: Facts,
  mailboxId: string,
  lastEventId: string | undefined,
): Promise<AsyncIterable<string>> {
  const { id } = await requireMailbox(db, caller, mailboxId);
  const mailbox = { teamId: caller.teamId, mailboxId: id };
  const seen = lastEventId === undefined ? await findLast(db, mailbox) : readEventId(lastEventId);
  return streamEvents(db, facts, { mailbox, caller }, seen);
}

function readEventId(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw badRequest('Last-Event-ID is not valid for this stream.');
  return Number(text);
}

async function* streamEvents(
  db: Db,
  facts: Facts,
  { mailbox, caller }: { mailbox: MailboxRef; caller: Caller },
  after: number,
): AsyncGenerator<string> {
  let seen = after;
  let hasHint = true;
  let wake: (() => void) | null = null;
  const unsubscribe = facts.onMailHint(() => {
    hasHint = true;
    wake?.();
  });
  const end = () => wake?.();
  facts.stopping.addEventListener('abort', end);
  const endsAt = performance.now() + MAX_STREAM_MS;
  try {
    yield `retry: 2000\n${ping(seen)}`;
    while (!facts.stopping.aborted && performance.now() < endsAt) {
      if (hasHint) {
        hasHint = false;
        // Before anything is told, so that who has lost access is told nothing more.
        let events = await readEvents(db, mailbox, seen);
        if (events.length > 0 && !(await stillReads(db, mailbox, caller))) return;
        while (events.length > 0) {
          yield events.map((event) => format(mailbox, event)).join('');
          seen = events.at(-1)!.no;
          events = events.length < BATCH_SIZE ? [] : await readEvents(db, mailbox, seen);
        }
        await wait(MIN_INTERVAL_MS, undefined, { ref: false });
      }
      if (hasHint || facts.stopping.aborted) continue;
      const isQuiet = await new Promise<boolean>((resolve) => {
        const timer = setTimeout(() => resolve(true), HEARTBEAT_MS);
        wake = () => {
          clearTimeout(timer);
          resolve(false);
        };
      });
      if (isQuiet) {
        // Query anyway, in case a notification was lost.
        hasHint = true;
        yield ping(seen);
      }
    }
  } finally {
    unsubscribe();
    facts.stopping.removeEventListener('abort', end);
  }
}

async function readEvents(db: Db, mailbox: MailboxRef, after: number): Promise<EventRow[]> {
  await numberEvents(db, mailbox);
  const { rows } = await sql<EventRow>`
    select no, type, thread_id, message_id, created_at from mailbox_events
    where team_id = ${mailbox.teamId} and mailbox_id = ${mailbox.mailboxId} and no > ${after} order by no limit ${BATCH_SIZE}
  `.execute(db);
  return rows;
}

/** The caller's role in the team is that of when the stream began, which lasts a few minutes. */
async function stillReads(db: Db, { teamId, mailboxId }: MailboxRef, caller: Caller): Promise<boolean> {
  const { rows } = await sql`
    select 1 from mailboxes box where box.team_id = ${teamId} and box.id = ${mailboxId} and ${mayRead(caller, 'box')}
      and ${
        caller.person
          ? sql`exists (
        select from memberships s where s.team_id = ${teamId} and s.user_id = ${userKeyOf(caller)})`
          : sql`true`
      }
  `.execute(db);
  return rows.length > 0;
}

async function findLast(db: Db, mailbox: MailboxRef): Promise<number> {
  await numberEvents(db, mailbox);
  const { rows } = await sql<{ no: number }>`
    select coalesce(max(no), 0) as no from mailbox_events
    where team_id = ${mailbox.teamId} and mailbox_id = ${mailbox.mailboxId} and no is not null
  `.execute(db);
  return rows[0]!.no;
}

async function numberEvents(db: Db, { teamId, mailboxId }: MailboxRef): Promise<void> {
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

/** An event rather than an SSE comment, so that the page sees it and can detect a dead connection. */
function ping(seen: number): string {
  return `id: ${seen}\nevent: ping\ndata: {}\n\n`;
}

function format(mailbox: MailboxRef, event: EventRow): string {
  const data = {
    type: event.type,
    mailbox_id: encodeId('mbx', mailbox.mailboxId),
    thread_id: event.thread_id && encodeId('thr', event.thread_id),
    message_id: event.message_id && encodeId('msg', event.message_id),
    created_at: event.created_at.toISOString(),
  };
  return `id: ${event.no}\nevent: ${event.type}\ndata: ${JSON.stringify(data)}\n\n`;
}

/**
 * Deletes contents of emails and sandbox messages whose retention time is over. Their IDs contain the time at which
 * they were made, so the primary keys find the old ones. A batch is one short transaction; after an interruption the
 * next run continues.
 *
 * Emails that can still be sent keep their content, and so do emails that are messages of a mailbox, because threads
 * have no retention time.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { inTransaction, type Db } from '../../platform/database/database.ts';
import { deleteInBatches } from '../../platform/database/delete-in-batches.ts';
import type { Row } from '../../platform/database/rows.ts';
import type { Retention } from '../instance/facts.ts';
import { deleteContents } from '../sending/emails/delete-content.ts';

const BATCH_SIZE = 500;
/** Limits the bytes that one transaction deletes. A single larger message is deleted alone. */
const MAX_BATCH_BYTES = 32 * 1024 * 1024;
const PAUSE_MS = 50;
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

interface TeamAge {
  teamId: number;
  /** IDs below this one were made before the retention time. */
  before: string;
}

/** Returns the number of emails whose content was deleted. */
export async function expireContents(db: Db, { emailContentDays }: Retention): Promise<number> {
  let expired = 0;
  for (const team of await findTeams(db, 'email_content_days', emailContentDays)) {
    for (let after: string | null = FIRST_ID; after !== null;) {
      const batch: Batch = await inTransaction(db, (trx) => expireBatch(trx, team, after!));
      expired += batch.expired;
      after = batch.last;
      if (after !== null) await sleep(PAUSE_MS);
    }
  }
  return expired;
}

interface Batch {
  expired: number;
  /** Where the next batch continues; null at the end. */
  last: string | null;
}

async function expireBatch(trx: Db, { teamId, before }: TeamAge, after: string): Promise<Batch> {
  const { rows } = await sql<{ id: Row<'email_contents'>['email_id']; isFinished: boolean }>`
    select old.email_id as id, e.status <> 'SCHEDULED'
      and not exists (select from deliveries d where d.team_id = ${teamId} and d.email_id = old.email_id)
      and not exists (select from messages m where m.team_id = ${teamId} and m.email_id = old.email_id) as "isFinished"
    from (
      select email_id, sum(octet_length(raw)) over (order by email_id) - octet_length(raw) as bytes_before
      from (
        select email_id, raw from email_contents
        where team_id = ${teamId} and email_id > ${after} and email_id < ${before}
        order by email_id limit ${BATCH_SIZE}
      ) oldest
    ) old
    join emails e on e.team_id = ${teamId} and e.id = old.email_id
    where bytes_before < ${MAX_BATCH_BYTES}
    order by old.email_id
  `.execute(trx);
  const finished = rows.filter(({ isFinished }) => isFinished).map(({ id }) => id);
  if (finished.length > 0) await deleteContents(trx, teamId, finished, { withSubject: false });
  return { expired: finished.length, last: rows.at(-1)?.id ?? null };
}

/** Returns the number of deleted messages. */
export async function expireSandbox(db: Db, { sandboxDays }: Retention): Promise<number> {
  let expired = 0;
  for (const { teamId, before } of await findTeams(db, 'sandbox_days', sandboxDays)) {
    expired += await deleteInBatches(BATCH_SIZE, async (limit) => {
      const { numAffectedRows = 0n } = await sql`
        delete from sandbox_messages where team_id = ${teamId} and id in (
          select id from sandbox_messages where team_id = ${teamId} and id < ${before} order by id limit ${limit}
        )
      `.execute(db);
      return Number(numAffectedRows);
    });
  }
  return expired;
}

/** The setting of a team counts only where it is lower than the setting of the instance. */
async function findTeams(
  db: Db,
  column: 'email_content_days' | 'sandbox_days',
  instanceDays: number | null,
): Promise<TeamAge[]> {
  const { rows } = await sql<{ teamId: Row<'teams'>['id']; before: Date }>`
    select id as "teamId", now() - make_interval(days => days) as before
    from (select id, least(${sql.ref(column)}, ${instanceDays}::integer) as days from teams) t
    where days is not null order by id
  `.execute(db);
  return rows.map(({ teamId, before }) => ({ teamId, before: firstIdAt(before) }));
}

/** The lowest UUID v7 of this millisecond. */
function firstIdAt(time: Date): string {
  const hex = time.getTime().toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}

/**
 * Replies to emails of runs, in the transaction that stores the received message. A reply of a person ends runs that
 * exit on replies and wakes those that wait for one. An automatic reply, such as an out-of-office message, holds the
 * run. Bounces, messages of lists and receipts do neither.
 */
import { sql } from 'kysely';
import { DAY_MS } from '../../../platform/durations.ts';
import { statement, type Db } from '../../../platform/database/database.ts';
import type { Row } from '../../../platform/database/rows.ts';
import { parseDuration } from '../definition/duration.ts';
import type { AutomationDefinition } from '../definition/automations.schema.ts';
import { endRuns } from './end-runs.ts';
import { RUN_COLUMNS, type RunRow } from './run-row.ts';

export interface ReceivedReply {
  teamId: number;
  /** The Message-IDs that the message refers to. */
  references: string[];
  /** The address of the author, as addresses are compared. */
  senderKey: string | null;
  kind: 'person' | 'automatic' | 'other';
}

type AnsweredRun = RunRow & {
  definition: AutomationDefinition;
  exitsOnReply: Row<'automation_runs'>['exits_on_reply'];
};

export async function noteReplies(trx: Db, replies: ReceivedReply[]): Promise<void> {
  for (const reply of replies) {
    if (reply.kind === 'other') continue;
    const byReference = await findByReference(trx, reply);
    if (reply.kind === 'person') await noteReply(trx, reply.teamId, byReference);
    else if (byReference.length > 0) await holdRuns(trx, byReference);
    else await holdRuns(trx, await findBySender(trx, reply));
  }
}

/** References win over the sender: people reply from other addresses. */
async function findByReference(trx: Db, { teamId, references }: ReceivedReply): Promise<AnsweredRun[]> {
  if (references.length === 0) return [];
  const { rows } = await sql<AnsweredRun>`
    select ${RUN_COLUMNS}, r.exits_on_reply as "exitsOnReply", v.definition
    from automation_runs r join automation_versions v on v.team_id = r.team_id and v.automation_id = r.automation_id
      and v.version = r.version
    where r.team_id = ${teamId} and r.id in (
      select run_id from automation_emails where team_id = ${teamId} and message_id = any(${references}::text[])
    )
    order by r.id for update of r
  `.execute(trx);
  return rows;
}

/** An out-of-office message may refer to nothing. Its sender has got an email of the run. */
async function findBySender(trx: Db, { teamId, senderKey }: ReceivedReply): Promise<AnsweredRun[]> {
  if (!senderKey) return [];
  const { rows } = await sql<AnsweredRun>`
    select ${RUN_COLUMNS}, r.exits_on_reply as "exitsOnReply", v.definition
    from automation_runs r join automation_versions v on v.team_id = r.team_id and v.automation_id = r.automation_id
      and v.version = r.version
    where r.team_id = ${teamId} and r.address_key = ${senderKey} and r.status = 'ACTIVE'
      and exists (select from automation_emails e where e.team_id = r.team_id and e.run_id = r.id)
    order by r.id for update of r
  `.execute(trx);
  return rows;
}

async function noteReply(trx: Db, teamId: number, runs: AnsweredRun[]): Promise<void> {
  if (runs.length === 0) return;
  const ids = runs.map(({ id }) => id);
  await statement(trx)`
    update automation_emails set replied_at = now()
    where team_id = ${teamId} and run_id = any(${ids}::uuid[]) and replied_at is null`;
  const active = runs.filter(({ status }) => status === 'ACTIVE');
  await endRuns(
    trx,
    active
      .filter(({ exitsOnReply }) => exitsOnReply)
      .map(({ id, automationId, contactId }) => ({
        teamId,
        id,
        automationId,
        contactId,
        status: 'EXITED' as const,
        reason: 'replied',
      })),
  );
  await statement(trx)`
    update automation_runs set due_at = now()
    where team_id = ${teamId} and id = any(${ids}::uuid[]) and status = 'ACTIVE' and waiting_for = 'replied'`;
}

async function holdRuns(trx: Db, runs: AnsweredRun[]): Promise<void> {
  for (const { teamId, id, status, definition } of runs) {
    if (status !== 'ACTIVE') continue;
    const heldUntil = new Date(Date.now() + (parseDuration(definition.holdOnAutoReply) ?? 7 * DAY_MS));
    await statement(trx)`
      update automation_runs set held_by = 'auto_reply', due_at = greatest(due_at, ${heldUntil}::timestamptz),
        memory = memory || jsonb_build_object('heldUntil', ${heldUntil.toISOString()}::text)
      where team_id = ${teamId} and id = ${id}`;
  }
}

/** Continues the traces of emails in the worker. Used only while tracing is on. */
import { sql } from 'kysely';
import { toNumberArray, type Db } from '../../platform/database/database.ts';
import type { Log } from '../../platform/log.ts';
import type { Row } from '../../platform/database/rows.ts';
import type { Tracer } from '../../platform/telemetry/tracing.ts';
import type { ClaimedDelivery } from './claim.ts';

/** Sets the trace of each claimed delivery and records the claim in it. A failure only loses the traces. */
export async function traceClaim(
  { db, log, tracer }: { db: Db; log: Log; tracer: Tracer },
  deliveries: ClaimedDelivery[],
  claim: { startedAt: number; endedAt: number },
): Promise<void> {
  try {
    const traces = await findTraces(db, deliveries);
    for (const delivery of deliveries) {
      delivery.traceparent = traces.get(delivery.emailId) ?? null;
      if (delivery.traceparent)
        tracer.record({ name: 'delivery.claim', parent: delivery.traceparent, ...claim });
    }
  } catch (error) {
    log.warn({ err: error }, 'delivery worker: traces of emails cannot be read');
  }
}

async function findTraces(db: Db, deliveries: ClaimedDelivery[]): Promise<Map<string, string>> {
  if (deliveries.length === 0) return new Map();
  const { rows } = await sql<
    Row<'emails', 'id'> & { traceparent: NonNullable<Row<'emails'>['traceparent']> }
  >`
    select e.id, e.traceparent from unnest(
      ${toNumberArray(deliveries, ({ teamId }) => teamId)}::integer[], ${deliveries.map(({ emailId }) => emailId)}::uuid[]
    ) as k (team_id, email_id)
    join emails e on e.team_id = k.team_id and e.id = k.email_id
    where e.traceparent is not null
  `.execute(db);
  return new Map(rows.map(({ id, traceparent }) => [id, traceparent]));
}

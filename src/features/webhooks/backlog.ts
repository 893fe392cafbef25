import { sql } from 'kysely';
import type { Db } from '../../platform/database/database.ts';
import { foldedCount } from './folded-calls.ts';

const MOST_COUNTED = 100_000;

export interface WebhookBacklog {
  /** Counted in an index, up to a limit. */
  waiting: number;
  /** How long the oldest waiting call of an active webhook has been due. A call that waits for a retry is not due. */
  lagSeconds: number;
}

/** Reads only the first waiting call of each webhook from the index, so the cost does not grow with the backlog. */
export async function readWebhookBacklog(db: Db): Promise<WebhookBacklog> {
  const { rows } = await sql<WebhookBacklog>`
    select
      least(${MOST_COUNTED}::integer, ${foldedCount(MOST_COUNTED)} + (
        select count(*) from (
          select from webhook_calls where status = 'waiting' limit ${MOST_COUNTED}
        ) counted
      )) as waiting,
      coalesce((
        select extract(epoch from now() - min(first.due_at)) from webhooks w cross join lateral (
          select due_at from webhook_calls c
          where c.team_id = w.team_id and c.webhook_id = w.id and c.status = 'waiting'
          order by c.id limit 1
        ) first
        where w.status = 'active' and first.due_at <= now() and (w.rests_until is null or w.rests_until <= now())
      ), 0)::float8 as "lagSeconds"
  `.execute(db);
  return rows[0]!;
}

/**
 * Limits how many of each noun a team may have (TEAM_LIMITS). A route that creates one declares `creates`, and the
 * HTTP server wraps its handler in `createWithinLimit`. The check runs last, so a request that fails for another
 * reason reports that reason.
 *
 * The count includes the new row and is taken before commit, under a lock per team and noun, so concurrent requests
 * cannot exceed the limit together. Updating an existing row does not raise the count. Counts read an index and stop
 * at the limit.
 */
import { sql, type RawBuilder } from 'kysely';
import { inTransaction, lockNumber, type Db } from '../../../platform/database/database.ts';
import { badRequest } from '../../../platform/errors.ts';
import type { LimitedNoun, TeamLimits } from '../../instance/facts.ts';

type RowsQuery = (teamId: number) => RawBuilder<unknown>;

/** Each query returns one row per item that counts towards the limit. */
const COUNTED_ROWS: Record<LimitedNoun, RowsQuery> = {
  domains: (teamId) => sql`select 1 from domains where team_id = ${teamId}`,
  mailboxes: (teamId) => sql`select 1 from mailboxes where team_id = ${teamId}`,
  drafts: (teamId) =>
    sql`select 1 from messages where team_id = ${teamId} and direction = 'out' and email_id is null and draft`,
  contactBooks: (teamId) => sql`select 1 from contact_books where team_id = ${teamId}`,
  contactImports: (teamId) =>
    sql`select 1 from contact_imports where team_id = ${teamId} and status <> 'UPLOADING'`,
  segments: (teamId) => sql`select 1 from segments where team_id = ${teamId}`,
  topics: (teamId) => sql`select 1 from topics where team_id = ${teamId}`,
  forms: (teamId) => sql`select 1 from forms where team_id = ${teamId}`,
  templates: (teamId) => sql`select 1 from templates where team_id = ${teamId}`,
  media: (teamId) => sql`select 1 from media where team_id = ${teamId}`,
  campaigns: (teamId) => sql`select 1 from campaigns where team_id = ${teamId} and deleted_at is null`,
  automations: (teamId) => sql`select 1 from automations where team_id = ${teamId} and deleted_at is null`,
  feeds: (teamId) => sql`select 1 from feeds where team_id = ${teamId}`,
  suppressions: (teamId) => sql`select 1 from suppressions where team_id = ${teamId} and reason = 'MANUAL'`,
  apiKeys: (teamId) =>
    sql`select 1 from api_keys where team_id = ${teamId} and revoked_at is null
      and (expires_at is null or expires_at > now())`,
  sendPolicies: (teamId) => sql`select 1 from send_policies where team_id = ${teamId}`,
  webhooks: (teamId) => sql`select 1 from webhooks where team_id = ${teamId}`,
  members: (teamId) =>
    sql`select 1 from memberships where team_id = ${teamId} union all
      select 1 from invitations where team_id = ${teamId} and expires_at > now()`,
};

const NAMES: Record<LimitedNoun, string> = {
  domains: 'domains',
  mailboxes: 'mailboxes',
  drafts: 'drafts',
  contactBooks: 'contact books',
  contactImports: 'imports',
  segments: 'segments',
  topics: 'topics',
  forms: 'forms',
  templates: 'templates',
  media: 'images',
  campaigns: 'campaigns',
  automations: 'automations',
  feeds: 'feeds',
  suppressions: 'manually added suppressions',
  apiKeys: 'API keys',
  sendPolicies: 'send policies',
  webhooks: 'webhooks',
  members: 'members and invitations',
};

export async function createWithinLimit<Result>(
  db: Db,
  teamId: number,
  { noun, limits }: { noun: LimitedNoun; limits: TeamLimits },
  create: (trx: Db) => Promise<Result>,
): Promise<Result> {
  const limit = limits[noun];
  return inTransaction(db, async (trx) => {
    const created = await create(trx);
    await sql`select pg_advisory_xact_lock(${lockNumber(`limit of ${noun} ${teamId}`)}::bigint)`.execute(trx);
    const { rows } = await sql<{ count: number }>`
      select count(*)::integer as count from (${COUNTED_ROWS[noun](teamId)} limit ${limit + 1}) as counted
    `.execute(trx);
    if (rows[0]!.count > limit)
      throw badRequest(
        `Your team has reached the limit of ${limit} ${NAMES[noun]}. Delete one first, or ask the operator of this server to raise TEAM_LIMITS.`,
      );
    return created;
  });
}

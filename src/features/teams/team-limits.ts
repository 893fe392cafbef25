/**
 * How many of each noun a team may have (TEAM_LIMITS). A route that creates one declares `creates`, and the door calls
 * this around its handler, so that the limit is checked in one place and after everything else: a request that is
 * refused for another reason is told that reason.
 *
 * The new row is counted with the others before the transaction is committed, under a lock of the team and the noun:
 * of two that are created at the same time the second counts the first. What exists already and is only changed does
 * not raise the count. The counts read an index and stop at the limit.
 */
import { sql, type RawBuilder } from 'kysely';
import { inTransaction, lockNumber, type Db } from '../../platform/database.ts';
import { badRequest } from '../../platform/errors.ts';
import type { LimitedNoun, TeamLimits } from '../../platform/facts.ts';

type Rows = (teamId: number) => RawBuilder<unknown>;

/** One row for each that counts. */
const ROWS: Record<LimitedNoun, Rows> = {
  domains: (teamId) => sql`select 1 from domains where team_id = ${teamId}`,
  mailboxes: (teamId) => sql`select 1 from mailboxes where team_id = ${teamId}`,
  drafts: (teamId) =>
    sql`select 1 from messages where team_id = ${teamId} and direction = 'out' and email_id is null`,
  contactBooks: (teamId) => sql`select 1 from contact_books where team_id = ${teamId}`,
  contactImports: (teamId) =>
    sql`select 1 from contact_imports where team_id = ${teamId} and status <> 'UPLOADING'`,
  segments: (teamId) => sql`select 1 from segments where team_id = ${teamId}`,
  topics: (teamId) => sql`select 1 from topics where team_id = ${teamId}`,
  templates: (teamId) => sql`select 1 from templates where team_id = ${teamId}`,
  campaigns: (teamId) => sql`select 1 from campaigns where team_id = ${teamId} and deleted_at is null`,
  suppressions: (teamId) => sql`select 1 from suppressions where team_id = ${teamId} and reason = 'MANUAL'`,
  apiKeys: (teamId) =>
    sql`select 1 from api_keys where team_id = ${teamId} and revoked_at is null
      and (expires_at is null or expires_at > now())`,
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
  templates: 'templates',
  campaigns: 'campaigns',
  suppressions: 'suppressions that were added by hand',
  apiKeys: 'API keys',
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
      select count(*)::integer as count from (${ROWS[noun](teamId)} limit ${limit + 1}) as counted
    `.execute(trx);
    if (rows[0]!.count > limit)
      throw badRequest(
        `A team has at most ${limit} ${NAMES[noun]}. Delete one first, or ask the operator of this server to raise TEAM_LIMITS.`,
      );
    return created;
  });
}

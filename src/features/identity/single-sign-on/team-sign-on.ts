/** The settings of a team's provider, and the rule that people must use it. */
import { sql } from 'kysely';
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import { invalidField, notFound } from '../../../platform/errors.ts';
import type { Caller } from '../../api/caller.ts';
import type { Facts } from '../../instance/facts.ts';
import { openClient } from './oidc-client.ts';
import { isVerifiedBy, logoutUri, redirectUri, signOnBox } from './providers.ts';
import type { SignOn, SignOnInput } from './sign-on.schema.ts';

export async function putSignOn(
  db: Db,
  facts: Facts,
  teamId: number,
  caller: Caller,
  input: SignOnInput,
): Promise<SignOn> {
  const { issuer, clientId, clientSecret, domains, defaultRole, groupsClaim, groupRoles, required } = input;
  await openClient(facts, { issuer, clientId, clientSecret }, false).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    throw invalidField('issuer', `has no OpenID Connect configuration that can be read: ${reason}`);
  });
  return inTransaction(db, async (trx) => {
    await requireVerified(trx, teamId, domains);
    await sql`
      insert into team_sign_on (
        team_id, issuer, client_id, client_secret, domains, default_role, groups_claim, group_roles, required, by_owner
      ) values (
        ${teamId}, ${issuer}, ${clientId}, ${signOnBox(facts.secret).encrypt(Buffer.from(clientSecret))},
        ${domains}::text[], ${defaultRole}, ${groupsClaim}, ${JSON.stringify(groupRoles)}::jsonb, ${required},
        ${caller.person?.role === 'owner'}
      )
      on conflict (team_id) do update set
        issuer = excluded.issuer, client_id = excluded.client_id, client_secret = excluded.client_secret,
        domains = excluded.domains, default_role = excluded.default_role, groups_claim = excluded.groups_claim,
        group_roles = excluded.group_roles, required = excluded.required, by_owner = excluded.by_owner,
        updated_at = now()`.execute(trx);
    if (required) await endOtherSessions(trx, teamId, issuer);
    return getSignOn(trx, facts, teamId);
  });
}

async function requireVerified(trx: Db, teamId: number, domains: string[]): Promise<void> {
  for (const [index, domain] of domains.entries()) {
    const { rows } = await sql<{ found: boolean }>`
      select ${isVerifiedBy(teamId, domain)} as found`.execute(trx);
    if (!rows[0]!.found)
      throw invalidField(`domains/${index}`, 'must be a domain that is verified in this team');
  }
}

/** Ends the sessions of people who have not used the provider. Owners keep theirs, as a way in. */
async function endOtherSessions(trx: Db, teamId: number, issuer: string): Promise<void> {
  await sql`
    delete from sessions s using memberships m
    where s.team_id = ${teamId} and m.team_id = s.team_id and m.user_id = s.user_id and m.role <> 'owner'
      and s.issuer is distinct from ${issuer}`.execute(trx);
}

export async function getSignOn(db: Db, facts: Facts, teamId: number): Promise<SignOn> {
  const row = await db
    .selectFrom('team_sign_on')
    .selectAll()
    .where('team_id', '=', teamId)
    .executeTakeFirst();
  if (!row) throw notFound('Single sign-on');
  return {
    issuer: row.issuer,
    clientId: row.client_id,
    domains: row.domains,
    defaultRole: row.default_role,
    groupsClaim: row.groups_claim,
    groupRoles: row.group_roles as Record<string, 'admin' | 'member'>,
    required: row.required,
    redirectUri: redirectUri(facts, teamId),
    logoutUri: logoutUri(facts, teamId),
    updatedAt: row.updated_at.toISOString(),
  };
}

export async function deleteSignOn(db: Db, teamId: number): Promise<void> {
  const { numDeletedRows } = await db
    .deleteFrom('team_sign_on')
    .where('team_id', '=', teamId)
    .executeTakeFirst();
  if (Number(numDeletedRows) === 0) throw notFound('Single sign-on');
}

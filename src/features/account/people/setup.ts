/** A setup link creates a team's first owner. It works once, and only while the team has no owner. */
import { sql } from 'kysely';
import { sha256 } from '../../../platform/crypto.ts';
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import { conflict } from '../../../platform/errors.ts';
import { joinTeam } from './join-team.ts';
import { lockTeam } from './members.ts';
import type { SetupInput } from './people.schema.ts';
import type { NewSession } from './sessions.ts';
import { invalidLink, newToken } from './tokens.ts';

/** Returns the token of a new link. Earlier links keep working until the team has an owner. */
export async function createSetupLink(db: Db, teamId: number): Promise<string> {
  return inTransaction(db, async (trx) => {
    await lockTeam(trx, teamId);
    if (await hasOwner(trx, teamId)) {
      throw conflict('This team already has an owner. Ask an owner or admin for an invitation.');
    }
    const token = newToken();
    await trx
      .insertInto('setup_links')
      .values({ team_id: teamId, token_hash: sha256(token) })
      .execute();
    return token;
  });
}

export function setupUrl(baseUrl: string, token: string): string {
  return `${baseUrl}/setup?token=${token}`;
}

export async function setUpOwner(
  db: Db,
  instanceSecret: Buffer,
  { token, ...person }: SetupInput,
  ip: string,
): Promise<NewSession> {
  const tokenHash = sha256(token);
  const link = await db
    .selectFrom('setup_links')
    .select('team_id')
    .where('token_hash', '=', tokenHash)
    .executeTakeFirst();
  if (!link) throw invalidLink();
  return joinTeam(db, instanceSecret, { ...person, ip }, async (trx) => {
    const teamId = link.team_id;
    await lockTeam(trx, teamId);
    const { numAffectedRows } = await sql`
      delete from setup_links where team_id = ${teamId} and token_hash = ${tokenHash}`.execute(trx);
    if (Number(numAffectedRows) === 0 || (await hasOwner(trx, teamId))) throw invalidLink();
    // Once there is an owner, the team's other links are invalid too.
    await trx.deleteFrom('setup_links').where('team_id', '=', teamId).execute();
    return { teamId, role: 'owner' };
  });
}

/** Returns false on a new instance. */
export async function hasAccounts(db: Db): Promise<boolean> {
  const row = await db.selectFrom('users').select('id').limit(1).executeTakeFirst();
  return row !== undefined;
}

export async function hasOwner(db: Db, teamId: number): Promise<boolean> {
  const row = await db
    .selectFrom('memberships')
    .select('user_id')
    .where('team_id', '=', teamId)
    .where('role', '=', 'owner')
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

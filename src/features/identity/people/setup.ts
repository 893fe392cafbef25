/**
 * A setup link creates a team's first owner. It works once, and only while the team has no owner. The operator gives it
 * to someone, who types an address. So it proves the address only if the operator has named it, or if the team is the
 * first one, which runs the server.
 */
import { sql } from 'kysely';
import { sha256 } from '../../../platform/crypto.ts';
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import { conflict, invalidField } from '../../../platform/errors.ts';
import type { Visitor } from '../../api/caller.ts';
import type { PasskeyFacts } from '../webauthn/relying-party.ts';
import { joinTeam } from './join-team.ts';
import { lockTeam } from './members.ts';
import type { SetupInput } from './people.schema.ts';
import type { NewSession } from './sessions.ts';
import { invalidLink, newToken } from './tokens.ts';
import { emailKeyOf } from './users.ts';

/**
 * Returns the token of a new link, for one address if it is given. Earlier links keep working until the team has an
 * owner.
 */
export async function createSetupLink(db: Db, teamId: number, email?: string): Promise<string> {
  return inTransaction(db, async (trx) => {
    await lockTeam(trx, teamId);
    if (await hasOwner(trx, teamId)) {
      throw conflict('This team already has an owner. Ask an owner or admin for an invitation.');
    }
    const token = newToken();
    await sql`
      insert into setup_links (team_id, token_hash, email, email_key, proves)
      select ${teamId}, ${sha256(token)}, ${email ?? null}, ${email === undefined ? null : emailKeyOf(email)},
        ${email !== undefined} or ${teamId} = min(id)
      from teams`.execute(trx);
    return token;
  });
}

export function setupUrl(baseUrl: string, token: string): string {
  return `${baseUrl}/setup?token=${token}`;
}

export async function setUpOwner(
  db: Db,
  facts: PasskeyFacts,
  { token, ...person }: SetupInput,
  visitor: Visitor,
): Promise<NewSession> {
  const tokenHash = sha256(token);
  const link = await db
    .selectFrom('setup_links')
    .select(['team_id', 'email', 'email_key', 'proves'])
    .where('token_hash', '=', tokenHash)
    .executeTakeFirst();
  if (!link) throw invalidLink();
  if (link.email_key !== null && link.email_key !== emailKeyOf(person.email))
    throw invalidField('email', `must be ${link.email}, because this link is for that address`);
  const claim = async (trx: Db): Promise<{ teamId: number; role: 'owner' }> => {
    const teamId = link.team_id;
    await lockTeam(trx, teamId);
    const { numAffectedRows } = await sql`
      delete from setup_links where team_id = ${teamId} and token_hash = ${tokenHash}`.execute(trx);
    if (Number(numAffectedRows) === 0 || (await hasOwner(trx, teamId))) throw invalidLink();
    // Once there is an owner, the team's other links are invalid too.
    await trx.deleteFrom('setup_links').where('team_id', '=', teamId).execute();
    return { teamId, role: 'owner' };
  };
  return joinTeam(db, facts, { ...person, visitor }, { proves: link.proves, claim });
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

/**
 * An invitation to a team is a link for one address. It works once, within a week. It goes to the address alone, so
 * that accepting it proves the address. Only where that is impossible the inviter gets the link (choose-way.ts).
 */
import { sql } from 'kysely';
import { sha256 } from '../../../platform/crypto.ts';
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import { conflict, notFound } from '../../../platform/errors.ts';
import type { Facts } from '../../instance/facts.ts';
import { decodeId, encodeId, newUuid } from '../../../platform/ids.ts';
import type { CamelRow, Row } from '../../../platform/database/rows.ts';
import type { Caller, Visitor } from '../../api/caller.ts';
import { mailAccount } from './account-mail.ts';
import { chooseWay } from './choose-way.ts';
import type { PasskeyFacts } from '../webauthn/relying-party.ts';
import { joinTeam } from './join-team.ts';
import { requireOwner } from './members.ts';
import type { CreatedInvitation, Invitation, InvitationInput } from './members.schema.ts';
import type { AcceptInput } from './people.schema.ts';
import type { NewSession } from './sessions.ts';
import { countInvitation } from './throttle.ts';
import { invalidLink, newToken } from './tokens.ts';
import { emailKeyOf } from './users.ts';

const VALID_DAYS = 7;
const COLUMNS = ['id', 'email', 'role', 'expires_at', 'created_at'] as const;

type InvitationRow = Row<'invitations', 'id' | 'email' | 'role' | 'expires_at' | 'created_at'>;

/** Inviting an address again creates a new link and invalidates the old one. */
export async function createInvitation(
  db: Db,
  teamId: number,
  caller: Caller,
  facts: Facts,
  { email, role }: InvitationInput,
): Promise<CreatedInvitation> {
  if (role === 'owner') requireOwner(caller);
  const emailKey = emailKeyOf(email);
  const member = await db
    .selectFrom('memberships as m')
    .innerJoin('users as u', 'u.id', 'm.user_id')
    .select('u.id')
    .where('m.team_id', '=', teamId)
    .where('u.email_key', '=', emailKey)
    .executeTakeFirst();
  if (member) throw conflict('This address is already in the team.');
  const token = newToken();
  const way = await chooseWay(db, facts, teamId, email);
  if (way.sender !== null) await countInvitation(db, teamId, emailKey);
  const link = `${facts.baseUrl}/invitation?token=${token}`;
  const row = await inTransaction(db, async (trx) => {
    const { rows } = await sql<InvitationRow>`
    insert into invitations (team_id, id, email, email_key, role, token_hash, proves, invited_by, expires_at)
    values (
      ${teamId}, ${newUuid()}, ${email}, ${emailKey}, ${role}, ${sha256(token)}, ${way.proves}, ${caller.by},
      now() + make_interval(days => ${VALID_DAYS})
    )
    on conflict (team_id, email_key) do update set
      email = excluded.email, role = excluded.role, token_hash = excluded.token_hash,
      proves = excluded.proves,
      invited_by = excluded.invited_by, expires_at = excluded.expires_at, created_at = now()
    returning id, email, role, expires_at, created_at
  `.execute(trx);
    if (way.sender !== null) await mailInvitation(trx, teamId, way.sender, email, link);
    return rows[0]!;
  });
  const mailed = way.sender !== null;
  if (mailed) facts.wakeDeliveryWorkers();
  return { ...present(row), link: way.isShown ? link : null, mailed, notMailedBecause: way.notMailedBecause };
}

async function mailInvitation(
  db: Db,
  teamId: number,
  sender: number,
  email: string,
  link: string,
): Promise<void> {
  const { name: team } = await db
    .selectFrom('teams')
    .select('name')
    .where('id', '=', teamId)
    .executeTakeFirstOrThrow();
  await mailAccount(db, sender, email, {
    subject: `Join ${team}`,
    lead: `You have been invited to join ${team} on Posthorn.`,
    action: `Join ${team}`,
    url: link,
    foot: `The link works once and expires in ${VALID_DAYS} days. If you do not know ${team}, ignore this email.`,
  });
}

/** Lists the newest first, including expired invitations. */
export async function listInvitations(db: Db, teamId: number): Promise<Invitation[]> {
  const rows = await db
    .selectFrom('invitations')
    .select(COLUMNS)
    .where('team_id', '=', teamId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute();
  return rows.map(present);
}

export async function withdrawInvitation(db: Db, teamId: number, invitationId: string): Promise<void> {
  const id = decodeId('inv', invitationId);
  const row =
    id &&
    (await db
      .deleteFrom('invitations')
      .where('team_id', '=', teamId)
      .where('id', '=', id)
      .returning('id')
      .executeTakeFirst());
  if (!row) throw notFound('Invitation');
}

/** Returns what the page behind the link shows. It does not depend on whether the address has an account. */
export async function showInvitation(
  db: Db,
  token: string,
): Promise<{ email: string; teamName: string; proves: boolean }> {
  return findInvitation(db, token);
}

export async function acceptInvitation(
  db: Db,
  facts: PasskeyFacts,
  { token, ...person }: AcceptInput,
  visitor: Visitor,
): Promise<NewSession> {
  const { email, proves } = await findInvitation(db, token);
  const claim = async (trx: Db) => {
    const { rows } = await sql<CamelRow<'invitations', 'team_id' | 'role'>>`
      delete from invitations where token_hash = ${sha256(token)} and expires_at > now()
      returning team_id as "teamId", role`.execute(trx);
    if (!rows[0]) throw invalidLink();
    return rows[0];
  };
  return joinTeam(db, facts, { ...person, email, visitor }, { proves, claim });
}

async function findInvitation(db: Db, token: string) {
  const { rows } = await sql<{
    email: Row<'invitations'>['email'];
    teamName: Row<'teams'>['name'];
    proves: Row<'invitations'>['proves'];
  }>`
    select i.email, t.name as "teamName", i.proves
    from invitations i join teams t on t.id = i.team_id
    where i.token_hash = ${sha256(token)} and i.expires_at > now()`.execute(db);
  if (!rows[0]) throw invalidLink();
  return rows[0];
}

function present(row: InvitationRow): Invitation {
  return {
    id: encodeId('inv', row.id),
    email: row.email,
    role: row.role,
    expiresAt: row.expires_at.toISOString(),
    createdAt: row.created_at.toISOString(),
  };
}

/** A session belongs to one of the person's teams and expires 30 days after its last use. */
import { sql } from 'kysely';
import { sha256 } from '../../../platform/crypto.ts';
import type { Db } from '../../../platform/database/database.ts';
import { AppError, notFound } from '../../../platform/errors.ts';
import { decodeId, encodeId, newUuid } from '../../../platform/ids.ts';
import type { Person, Visitor } from '../../api/caller.ts';
import { recordAudit } from '../../audit/record-audit.ts';
import { dropUsedChallenges } from '../webauthn/challenges.ts';
import { dropOldPlaces, rememberPlace } from './known-places.ts';
import { interfaceLanguage, type OwnTeams, type SignInSession } from './people.schema.ts';
import { isOpenTo, requireOpenTeam } from './required-sign-on.ts';
import { newToken } from './tokens.ts';

export const SESSION_DAYS = 30;

export interface NewSession {
  /** The cookie's secret. Only its hash is stored. */
  token: string;
  /** The secret of the cookie by which the browser is known. */
  device: string;
  session: SignInSession;
}

/** What a session that a provider began is known by. */
interface SessionIdentity {
  issuer: string;
  subject: string;
  providerSession: string | null;
  /** The provider of a team must not open the other teams of a person. */
  onlyTeam: boolean;
}

interface SessionStart {
  /** Null for a sign-in without a provider. */
  identity?: SessionIdentity | null;
  /** The passkey that was used, alone or after the password. */
  passkeyUuid?: string | null;
  withPassword?: boolean;
}

/** The user must be a member of the team. */
export async function beginSession(
  db: Db,
  secret: Buffer,
  teamId: number,
  userUuid: string,
  visitor: Visitor,
  { identity = null, passkeyUuid = null, withPassword = false }: SessionStart = {},
): Promise<NewSession> {
  if (!identity?.onlyTeam) await requireOpenTeam(db, teamId, userUuid);
  const token = newToken();
  await sql`
    insert into sessions
      (team_id, id, user_id, token_hash, issuer, subject, provider_session, only_team, expires_at)
    values (
      ${teamId}, ${newUuid()}, ${userUuid}, ${sha256(token)}, ${identity?.issuer ?? null}, ${identity?.subject ?? null},
      ${identity?.providerSession ?? null}, ${identity?.onlyTeam ?? false},
      now() + make_interval(days => ${SESSION_DAYS})
    )
  `.execute(db);
  const device = await rememberPlace(db, userUuid, visitor);
  await recordAudit(db, secret, teamId, {
    actor: { kind: 'person', id: encodeId('usr', userUuid), ip: visitor.ip },
    action: 'session.started',
    target: encodeId('usr', userUuid),
    ...(passkeyUuid === null ? {} : { after: { passkeyId: encodeId('pky', passkeyUuid), withPassword } }),
    ...(identity === null ? {} : { after: { issuer: identity.issuer } }),
    requestId: visitor.requestId,
  });
  return { token, device, session: await readSession(db, teamId, userUuid) };
}

export async function getSession(db: Db, teamId: number, { userId }: Person): Promise<SignInSession> {
  return readSession(db, teamId, decodeId('usr', userId)!);
}

/**
 * Locks the session of the caller and rejects it if it has ended since the request began. For what outlives the
 * session, such as an app password.
 */
export async function requireSession(trx: Db, { sessionId }: Person): Promise<void> {
  const { rows } = await sql`
    select from sessions where id = ${decodeId('ses', sessionId)} for key share`.execute(trx);
  if (rows.length === 0) throw sessionExpired();
}

/**
 * For changes to how the person signs in. A session that the provider of a team began opens that team alone: whoever runs
 * the provider could begin one for another person, and must not get into their other teams.
 */
export async function requireWholeSession(db: Db, { sessionId }: Person): Promise<void> {
  const { rows } = await sql`
    select from sessions where id = ${decodeId('ses', sessionId)} and not only_team`.execute(db);
  if (rows.length === 0)
    throw new AppError(
      'FORBIDDEN',
      'You signed in with the provider of your team, which cannot change how you sign in. Sign in with your password or a passkey first.',
    );
}

function sessionExpired(): AppError {
  return new AppError('UNAUTHORIZED', 'Your session has expired. Sign in again.');
}

async function readSession(db: Db, teamId: number, userUuid: string): Promise<SignInSession> {
  const row = await db
    .selectFrom('memberships as m')
    .innerJoin('users as u', 'u.id', 'm.user_id')
    .innerJoin('teams as t', 't.id', 'm.team_id')
    .select(['u.id', 'u.email', 'u.name', 'u.totp_enabled', 'u.proven_at', 'u.language', 'u.created_at'])
    .select(['m.role', 't.name as team_name'])
    .where('m.team_id', '=', teamId)
    .where('m.user_id', '=', userUuid)
    .executeTakeFirst();
  if (!row) throw sessionExpired();
  return {
    user: {
      id: encodeId('usr', row.id),
      email: row.email,
      name: row.name,
      totpEnabled: row.totp_enabled,
      proven: row.proven_at !== null,
      // A language that this version does not have counts as none.
      language: interfaceLanguage.safeParse(row.language).data ?? null,
      createdAt: row.created_at.toISOString(),
    },
    team: { id: teamId, name: row.team_name },
    role: row.role,
  };
}

export async function endSession(db: Db, teamId: number, { sessionId }: Person): Promise<void> {
  await db
    .deleteFrom('sessions')
    .where('team_id', '=', teamId)
    .where('id', '=', decodeId('ses', sessionId))
    .execute();
}

/** Ends a person's sessions in every team, except `exceptSessionId`. */
export async function endAllSessions(db: Db, userUuid: string, exceptSessionId?: string): Promise<void> {
  const kept = exceptSessionId === undefined ? null : decodeId('ses', exceptSessionId);
  await db
    .deleteFrom('sessions')
    .where('user_id', '=', userUuid)
    .$if(kept !== null, (query) => query.where('id', '<>', kept))
    .execute();
}

export async function signOutEverywhere(db: Db, { userId }: Person): Promise<void> {
  await endAllSessions(db, decodeId('usr', userId)!);
}

export async function listOwnTeams(db: Db, { userId }: Person): Promise<OwnTeams['items']> {
  const rows = await db
    .selectFrom('memberships as m')
    .innerJoin('teams as t', 't.id', 'm.team_id')
    .select(['t.id', 't.name', 'm.role'])
    .where('m.user_id', '=', decodeId('usr', userId))
    .orderBy('t.id')
    .execute();
  return rows.map(({ id, name, role }) => ({ id, name, role }));
}

/** Moves the session to another of the person's teams. */
export async function switchTeam(
  db: Db,
  teamId: number,
  person: Person,
  toTeamId: number,
): Promise<SignInSession> {
  const userUuid = decodeId('usr', person.userId)!;
  const { numAffectedRows } = await sql`
    update sessions set team_id = ${toTeamId}
    where team_id = ${teamId} and id = ${decodeId('ses', person.sessionId)} and (not only_team or team_id = ${toTeamId})
      and exists (select from memberships m where m.team_id = ${toTeamId} and m.user_id = ${userUuid} and ${isOpenTo('m')})
  `.execute(db);
  if (Number(numAffectedRows) === 0) throw await whyNotSwitched(db, toTeamId, userUuid);
  return readSession(db, toTeamId, userUuid);
}

async function whyNotSwitched(db: Db, teamId: number, userUuid: string): Promise<AppError> {
  const { rows } = await sql`
    select from memberships where team_id = ${teamId} and user_id = ${userUuid}`.execute(db);
  if (rows.length === 0) return notFound('Team');
  return new AppError('FORBIDDEN', 'This sign-in is for another team. Sign out, then sign in to that team.');
}

/** The worker runs this periodically. Expired rows are already ignored; deleting them only frees space. */
export async function dropExpiredSessions(db: Db): Promise<void> {
  await sql`delete from sessions where expires_at < now()`.execute(db);
  await sql`delete from password_resets where expires_at < now()`.execute(db);
  await sql`delete from sign_in_failures where window_ends_at < now()`.execute(db);
  await dropUsedChallenges(db);
  await dropOldPlaces(db);
}

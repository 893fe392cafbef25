/**
 * Finds the account of a person whom a provider has named. A person is an issuer and a subject. The address alone opens
 * an account only where the provider says that it is verified, and its domain is verified here: for a team's provider by
 * that team. Otherwise the person signs in with a password first, and links the identity in the settings.
 */
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { parseAddress } from '../../../mail/mime/address.ts';
import type { Db } from '../../../platform/database/database.ts';
import { AppError, conflict } from '../../../platform/errors.ts';
import { decodeId, encodeId, newUuid } from '../../../platform/ids.ts';
import type { Row } from '../../../platform/database/rows.ts';
import type { Visitor } from '../../api/caller.ts';
import type { Role } from '../../api/roles.ts';
import { AUDITED } from '../../audit/actions.ts';
import { recordAudit } from '../../audit/record-audit.ts';
import type { Facts } from '../../instance/facts.ts';
import { lockTeam } from '../people/members.ts';
import { hashPassword } from '../people/passwords.ts';
import { adoptWaiting, proveAddress } from '../people/prove-address.ts';
import { recordJoined } from '../people/record-joined.ts';
import { findTeamOf } from '../people/sign-in.ts';
import { findUserByEmail } from '../people/users.ts';
import { domainOf, type Provider } from './providers.ts';

export interface Claims {
  subject: string;
  email: string | null;
  isVerified: boolean;
  name: string | null;
  groups: string[];
  sessionId: string | null;
}

interface Found {
  userUuid: string;
  teamId: number;
}

const MAX_NAME = 200;
const RANK: readonly Role[] = ['member', 'admin'];

/** How a person comes, for the audit log. `secret` is that of the instance. */
interface Coming {
  secret: Buffer;
  visitor: Visitor;
}

export async function resolvePerson(
  trx: Db,
  coming: Coming,
  provider: Provider,
  claims: Claims,
): Promise<Found> {
  const known = await useIdentity(trx, provider, claims);
  const vouched = known === null ? await findVouchedTeam(trx, provider, claims) : null;
  const userUuid = known ?? (await openByAddress(trx, provider, claims, vouched!));
  if (provider.teamId !== null) {
    await join(trx, coming, { ...provider, teamId: provider.teamId }, userUuid, claims);
    return { userUuid, teamId: provider.teamId };
  }
  if (vouched !== null) await joinIfAlone(trx, coming, provider, vouched, userUuid);
  const teamId = await findTeamOf(trx, userUuid);
  if (teamId === undefined) throw unknownPerson();
  return { userUuid, teamId };
}

/** The user whom this identity belongs to, or null. */
async function useIdentity(
  trx: Db,
  { issuer }: Provider,
  { subject, email }: Claims,
): Promise<string | null> {
  const { rows } = await sql<Row<'identities', 'user_id'>>`
    update identities set last_used_at = now(), email = coalesce(${email}, email)
    where issuer = ${issuer} and subject = ${subject} returning user_id`.execute(trx);
  return rows[0]?.user_id ?? null;
}

/** The team that has verified the domain of the address. Throws if the provider cannot vouch for the address. */
async function findVouchedTeam(trx: Db, { domains, teamId }: Provider, claims: Claims): Promise<number> {
  const { email, isVerified } = claims;
  if (email === null || parseAddress(email) === null || !isVerified) throw unknownPerson();
  const domain = domainOf(email);
  if (domains !== null) {
    if (!domains.includes(domain)) throw unknownPerson();
    return teamId!;
  }
  const { rows } = await sql<Row<'domains', 'team_id'>>`
    select team_id from domains where name = ${domain} and status = 'SUCCESS' and held limit 1`.execute(trx);
  if (!rows[0]) throw unknownPerson();
  return rows[0].team_id;
}

/** Links the account with the address, or makes a new one. */
async function openByAddress(trx: Db, provider: Provider, claims: Claims, teamId: number): Promise<string> {
  const email = claims.email!;
  const existing = await findUserByEmail(trx, parseAddress(email)!.key);
  if (existing && !provider.opensOwners && (await roleIn(trx, teamId, existing.id)) === 'owner')
    throw unknownPerson();
  if (existing) await refuseAnotherPerson(trx, provider, existing.id);
  let userUuid = existing?.id ?? newUuid();
  if (!existing) await createUser(trx, userUuid, email, claims.name);
  else if (existing.proven_at === null) {
    // Whoever made the account has not shown that the address is theirs, so their password must not open it.
    ({ userUuid } = await proveAddress(trx, existing.id));
    await trx
      .updateTable('users')
      .set({ password_hash: await unusablePassword(), has_password: false })
      .where('id', '=', userUuid)
      .execute();
  }
  await insertIdentity(trx, provider, claims, userUuid);
  return userUuid;
}

/** Addresses are given to new people. Whoever has the account of this address is somebody else for the provider. */
async function refuseAnotherPerson(trx: Db, { issuer }: Provider, userUuid: string): Promise<void> {
  const { rows } = await sql`
    select from identities where issuer = ${issuer} and user_id = ${userUuid} limit 1`.execute(trx);
  if (rows.length > 0)
    throw new AppError(
      'FORBIDDEN',
      'The account with your address belongs to another person at your provider. Ask an owner to remove that person from the team, then sign in again.',
    );
}

async function insertIdentity(
  trx: Db,
  { issuer }: Provider,
  claims: Claims,
  userUuid: string,
): Promise<void> {
  const { subject, email } = claims;
  await trx.insertInto('identities').values({ issuer, subject, user_id: userUuid, email }).execute();
}

async function createUser(trx: Db, userUuid: string, email: string, name: string | null): Promise<void> {
  const { key } = parseAddress(email)!;
  await trx
    .insertInto('users')
    .values({
      id: userUuid,
      email,
      email_key: key,
      name: (name ?? email.slice(0, email.lastIndexOf('@'))).slice(0, MAX_NAME).toWellFormed(),
      password_hash: await unusablePassword(),
      has_password: false,
      proven_at: sql`now()`,
    })
    .execute();
  await adoptWaiting(trx, userUuid);
}

/** Nobody knows it. The person can set another one by a link to the address. */
function unusablePassword(): Promise<string> {
  return hashPassword(randomBytes(32).toString('base64url'));
}

/** Adds the person to the team of the provider, and gives them the role of their groups. */
async function join(
  trx: Db,
  { secret, visitor }: Coming,
  provider: Provider & { teamId: number },
  userUuid: string,
  { groups, email, isVerified }: Claims,
): Promise<void> {
  const { teamId, issuer } = provider;
  await lockTeam(trx, teamId);
  const current = await roleIn(trx, teamId, userUuid);
  if (current === 'owner') return;
  const ofGroups = groups
    .map((group) => (Object.hasOwn(provider.groupRoles, group) ? provider.groupRoles[group]! : null))
    .filter((role) => role !== null)
    .toSorted((a, b) => RANK.indexOf(b) - RANK.indexOf(a))[0];
  const invited = current ? null : await takeInvitation(trx, teamId, isVerified ? email : null);
  const hasGroups = Object.keys(provider.groupRoles).length > 0;
  const role = ofGroups ?? invited ?? (hasGroups || !current ? provider.defaultRole : current);
  if (role === null)
    throw new AppError('FORBIDDEN', 'You are in none of the groups that may use this team. Ask an owner.');
  await sql`
    insert into memberships (team_id, user_id, role) values (${teamId}, ${userUuid}, ${role})
    on conflict (team_id, user_id) do update set role = excluded.role
    where memberships.role <> excluded.role`.execute(trx);
  if (current === null) await recordJoined(trx, secret, { teamId, userUuid, role, visitor, issuer });
  else if (current !== role) {
    const id = encodeId('usr', userUuid);
    await recordAudit(trx, secret, teamId, {
      actor: { kind: 'person', id, ip: visitor.ip },
      action: AUDITED.changeRole!,
      target: id,
      before: { role: current },
      after: { role, issuer },
      requestId: visitor.requestId,
    });
  }
}

/** An invitation of an owner does not make an owner here, because others may have chosen the provider. */
async function takeInvitation(trx: Db, teamId: number, email: string | null): Promise<Role | null> {
  if (email === null) return null;
  const { rows } = await sql<Row<'invitations', 'role'>>`
    delete from invitations where team_id = ${teamId} and email_key = ${parseAddress(email)?.key ?? ''}
    returning role`.execute(trx);
  const role = rows[0]?.role ?? null;
  return role === 'owner' ? 'admin' : role;
}

/** Adds a person without a team to the team that has verified the domain of the address. */
async function joinIfAlone(
  trx: Db,
  { secret, visitor }: Coming,
  { issuer }: Provider,
  teamId: number,
  userUuid: string,
): Promise<void> {
  const { numAffectedRows } = await sql`
    insert into memberships (team_id, user_id, role) select ${teamId}, ${userUuid}, 'member'
    where not exists (select from memberships where user_id = ${userUuid})`.execute(trx);
  if (Number(numAffectedRows) > 0)
    await recordJoined(trx, secret, { teamId, userUuid, role: 'member', visitor, issuer });
}

async function roleIn(trx: Db, teamId: number, userUuid: string): Promise<Role | null> {
  const row = await trx
    .selectFrom('memberships')
    .select('role')
    .where('team_id', '=', teamId)
    .where('user_id', '=', userUuid)
    .executeTakeFirst();
  return row?.role ?? null;
}

function unknownPerson(): AppError {
  return new AppError(
    'FORBIDDEN',
    'No account here belongs to you yet. If you have one, sign in with its password and link this sign-in under Settings. Otherwise ask for an invitation.',
  );
}

/** Links an identity to the account of a person who is signed in. */
export async function linkIdentity(
  trx: Db,
  { secret }: Facts,
  {
    userId,
    provider,
    claims,
    visitor,
  }: { userId: string; provider: Provider; claims: Claims; visitor: Visitor },
): Promise<void> {
  const userUuid = decodeId('usr', userId)!;
  const owner = await useIdentity(trx, provider, claims);
  if (owner !== null && owner !== userUuid) throw conflict('This sign-in belongs to another account.');
  if (owner === null) await insertIdentity(trx, provider, claims, userUuid);
  const teamId = provider.teamId ?? (await findTeamOf(trx, userUuid));
  if (teamId !== undefined && owner === null)
    await recordAudit(trx, secret, teamId, {
      actor: { kind: 'person', id: userId, ip: visitor.ip },
      action: 'identity.linked',
      target: userId,
      after: { issuer: provider.issuer },
      requestId: visitor.requestId,
    });
}

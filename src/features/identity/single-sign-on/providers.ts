/** The OpenID Connect providers: one of the instance, from the settings, and one of each team. */
import { sql, type RawBuilder } from 'kysely';
import { createSecretBox, type SecretBox } from '../../../platform/crypto.ts';
import type { Db } from '../../../platform/database/database.ts';
import type { CamelRow } from '../../../platform/database/rows.ts';
import type { Role } from '../../api/roles.ts';
import type { Facts } from '../../instance/facts.ts';

export interface ClientSettings {
  issuer: string;
  clientId: string;
  clientSecret: string;
}

export interface Provider extends ClientSettings {
  /** Null for the provider of the instance. */
  teamId: number | null;
  /** The domains whose addresses it vouches for. Null: every domain that is verified here. */
  domains: readonly string[] | null;
  defaultRole: Role | null;
  groupsClaim: string | null;
  groupRoles: Readonly<Record<string, Role>>;
  /** Whether it opens accounts of owners by their address. */
  opensOwners: boolean;
}

export const SIGN_ON_PATH = '/sso/';

export function signOnBox(secret: Buffer): SecretBox {
  return createSecretBox(secret, 'client secrets of single sign-on');
}

/** Each provider has an address of its own, so that one cannot pass on the response of another. */
export function redirectUri({ baseUrl }: Pick<Facts, 'baseUrl'>, teamId: number | null): string {
  return `${baseUrl}${SIGN_ON_PATH}callback${teamId === null ? '' : `/${teamId}`}`;
}

export function logoutUri({ baseUrl }: Pick<Facts, 'baseUrl'>, teamId: number | null): string {
  return `${baseUrl}${SIGN_ON_PATH}logout${teamId === null ? '' : `/${teamId}`}`;
}

function instanceProvider({ oidc }: Pick<Facts, 'oidc'>): Provider | null {
  if (!oidc) return null;
  return {
    ...oidc,
    teamId: null,
    domains: null,
    defaultRole: 'member',
    groupsClaim: null,
    groupRoles: {},
    opensOwners: true,
  };
}

export async function findProvider(db: Db, facts: Facts, teamId: number | null): Promise<Provider | null> {
  return teamId === null ? instanceProvider(facts) : teamProvider(db, facts, teamId);
}

/** The provider of the team that has verified the domain of the address, otherwise that of the instance. */
export async function findProviderOf(db: Db, facts: Facts, email: string): Promise<Provider | null> {
  const domain = domainOf(email);
  const { rows } = await sql<CamelRow<'team_sign_on', 'team_id'>>`
    select s.team_id as "teamId" from team_sign_on s
    where ${domain} = any (s.domains) and ${isVerifiedBy(sql`s.team_id`, domain)} limit 1`.execute(db);
  return rows[0] ? teamProvider(db, facts, rows[0].teamId) : instanceProvider(facts);
}

export function domainOf(email: string): string {
  return email.slice(email.lastIndexOf('@') + 1).toLowerCase();
}

export function isVerifiedBy(teamId: number | RawBuilder<unknown>, domain: string): RawBuilder<boolean> {
  return sql<boolean>`exists (
    select from domains d where d.team_id = ${teamId} and d.name = ${domain} and d.status = 'SUCCESS'
  )`;
}

async function teamProvider(db: Db, { secret }: Facts, teamId: number): Promise<Provider | null> {
  const row = await db
    .selectFrom('team_sign_on')
    .selectAll()
    .where('team_id', '=', teamId)
    .executeTakeFirst();
  if (!row) return null;
  const verified = await db
    .selectFrom('domains')
    .select('name')
    .where('team_id', '=', teamId)
    .where('status', '=', 'SUCCESS')
    .where('name', 'in', row.domains.length > 0 ? row.domains : [''])
    .execute();
  return {
    issuer: row.issuer,
    clientId: row.client_id,
    clientSecret: signOnBox(secret).decrypt(row.client_secret).toString('utf8'),
    teamId,
    domains: verified.map(({ name }) => name),
    defaultRole: row.default_role,
    groupsClaim: row.groups_claim,
    groupRoles: row.group_roles as Record<string, Role>,
    opensOwners: row.by_owner,
  };
}

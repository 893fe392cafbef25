/**
 * Grants: what a person lets an application do (OAuth 2.1). A grant is an API key of the kind `agent`, made by the person,
 * so it has a send policy and never more rights than the person. The secret of that key never leaves the server: the
 * application has tokens instead, which work at the MCP door alone. Access tokens live an hour. A refresh token works
 * once, and using one twice ends the grant (RFC 9700 section 4.14.2), as does using a code twice.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { sql } from 'kysely';
import { deriveKey, sha256 } from '../../../platform/crypto.ts';
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import type { Row } from '../../../platform/database/rows.ts';
import { decodeId, encodeId, newUuid, toBase32 } from '../../../platform/ids.ts';
import type { Caller } from '../../api/caller.ts';
import type { Scope } from '../../api/scopes.ts';
import { AUDITED } from '../../audit/actions.ts';
import { recordAudit } from '../../audit/record-audit.ts';
import { createApiKey } from '../api-keys/api-keys.ts';

const CODE_MINUTES = 5;
export const ACCESS_SECONDS = 3_600;
const REFRESH_DAYS = 30;

export interface Consent {
  client: { id: string; name: string };
  scopes: Scope[];
  policyId: string;
  /** UUIDs. Null: all that are open to the team. */
  mailboxKeys: string[] | null;
  redirectUri: string;
  codeChallenge: string;
}

export interface Tokens {
  accessToken: string;
  refreshToken: string;
  scopes: string[];
}

const newToken = (prefix: string) => `${prefix}_${toBase32(randomBytes(32))}`;
const CODE = 'phc';
const ACCESS = 'pha';
const REFRESH = 'phr';

/** The secret of the API key of a grant. */
function keyOf(secret: Buffer, seed: string): string {
  const mac = createHmac('sha256', deriveKey(secret, 'oauth grants')).update(seed).digest();
  return `phg_${toBase32(mac)}`;
}

/** Returns the authorization code and the ID of the key. The key ends with the code unless the code is exchanged. */
export async function createGrant(
  db: Db,
  secret: Buffer,
  caller: Caller,
  consent: Consent,
): Promise<{ code: string; keyId: string }> {
  const code = newToken(CODE);
  const seed = newUuid();
  const { client, scopes, policyId, mailboxKeys, redirectUri, codeChallenge } = consent;
  return inTransaction(db, async (trx) => {
    const input = { name: client.name, scopes, kind: 'agent' as const, policyId, client: client.id };
    const bound = mailboxKeys === null ? {} : { mailboxKeys };
    const { id } = await createApiKey(
      trx,
      caller.teamId,
      { ...input, ...bound },
      { maker: caller, key: keyOf(secret, seed) },
    );
    const keyId = decodeId('key', id)!;
    const until = sql<Date>`now() + make_interval(mins => ${CODE_MINUTES})`;
    await trx
      .updateTable('api_keys')
      .set({ expires_at: until })
      .where('team_id', '=', caller.teamId)
      .where('id', '=', keyId)
      .execute();
    await trx
      .insertInto('oauth_grants')
      .values({
        team_id: caller.teamId,
        key_id: keyId,
        seed,
        client_id: client.id,
        code_hash: sha256(code),
        code_until: until,
        code_challenge: codeChallenge,
        redirect_uri: redirectUri,
      })
      .execute();
    await trx
      .updateTable('oauth_clients')
      .set({ used_at: sql`now()` })
      .where('id', '=', client.id)
      .execute();
    return { code, keyId: id };
  });
}

/** Who uses a token of a grant. `secret` is that of the instance. */
export interface GrantUser {
  secret: Buffer;
  ip: string;
  requestId: string;
}

/** Null if the code does not work. */
export async function exchangeCode(
  db: Db,
  user: GrantUser,
  input: { code: string; clientId: string; redirectUri: string | null; verifier: string },
): Promise<Tokens | null> {
  return inTransaction(db, async (trx) => {
    const grant = await trx
      .selectFrom('oauth_grants')
      .select([
        'team_id',
        'key_id',
        'client_id',
        'redirect_uri',
        'code_challenge',
        'code_used_at',
        'expires_at',
      ])
      .select(sql<boolean>`code_until > now()`.as('is_fresh'))
      .where('code_hash', '=', sha256(input.code))
      .forUpdate()
      .executeTakeFirst();
    if (!grant || grant.client_id !== input.clientId) return null;
    if (grant.code_used_at !== null) {
      await endGrant(trx, user, grant, 'a code was used twice');
      return null;
    }
    // OAuth 2.1 clients do not repeat it: the verifier proves that the code is theirs.
    const isSameTarget = input.redirectUri === null || grant.redirect_uri === input.redirectUri;
    const isMeant = isSameTarget && isProven(grant.code_challenge, input.verifier);
    if (!grant.is_fresh || !isMeant) return null;
    await trx
      .updateTable('oauth_grants')
      .set({ code_used_at: sql`now()` })
      .where('team_id', '=', grant.team_id)
      .where('key_id', '=', grant.key_id)
      .execute();
    const kept = await trx
      .updateTable('api_keys')
      .set({ expires_at: grant.expires_at })
      .where('team_id', '=', grant.team_id)
      .where('id', '=', grant.key_id)
      .where('revoked_at', 'is', null)
      .returning('scopes')
      .executeTakeFirst();
    return kept ? issue(trx, grant, kept.scopes ?? []) : null;
  });
}

function isProven(challenge: string, verifier: string): boolean {
  const made = Buffer.from(sha256(verifier).toString('base64url'));
  const given = Buffer.from(challenge);
  return made.length === given.length && timingSafeEqual(made, given);
}

/** Null if the token does not work. */
export async function refreshTokens(
  db: Db,
  user: GrantUser,
  { refreshToken, clientId }: { refreshToken: string; clientId: string },
): Promise<Tokens | null> {
  return inTransaction(db, async (trx) => {
    const { rows } = await sql<GrantRef & Row<'api_keys', 'scopes'> & { used: boolean; live: boolean }>`
      select t.team_id, t.key_id, t.used_at is not null as used, k.scopes,
        t.expires_at > now() and k.revoked_at is null and (k.expires_at is null or k.expires_at > now()) as live
      from oauth_tokens t
      join oauth_grants g on g.team_id = t.team_id and g.key_id = t.key_id
      join api_keys k on k.team_id = t.team_id and k.id = t.key_id
      where t.token_hash = ${sha256(refreshToken)} and t.kind = 'refresh' and g.client_id = ${clientId}
      for update of t
    `.execute(trx);
    const [found] = rows;
    if (!found) return null;
    if (found.used) {
      await endGrant(trx, user, found, 'a refresh token was used twice');
      return null;
    }
    if (!found.live) return null;
    await trx
      .updateTable('oauth_tokens')
      .set({ used_at: sql`now()` })
      .where('token_hash', '=', sha256(refreshToken))
      .execute();
    await trx
      .deleteFrom('oauth_tokens')
      .where('team_id', '=', found.team_id)
      .where('key_id', '=', found.key_id)
      .where('expires_at', '<', sql<Date>`now()`)
      .execute();
    return issue(trx, found, found.scopes ?? []);
  });
}

type GrantRef = Row<'oauth_tokens', 'team_id' | 'key_id'>;

async function issue(trx: Db, { team_id, key_id }: GrantRef, scopes: string[]): Promise<Tokens> {
  const accessToken = newToken(ACCESS);
  const refreshToken = newToken(REFRESH);
  const lifetimes = [
    { token: accessToken, kind: 'access' as const, seconds: ACCESS_SECONDS },
    { token: refreshToken, kind: 'refresh' as const, seconds: REFRESH_DAYS * 24 * 3_600 },
  ];
  await trx
    .insertInto('oauth_tokens')
    .values(
      lifetimes.map(({ token, kind, seconds }) => ({
        token_hash: sha256(token),
        team_id,
        key_id,
        kind,
        expires_at: sql<Date>`now() + make_interval(secs => ${seconds})`,
      })),
    )
    .execute();
  return { accessToken, refreshToken, scopes };
}

/** Why a grant ends, as the audit log says it. */
type End = 'by the application' | 'a code was used twice' | 'a refresh token was used twice';

async function endGrant(
  trx: Db,
  { secret, ip, requestId }: GrantUser,
  { team_id, key_id }: GrantRef,
  reason: End,
): Promise<void> {
  const { numUpdatedRows } = await trx
    .updateTable('api_keys')
    .set({ revoked_at: sql`now()` })
    .where('team_id', '=', team_id)
    .where('id', '=', key_id)
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
  const id = encodeId('key', key_id);
  if (Number(numUpdatedRows) > 0)
    await recordAudit(trx, secret, team_id, {
      actor: { kind: 'key', id, ip },
      action: AUDITED.revokeApiKey!,
      target: id,
      after: { reason },
      requestId,
    });
  await trx.deleteFrom('oauth_tokens').where('team_id', '=', team_id).where('key_id', '=', key_id).execute();
}

/** Ends the grant of a token. Unknown tokens are ignored (RFC 7009 section 2.2). */
export async function revokeToken(db: Db, user: GrantUser, token: string): Promise<void> {
  await inTransaction(db, async (trx) => {
    const found = await trx
      .selectFrom('oauth_tokens')
      .select(['team_id', 'key_id'])
      .where('token_hash', '=', sha256(token))
      .executeTakeFirst();
    if (found) await endGrant(trx, user, found, 'by the application');
  });
}

/** Returns the API key for which an access token stands. Undefined for other tokens. */
export async function keyOfToken(db: Db, secret: Buffer, token: string): Promise<string | undefined> {
  if (!token.startsWith(`${ACCESS}_`)) return undefined;
  const { rows } = await sql<Row<'oauth_grants', 'seed'>>`
    select g.seed from oauth_tokens t
    join oauth_grants g on g.team_id = t.team_id and g.key_id = t.key_id
    where t.token_hash = ${sha256(token)} and t.kind = 'access' and t.expires_at > now()
  `.execute(db);
  return rows[0] && keyOf(secret, rows[0].seed);
}

/** Deletes tokens that no longer work, and applications that nobody has let in. Returns how many. */
export async function expireOauth(db: Db): Promise<number> {
  const tokens = await db
    .deleteFrom('oauth_tokens')
    .where('expires_at', '<', sql<Date>`now()`)
    .executeTakeFirst();
  const clients = await db
    .deleteFrom('oauth_clients')
    .where('used_at', 'is', null)
    .where('created_at', '<', sql<Date>`now() - interval '1 day'`)
    .executeTakeFirst();
  return Number(tokens.numDeletedRows + clients.numDeletedRows);
}

/**
 * API keys look like `ph_<id>_<secret>` with 256 random bits. Only the SHA-256 of the whole key is stored:
 * with that many random bits a slow password hash would add nothing but time to every request.
 */
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { sha256 } from '../../platform/crypto.ts';
import { databaseNow, type Db } from '../../platform/database.ts';
import { badRequest, notFound } from '../../platform/errors.ts';
import { decodeId, encodeId, newUuid, toBase32 } from '../../platform/ids.ts';
import { readCursor, toPage, type Page } from '../../platform/pages.ts';
import { getDomainName } from '../domains/find-domain.ts';
import type { ApiKey, ApiKeyInput, CreatedApiKey } from './api-keys.schema.ts';

const COLUMNS = [
  'id',
  'name',
  'permission',
  'domain_id',
  'key_start',
  'created_at',
  'expires_at',
  'last_used_at',
] as const;

interface ApiKeyRow {
  id: string;
  name: string;
  permission: string;
  domain_id: number | null;
  key_start: string;
  created_at: Date;
  expires_at: Date | null;
  last_used_at: Date | null;
}

const KEY_ID_BYTES = 5;
const KEY_SECRET_BYTES = 32;

function newKey(): string {
  return `ph_${toBase32(randomBytes(KEY_ID_BYTES))}_${toBase32(randomBytes(KEY_SECRET_BYTES))}`;
}

/** What may be shown of a key for ever: `ph_<id>`, or the first few characters of one of another form. */
function startOf(key: string): string {
  return /^ph_[0-9a-z]{8}(?=_)/.exec(key)?.[0] ?? key.slice(0, 6);
}

export async function createApiKey(
  db: Db,
  teamId: number,
  input: ApiKeyInput,
  key = newKey(),
): Promise<CreatedApiKey> {
  if (input.domainId) await getDomainName(db, teamId, input.domainId);
  if (input.expiresAt && input.expiresAt <= (await databaseNow(db))) {
    throw badRequest('expiresAt must be in the future.');
  }
  const row = await db
    .insertInto('api_keys')
    .values({
      team_id: teamId,
      id: newUuid(),
      name: input.name,
      permission: input.permission,
      domain_id: input.domainId ?? null,
      key_hash: sha256(key),
      key_start: startOf(key),
      expires_at: input.expiresAt ?? null,
    })
    .returning(COLUMNS)
    .executeTakeFirstOrThrow();
  return { ...present(row), key };
}

/** Makes sure that a key the operator chose exists in the team; one that was revoked stays revoked. */
export async function ensureApiKey(db: Db, teamId: number, name: string, key: string): Promise<void> {
  const known = await db
    .selectFrom('api_keys')
    .select('id')
    .where('key_hash', '=', sha256(key))
    .executeTakeFirst();
  if (!known) await createApiKey(db, teamId, { name, permission: 'full' }, key);
}

export async function listApiKeys(
  db: Db,
  teamId: number,
  page: { limit: number; cursor?: string },
): Promise<Page<ApiKey>> {
  const before = readCursor('key', page.cursor);
  const rows = await db
    .selectFrom('api_keys')
    .select(COLUMNS)
    .where('team_id', '=', teamId)
    .where('revoked_at', 'is', null)
    .$if(before !== null, (query) => query.where('id', '<', before))
    .orderBy('id', 'desc')
    .limit(page.limit + 1)
    .execute();
  return toPage(rows, page.limit, present);
}

export async function revokeApiKey(db: Db, teamId: number, apiKeyId: string): Promise<void> {
  const id = decodeId('key', apiKeyId);
  if (!id) throw notFound('API key');
  const row = await db
    .updateTable('api_keys')
    .set({ revoked_at: sql`now()` })
    .where('team_id', '=', teamId)
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .returning('id')
    .executeTakeFirst();
  if (!row) throw notFound('API key');
}

function present(row: ApiKeyRow): ApiKey {
  return {
    id: encodeId('key', row.id),
    name: row.name,
    permission: row.permission as ApiKey['permission'],
    domainId: row.domain_id,
    keyStart: row.key_start,
    createdAt: row.created_at.toISOString(),
    expiresAt: row.expires_at?.toISOString() ?? null,
    lastUsedAt: row.last_used_at?.toISOString() ?? null,
  };
}

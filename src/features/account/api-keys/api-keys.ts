/**
 * API keys look like `ph_<id>_<secret>` with 256 random bits. Only the SHA-256 of the whole key is stored. A slow
 * password hash would add no security to that much entropy.
 */
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { sha256 } from '../../../platform/crypto.ts';
import { databaseNow, type Db } from '../../../platform/database/database.ts';
import { badRequest, notFound } from '../../../platform/errors.ts';
import { decodeId, encodeId, newUuid, toBase32 } from '../../../platform/ids.ts';
import { onPage, readPageStart, toPage, type Page, type PageRequest } from '../../../platform/pages.ts';
import type { Row } from '../../../platform/database/rows.ts';
import { getDomainName } from '../../sending/domains/find-domain.ts';
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

type ApiKeyRow = Row<'api_keys', (typeof COLUMNS)[number]>;

const KEY_ID_BYTES = 5;
const KEY_SECRET_BYTES = 32;

function newKey(): string {
  return `ph_${toBase32(randomBytes(KEY_ID_BYTES))}_${toBase32(randomBytes(KEY_SECRET_BYTES))}`;
}

/** The part of a key that lists may show: `ph_<id>`, or the first characters of a key in another format. */
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

/** Creates the operator's key unless it exists. A revoked key stays revoked. */
export async function ensureApiKey(db: Db, teamId: number, name: string, key: string): Promise<void> {
  const existing = await db
    .selectFrom('api_keys')
    .select('id')
    .where('key_hash', '=', sha256(key))
    .executeTakeFirst();
  if (!existing) await createApiKey(db, teamId, { name, permission: 'full' }, key);
}

export async function listApiKeys(db: Db, teamId: number, page: PageRequest): Promise<Page<ApiKey>> {
  const start = readPageStart('key', page);
  const rows = await db
    .selectFrom('api_keys')
    .select(COLUMNS)
    .where('team_id', '=', teamId)
    .where('revoked_at', 'is', null)
    .$call(onPage(start, page))
    .execute();
  return toPage(rows, page, present);
}

export async function renameApiKey(db: Db, teamId: number, apiKeyId: string, name: string): Promise<void> {
  const row = await updateKey(db, teamId, apiKeyId).set({ name }).executeTakeFirst();
  if (!row) throw notFound('API key');
}

export async function revokeApiKey(db: Db, teamId: number, apiKeyId: string): Promise<void> {
  const row = await updateKey(db, teamId, apiKeyId)
    .set({ revoked_at: sql`now()` })
    .executeTakeFirst();
  if (!row) throw notFound('API key');
}

/** A revoked key cannot be changed. */
function updateKey(db: Db, teamId: number, apiKeyId: string) {
  return db
    .updateTable('api_keys')
    .where('team_id', '=', teamId)
    .where('id', '=', requireKeyId(apiKeyId))
    .where('revoked_at', 'is', null)
    .returning('id');
}

function requireKeyId(apiKeyId: string): string {
  const id = decodeId('key', apiKeyId);
  if (!id) throw notFound('API key');
  return id;
}

function present(row: ApiKeyRow): ApiKey {
  return {
    id: encodeId('key', row.id),
    name: row.name,
    permission: row.permission,
    domainId: row.domain_id,
    keyStart: row.key_start,
    createdAt: row.created_at.toISOString(),
    expiresAt: row.expires_at?.toISOString() ?? null,
    lastUsedAt: row.last_used_at?.toISOString() ?? null,
  };
}

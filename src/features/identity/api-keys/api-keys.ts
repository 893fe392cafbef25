/**
 * API keys look like `ph_<id>_<secret>` with 256 random bits. Only the SHA-256 of the whole key is stored. A slow
 * password hash would add no security to that much entropy.
 */
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { sha256 } from '../../../platform/crypto.ts';
import { databaseNow, type Db } from '../../../platform/database/database.ts';
import { isCheckViolation } from '../../../platform/database/database-errors.ts';
import { AppError, badRequest, invalidField, notFound } from '../../../platform/errors.ts';
import { decodeId, encodeId, newUuid, toBase32 } from '../../../platform/ids.ts';
import { onPage, readPageStart, toPage, type Page, type PageRequest } from '../../../platform/pages.ts';
import type { Row } from '../../../platform/database/rows.ts';
import type { Caller } from '../../api/caller.ts';
import { requireContactBook, contactBookKey } from '../../audience/contact-books/contact-books.ts';
import { getSendPolicy, policyKey } from '../../sending/policies/policies.ts';
import { getDomainName } from '../../sending/domains/find-domain.ts';
import type { ApiKey, ApiKeyInput, ApiKeyUpdate, CreatedApiKey } from './api-keys.schema.ts';
import { keepWithin } from './keep-within.ts';

const COLUMNS = [
  'id',
  'name',
  'permission',
  'scopes',
  'domain_id',
  'mailbox_ids',
  'domain_ids',
  'contact_book_ids',
  'allowed_ips',
  'kind',
  'policy_id',
  'client',
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

/** `maker` is the caller who asked for the key. The operator's commands have none. */
export async function createApiKey(
  db: Db,
  teamId: number,
  input: ApiKeyInput & { mailboxKeys?: string[]; client?: string },
  { maker = null, key = newKey() }: { maker?: Caller | null; key?: string } = {},
): Promise<CreatedApiKey> {
  const given = {
    ...input,
    scopes: input.scopes ?? null,
    domainIds: input.domainId ? [input.domainId] : (input.domainIds ?? null),
  };
  const kept = maker ? keepWithin(maker, given) : given;
  await checkBounds(db, teamId, kept);
  const domainIds = kept.domainIds ?? null;
  const only = domainIds?.length === 1 ? domainIds[0]! : null;
  const row = await db
    .insertInto('api_keys')
    .values({
      team_id: teamId,
      id: newUuid(),
      name: input.name,
      permission: input.scopes ? 'scoped' : input.permission!,
      scopes: input.scopes ?? null,
      domain_id: only,
      domain_ids: only === null ? domainIds : null,
      contact_book_ids: kept.contactBookIds?.map(contactBookKey) ?? null,
      allowed_ips: input.allowedIps ?? null,
      kind: input.kind ?? 'application',
      policy_id: input.policyId ? policyKey(input.policyId) : null,
      made_by_user: maker?.person ? decodeId('usr', maker.person.userId) : null,
      made_by_key: maker && !maker.person ? decodeId('key', maker.by) : null,
      mailbox_ids: input.mailboxKeys ?? null,
      client: input.client ?? null,
      key_hash: sha256(key),
      key_start: startOf(key),
      expires_at: input.expiresAt ?? null,
    })
    .returning(COLUMNS)
    .executeTakeFirstOrThrow();
  return { ...present(row), key };
}

type Bounds = Pick<ApiKeyUpdate, 'domainIds' | 'contactBookIds' | 'expiresAt' | 'policyId'>;

async function checkBounds(
  db: Db,
  teamId: number,
  { domainIds, contactBookIds, expiresAt, policyId }: Bounds,
): Promise<void> {
  if (policyId) await getSendPolicy(db, teamId, policyId);
  for (const id of domainIds ?? []) await getDomainName(db, teamId, id);
  for (const id of contactBookIds ?? []) await requireContactBook(db, teamId, contactBookKey(id));
  if (expiresAt && expiresAt <= (await databaseNow(db))) throw badRequest('expiresAt must be in the future.');
}

/** Creates the operator's key unless it exists. A revoked key stays revoked. */
export async function ensureApiKey(db: Db, teamId: number, name: string, key: string): Promise<void> {
  const existing = await db
    .selectFrom('api_keys')
    .select('id')
    .where('key_hash', '=', sha256(key))
    .executeTakeFirst();
  if (!existing) await createApiKey(db, teamId, { name, permission: 'full' }, { key });
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

/** `mailboxKeys` are UUIDs. Null: all mailboxes. */
type ChangedKey = Omit<ApiKeyUpdate, 'mailboxIds'> & { mailboxKeys?: string[] | null };

export async function updateApiKey(
  db: Db,
  caller: Caller,
  apiKeyId: string,
  update: ChangedKey,
): Promise<ApiKey> {
  const { teamId } = caller;
  const kept = keepWithin(caller, update);
  await checkBounds(db, teamId, kept);
  const { domainIds } = kept;
  const only = domainIds?.length === 1 ? domainIds[0]! : null;
  const row = await updateKey(db, caller, apiKeyId)
    .set({
      ...(update.name !== undefined ? { name: update.name } : {}),
      ...(update.scopes
        ? { scopes: sql`case when permission = 'scoped' then ${update.scopes}::text[] end` }
        : {}),
      ...(domainIds !== undefined ? { domain_id: only, domain_ids: only === null ? domainIds : null } : {}),
      ...(kept.contactBookIds !== undefined
        ? { contact_book_ids: kept.contactBookIds?.map(contactBookKey) ?? null }
        : {}),
      ...(update.mailboxKeys !== undefined ? { mailbox_ids: update.mailboxKeys } : {}),
      ...(update.allowedIps !== undefined ? { allowed_ips: update.allowedIps } : {}),
      ...(update.policyId !== undefined
        ? { policy_id: update.policyId === null ? null : policyKey(update.policyId) }
        : {}),
      ...(update.expiresAt !== undefined ? { expires_at: update.expiresAt } : {}),
      key_start: sql.ref('key_start'),
    })
    .returning(COLUMNS)
    .executeTakeFirst()
    .catch((error: unknown) => {
      throw isCheckViolation(error, 'api_keys_agent_policy')
        ? invalidField('policyId', 'is required for an agent')
        : error;
    });
  if (!row) throw notFound('API key');
  if (update.scopes && row.permission !== 'scoped')
    throw new AppError('CONFLICT', 'This API key has a permission instead of scopes. Create a new one.');
  return present(row);
}

/** Gives a key a new secret. The one before works for some hours longer. */
export async function rotateApiKey(
  db: Db,
  caller: Caller,
  apiKeyId: string,
  overlapHours: number,
): Promise<CreatedApiKey> {
  const key = newKey();
  const row = await updateKey(db, caller, apiKeyId)
    .set({
      previous_hash: sql.ref('key_hash'),
      previous_until: sql`now() + make_interval(secs => ${overlapHours * 3600})`,
      key_hash: sha256(key),
      key_start: startOf(key),
    })
    // The tokens of a connected application are renewed by OAuth.
    .where('client', 'is', null)
    .returning(COLUMNS)
    .executeTakeFirst();
  if (!row) throw notFound('API key');
  return { ...present(row), key };
}

/** Who changes a key. */
type Managing = Pick<Caller, 'teamId' | 'permission' | 'by'>;

/** A key with scopes could otherwise rotate a key with more rights and learn its secret. */
function madeOnly({ permission, by }: Managing): string | null {
  return permission === 'scoped' ? decodeId('key', by) : null;
}

/** Keys that a key with scopes has made end with it. */
export async function revokeApiKey(db: Db, caller: Managing, apiKeyId: string): Promise<void> {
  const { teamId } = caller;
  const { rows } = await sql`
    with recursive ended as (
      select id, permission from api_keys
      where team_id = ${teamId} and id = ${requireKeyId(apiKeyId)} and revoked_at is null
        and (${madeOnly(caller)}::uuid is null or made_by_key = ${madeOnly(caller)}::uuid)
      union all
      select k.id, k.permission from api_keys k join ended e on k.made_by_key = e.id and e.permission = 'scoped'
      where k.team_id = ${teamId}
    ), forgotten as (
      delete from app_passwords p using ended e where p.team_id = ${teamId} and p.made_by_key = e.id
    )
    update api_keys k set revoked_at = now() from ended e
    where k.team_id = ${teamId} and k.id = e.id and k.revoked_at is null
    returning k.id
  `.execute(db);
  if (rows.length === 0) throw notFound('API key');
}

/** A revoked key cannot be changed. A key with scopes can only change those that it made. */
function updateKey(db: Db, caller: Managing, apiKeyId: string) {
  return db
    .updateTable('api_keys')
    .where('team_id', '=', caller.teamId)
    .where('id', '=', requireKeyId(apiKeyId))
    .where('revoked_at', 'is', null)
    .where(sql<boolean>`(${madeOnly(caller)}::uuid is null or made_by_key = ${madeOnly(caller)}::uuid)`);
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
    permission: row.permission === 'scoped' ? null : row.permission,
    scopes: row.scopes as ApiKey['scopes'],
    domainId: row.domain_id,
    domainIds: row.domain_id === null ? row.domain_ids : [row.domain_id],
    contactBookIds: row.contact_book_ids?.map((id) => encodeId('cbk', id)) ?? null,
    kind: row.kind,
    policyId: row.policy_id && encodeId('pol', row.policy_id),
    client: row.client,
    allowedIps: row.allowed_ips,
    mailboxIds: row.mailbox_ids?.map((id) => encodeId('mbx', id)) ?? null,
    keyStart: row.key_start,
    createdAt: row.created_at.toISOString(),
    expiresAt: row.expires_at?.toISOString() ?? null,
    lastUsedAt: row.last_used_at?.toISOString() ?? null,
  };
}

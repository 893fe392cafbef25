/**
 * Compares an instance secret with the database. The first start stores a check value that is derived from the secret.
 * A database from before check values is recognised by its encrypted columns: the secret must decrypt one of them.
 */
import type pg from 'pg';
import { deriveKey } from '../../../platform/crypto.ts';
import type { Row } from '../../../platform/database/rows.ts';
import { PERSON_SECRET, TEAM_SECRETS, type EncryptedColumn } from './encrypted-columns.ts';

/**
 * - `unused`: the database belongs to no secret yet.
 * - `missing`: it belongs to a secret, and there is none here.
 */
export type SecretState = 'unused' | 'matches' | 'differs' | 'missing';

type Queryable = Pick<pg.ClientBase, 'query'>;

/** How many of the newest values of a column are tried. A secret that was lost earlier may have left unreadable ones. */
const SAMPLES = 20;

/** Changes nothing, and works on every schema, including an empty one. */
export async function checkSecret(client: Queryable, secret: Buffer | null): Promise<SecretState> {
  const stored = await readCheckValue(client);
  if (stored) {
    if (!secret) return 'missing';
    return stored.equals(checkValueOf(secret)) ? 'matches' : 'differs';
  }
  const samples = await readSamples(client);
  if (samples.length === 0) return 'unused';
  if (!secret) return 'missing';
  return samples.some((sample) => canDecrypt(sample, secret)) ? 'matches' : 'differs';
}

/**
 * Stores the check value of this secret, unless there is one. Returns false if there is that of another secret, which
 * happens when two processes with different secrets start on a new database together.
 */
export async function claimDatabase(client: Queryable, secret: Buffer): Promise<boolean> {
  const value = checkValueOf(secret);
  await client.query('insert into instance_secret (check_value) values ($1) on conflict do nothing', [value]);
  return (await readCheckValue(client))?.equals(value) ?? false;
}

/** For a restore, which changes the secret together with the data. */
export async function replaceCheckValue(client: Queryable, secret: Buffer): Promise<void> {
  await client.query(
    `insert into instance_secret (check_value) values ($1)
     on conflict (is_only) do update set check_value = excluded.check_value`,
    [checkValueOf(secret)],
  );
}

function checkValueOf(secret: Buffer): Buffer {
  return deriveKey(secret, 'check value');
}

async function readCheckValue(client: Queryable): Promise<Buffer | null> {
  if (!(await hasColumn(client, 'instance_secret', 'check_value'))) return null;
  const { rows } = await client.query<Row<'instance_secret', 'check_value'>>(
    'select check_value from instance_secret',
  );
  return rows[0]?.check_value ?? null;
}

interface EncryptedSample {
  from: EncryptedColumn;
  value: Buffer;
}

async function readSamples(client: Queryable): Promise<EncryptedSample[]> {
  const samples: EncryptedSample[] = [];
  for (const from of [...TEAM_SECRETS, PERSON_SECRET]) {
    const { table, column } = from;
    // An older schema may lack some columns.
    if (!(await hasColumn(client, table, column))) continue;
    const { rows } = await client.query<{ value: Buffer }>(
      `select ${column} as value from ${table} where ${column} is not null order by created_at desc limit ${SAMPLES}`,
    );
    samples.push(...rows.map(({ value }) => ({ from, value })));
  }
  return samples;
}

async function hasColumn(client: Queryable, table: string, column: string): Promise<boolean> {
  const { rows } = await client.query<{ exists: boolean }>(
    `select exists (
       select from pg_attribute where attrelid = to_regclass($1) and attname = $2 and not attisdropped
     ) as exists`,
    [table, column],
  );
  return rows[0]!.exists;
}

function canDecrypt({ from, value }: EncryptedSample, secret: Buffer): boolean {
  try {
    from.box(secret).decrypt(value);
    return true;
  } catch {
    return false;
  }
}

/** Encrypts the secrets of a copied team with the secret of its new instance. */
import type pg from 'pg';
import type { SecretBox } from '../../../platform/crypto.ts';
import { createDomainKeyBox } from '../../sending/domains/domain-keys.ts';
import { createAnswerBox } from '../idempotency/idempotency.ts';
import { totpSecretBox } from '../people/two-factor.ts';
import { createWebhookSecretBox } from '../webhooks/signature.ts';
import type { IdMap } from './map-ids.ts';

interface EncryptedColumn {
  table: string;
  column: string;
  box: (secret: Buffer) => SecretBox;
}

const ENCRYPTED: EncryptedColumn[] = [
  { table: 'domains', column: 'private_key', box: createDomainKeyBox },
  { table: 'domains', column: 'next_private_key', box: createDomainKeyBox },
  { table: 'webhooks', column: 'secret', box: createWebhookSecretBox },
  { table: 'webhooks', column: 'old_secret', box: createWebhookSecretBox },
  { table: 'idempotency_keys', column: 'answer', box: createAnswerBox },
];
const BATCH = 500;

export async function reencryptSecrets(
  target: pg.ClientBase,
  { team, people }: IdMap,
  from: Buffer,
  to: Buffer,
): Promise<void> {
  if (from.equals(to)) return;
  for (const column of ENCRYPTED) await reencrypt(target, column, `team_id = ${team.to}`, from, to);
  const isNew = `id in (select user_id from memberships where team_id = ${team.to})
    and id <> all('{${[...people.values()].join(',')}}'::uuid[])`;
  await reencrypt(target, { table: 'users', column: 'totp_secret', box: totpSecretBox }, isNew, from, to);
}

async function reencrypt(
  target: pg.ClientBase,
  { table, column, box }: EncryptedColumn,
  which: string,
  from: Buffer,
  to: Buffer,
): Promise<void> {
  const [oldBox, newBox] = [box(from), box(to)];
  const { rows } = await target.query<{ ctid: string }>(
    `select ctid::text from ${table} where ${which} and ${column} is not null`,
  );
  for (let at = 0; at < rows.length; at += BATCH) {
    const places = rows.slice(at, at + BATCH).map(({ ctid }) => ctid);
    const { rows: stored } = await target.query<{ ctid: string; value: Buffer }>(
      `select ctid::text, ${column} as value from ${table} where ctid = any($1::tid[])`,
      [places],
    );
    await target.query(
      `update ${table} t set ${column} = n.value
       from unnest($1::tid[], $2::bytea[]) as n (place, value) where t.ctid = n.place`,
      [stored.map(({ ctid }) => ctid), stored.map(({ value }) => newBox.encrypt(oldBox.decrypt(value)))],
    );
  }
}

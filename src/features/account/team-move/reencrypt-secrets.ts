/** Encrypts the secrets of a copied team with the secret of its new instance. */
import type pg from 'pg';
import { PERSON_SECRET, TEAM_SECRETS, type EncryptedColumn } from '../instance-secret/encrypted-columns.ts';
import type { IdMap } from './map-ids.ts';

const BATCH = 500;

export async function reencryptSecrets(
  target: pg.ClientBase,
  { team, people }: IdMap,
  from: Buffer,
  to: Buffer,
): Promise<void> {
  if (from.equals(to)) return;
  for (const column of TEAM_SECRETS) await reencrypt(target, column, `team_id = ${team.to}`, from, to);
  const isNew = `id in (select user_id from memberships where team_id = ${team.to})
    and id <> all('{${[...people.values()].join(',')}}'::uuid[])`;
  await reencrypt(target, PERSON_SECRET, isNew, from, to);
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

/**
 * People of a moved team whose address has an account in the new instance that is not proven. They get a waiting account
 * without a second factor, which nobody can sign in to, so that the holder of the other account gets nothing of the
 * team. The first proof of the address gives their memberships to the account that was proven (prove-address.ts).
 */
import type pg from 'pg';
import type { Row } from '../../../platform/database/rows.ts';
import type { IdMap } from './map-ids.ts';

export async function addWaiting(from: pg.ClientBase, to: pg.ClientBase, { waiting }: IdMap): Promise<void> {
  const { rows } = await from.query<
    Row<'users', 'id' | 'email' | 'email_key' | 'name' | 'password_hash' | 'created_at'>
  >('select id, email, email_key, name, password_hash, created_at from users where id = any($1)', [
    [...waiting.keys()],
  ]);
  for (const { id, email, email_key, name, password_hash, created_at } of rows) {
    await to.query(
      `insert into users (id, email, email_key, name, password_hash, created_at, waiting)
       values ($1, $2, $3, $4, $5, $6, true)`,
      [waiting.get(id), email, email_key, name, password_hash, created_at],
    );
  }
}

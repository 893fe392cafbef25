/**
 * The proof that an address belongs to the person: a link that went to the address alone, or that came from the
 * operator. Until then someone else may have made the account, so the first proof removes everything that its holder
 * has set: password, two-factor authentication, passkeys, recovery codes, sessions, app passwords, open links and known places.
 * Memberships of accounts that wait for the address then move to the account.
 */
import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';
import { conflict } from '../../../platform/errors.ts';
import type { CamelRow, Row } from '../../../platform/database/rows.ts';

export interface ProvenAccount {
  userUuid: string;
  isFirstProof: boolean;
}

/**
 * Proves the address of the account. If the account waits and another one with the same address does not, the other
 * one is proven instead. The caller must set the password of the returned account in the same transaction.
 */
export async function proveAddress(trx: Db, userUuid: string): Promise<ProvenAccount> {
  const [account] = await lockAddress(trx, userUuid);
  if (!account) throw conflict('This account was just deleted.');
  const isFirstProof = account.provenAt === null;
  if (isFirstProof) {
    await forgetUnprovenHolder(trx, account.id);
    await sql`
      update users set totp_enabled = false, totp_secret = null, waiting = false, proven_at = now(), updated_at = now()
      where id = ${account.id}`.execute(trx);
  }
  await adoptWaiting(trx, account.id);
  return { userUuid: account.id, isFirstProof };
}

/** Locks all accounts with the address of this one. The one that signs in is first, then this one. */
export async function lockAddress(
  trx: Db,
  userUuid: string,
): Promise<CamelRow<'users', 'id' | 'proven_at'>[]> {
  const { rows } = await sql<CamelRow<'users', 'id' | 'proven_at'>>`
    select id, proven_at as "provenAt" from users
    where email_key = (select email_key from users where id = ${userUuid})
    order by waiting, id = ${userUuid} desc, id for update`.execute(trx);
  return rows;
}

async function forgetUnprovenHolder(trx: Db, userUuid: string): Promise<void> {
  for (const table of [
    'sessions',
    'recovery_codes',
    'passkeys',
    'app_passwords',
    'password_resets',
    'known_places',
  ] as const) {
    await trx.deleteFrom(table).where('user_id', '=', userUuid).execute();
  }
}

/**
 * Moves the memberships, access, API keys and app passwords of waiting accounts with the same address to this account,
 * which must be proven, and deletes the waiting accounts.
 */
export async function adoptWaiting(trx: Db, userUuid: string): Promise<void> {
  const { rows } = await sql<Row<'users', 'id'>>`
    select w.id from users w join users u on u.email_key = w.email_key
    where u.id = ${userUuid} and w.waiting and w.id <> u.id order by w.id for update of w`.execute(trx);
  for (const { id } of rows) {
    await sql`
      insert into memberships as m (team_id, user_id, role, created_at)
      select team_id, ${userUuid}, role, created_at from memberships where user_id = ${id}
      on conflict (team_id, user_id) do update set role = case
        when 'owner' in (m.role, excluded.role) then 'owner'
        when 'admin' in (m.role, excluded.role) then 'admin'
        else 'member' end`.execute(trx);
    await sql`update app_passwords set user_id = ${userUuid} where user_id = ${id}`.execute(trx);
    await sql`update api_keys set made_by_user = ${userUuid} where made_by_user = ${id}`.execute(trx);
    await sql`
      insert into mailbox_access (team_id, mailbox_id, user_id, role, created_at)
      select team_id, mailbox_id, ${userUuid}, role, created_at from mailbox_access where user_id = ${id}
      on conflict do nothing`.execute(trx);
    await sql`delete from memberships where user_id = ${id}`.execute(trx);
    await sql`delete from users where id = ${id}`.execute(trx);
  }
}

/** Users. An email address has at most one user in the whole instance, besides those that wait for a proof of it. */
import { parseAddress } from '../../../mail/mime/address.ts';
import type { Db } from '../../../platform/database/database.ts';
import { notFound } from '../../../platform/errors.ts';
import { decodeId, newUuid } from '../../../platform/ids.ts';
import type { Row } from '../../../platform/database/rows.ts';

const COLUMNS = [
  'id',
  'email',
  'email_key',
  'password_hash',
  'totp_secret',
  'totp_enabled',
  'totp_last_step',
  'proven_at',
] as const;

/** Contains secrets: must not leave this feature. */
export type UserRow = Row<'users', (typeof COLUMNS)[number]>;

export function emailKeyOf(email: string): string {
  return parseAddress(email)!.key;
}

/** Finds the account that signs in with this address. */
export async function findUserByEmail(db: Db, emailKey: string): Promise<UserRow | undefined> {
  return db
    .selectFrom('users')
    .select(COLUMNS)
    .where('email_key', '=', emailKey)
    .where('waiting', '=', false)
    .executeTakeFirst();
}

/** Also finds an account that waits for a proof of the address, if there is no other. */
export async function findAccount(
  db: Db,
  emailKey: string,
): Promise<Row<'users', 'id' | 'email'> | undefined> {
  return db
    .selectFrom('users')
    .select(['id', 'email'])
    .where('email_key', '=', emailKey)
    .orderBy('waiting')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
}

export async function getUser(db: Db, userId: string): Promise<UserRow> {
  const row = await db
    .selectFrom('users')
    .select(COLUMNS)
    .where('id', '=', decodeId('usr', userId) ?? newUuid())
    .executeTakeFirst();
  if (!row) throw notFound('User');
  return row;
}

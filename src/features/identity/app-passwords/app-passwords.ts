/**
 * App passwords open one mailbox for an email app. People type them into phones, so they are four groups of lower-case
 * letters: 20 of an alphabet of 23, about 90 random bits. Only their SHA-256 is stored. A slow password hash would add
 * no security to that much entropy.
 *
 * A person sees and revokes their own. Admins, owners and API keys see and revoke all of a mailbox.
 */
import { randomInt } from 'node:crypto';
import { sql, type RawBuilder } from 'kysely';
import { sha256 } from '../../../platform/crypto.ts';
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import { notFound } from '../../../platform/errors.ts';
import { decodeId, encodeId, newUuid } from '../../../platform/ids.ts';
import type { Row } from '../../../platform/database/rows.ts';
import type { Caller } from '../../api/caller.ts';
import { requireSession } from '../people/sessions.ts';
import { requireMailbox } from '../../mailboxes/mailboxes/find-mailbox.ts';
import type { AppPassword, AppPasswordInput, CreatedAppPassword } from './app-passwords.schema.ts';
import { refuseTooMany } from '../../mailboxes/mailboxes/limit-per-mailbox.ts';

/** The alphabet lacks i, l and o, which look like digits. */
const LETTERS = 'abcdefghjkmnpqrstuvwxyz';
const GROUPS = 4;
const GROUP_LENGTH = 5;
const MAX_PER_MAILBOX = 100;

function newPassword(): string {
  return Array.from({ length: GROUPS }, newGroup).join('-');
}

function newGroup(): string {
  return Array.from({ length: GROUP_LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join('');
}

/** The letters of a typed password, or null for a text that cannot be an app password, such as an API key. */
export function readAppPassword(typed: string): string | null {
  if (typed.length > 100) return null;
  const letters = typed.toLowerCase().replaceAll(/[\s-]/g, '');
  return letters.length === GROUPS * GROUP_LENGTH && /^[a-z]+$/.test(letters) ? letters : null;
}

export async function createAppPassword(
  db: Db,
  caller: Caller,
  mailboxId: string,
  { name }: AppPasswordInput,
): Promise<CreatedAppPassword> {
  const password = newPassword();
  const id = newUuid();
  const userId = caller.person && decodeId('usr', caller.person.userId);
  const keyId = caller.policyIds.length > 0 ? decodeId('key', caller.by) : null;
  return inTransaction(db, async (trx) => {
    if (caller.person) await requireSession(trx, caller.person);
    const mailbox = await requireMailbox(trx, caller, mailboxId);
    await refuseTooMany(
      trx,
      { teamId: caller.teamId, id: mailbox.id },
      {
        table: 'app_passwords',
        most: MAX_PER_MAILBOX,
        message: `A mailbox can have at most ${MAX_PER_MAILBOX} app passwords. Revoke one first.`,
      },
    );
    const { rows } = await sql<Row<'app_passwords', 'created_at'>>`
      insert into app_passwords (team_id, id, mailbox_id, user_id, made_by_key, name, password_hash)
      values (${caller.teamId}, ${id}, ${mailbox.id}, ${userId}, ${keyId}, ${name}, ${sha256(readAppPassword(password)!)})
      returning created_at
    `.execute(trx);
    return { id: encodeId('apw', id), name, password, created_at: rows[0]!.created_at.toISOString() };
  });
}

interface AppPasswordRow extends Row<
  'app_passwords',
  'id' | 'name' | 'created_at' | 'last_used_at' | 'last_used_from'
> {
  person: Row<'users'>['email'] | null;
}

/** Lists the newest first. */
export async function listAppPasswords(db: Db, caller: Caller, mailboxId: string): Promise<AppPassword[]> {
  const mailbox = await requireMailbox(db, caller, mailboxId);
  const { rows } = await sql<AppPasswordRow>`
    select p.id, p.name, u.email as person, p.created_at, p.last_used_at, p.last_used_from
    from app_passwords p left join users u on u.id = p.user_id
    where p.team_id = ${caller.teamId} and p.mailbox_id = ${mailbox.id} and ${isVisibleTo(caller)}
    order by p.id desc
  `.execute(db);
  return rows.map((row) => ({
    ...row,
    id: encodeId('apw', row.id),
    created_at: row.created_at.toISOString(),
    last_used_at: row.last_used_at?.toISOString() ?? null,
  }));
}

/** Sessions that use the password end: a trigger notifies every process (app-password-cache.ts). */
export async function revokeAppPassword(
  db: Db,
  caller: Caller,
  mailboxId: string,
  appPasswordId: string,
): Promise<void> {
  const mailbox = await requireMailbox(db, caller, mailboxId);
  const { rows } = await sql`
    with gone as (
      delete from app_passwords p
      where p.team_id = ${caller.teamId} and p.mailbox_id = ${mailbox.id} and p.id = ${decodeId('apw', appPasswordId)}
        and ${isVisibleTo(caller)}
      returning p.team_id, p.made_by_key
    ), noted as (
      -- What the key has read with it counts for a day (policy-facts.ts).
      insert into agent_reads (team_id, key_id, item)
      select team_id, made_by_key, ${appPasswordId} from gone where made_by_key is not null
      on conflict (team_id, key_id, item) do update set read_at = now()
    )
    select 1 from gone
  `.execute(db);
  if (rows.length === 0) throw notFound('App password');
}

function isVisibleTo({ person }: Caller): RawBuilder<boolean> {
  if (person?.role !== 'member') return sql<boolean>`true`;
  return sql<boolean>`p.user_id = ${decodeId('usr', person.userId)}`;
}

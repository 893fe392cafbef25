/** What a person wants to be notified of. The mailboxes are rows of their own, which receiving reads. */
import { sql } from 'kysely';
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import { badRequest } from '../../../platform/errors.ts';
import { decodeId, encodeId } from '../../../platform/ids.ts';
import type { Row } from '../../../platform/database/rows.ts';
import type { Caller } from '../../api/caller.ts';
import { mayRead } from '../../api/mailbox-access.ts';
import { userKeyOf } from '../activity/record-activity.ts';
import { DEFAULT_SETTINGS, type NotificationSettings } from './notifications.schema.ts';

/** Of anyone, for the jobs that notify. */
export function completeSettings(stored: Partial<NotificationSettings> | null): NotificationSettings {
  return { ...DEFAULT_SETTINGS, ...stored };
}

type SettingsRow = { settings: Partial<NotificationSettings> };

export async function getSettings(db: Db, caller: Caller): Promise<NotificationSettings> {
  const { rows } = await sql<SettingsRow>`
    select settings from notification_settings where team_id = ${caller.teamId} and user_id = ${userKeyOf(caller)}
  `.execute(db);
  const { rows: watched } = await sql<Row<'mailbox_watchers', 'mailbox_id'>>`
    select w.mailbox_id from mailbox_watchers w
    join mailboxes box on box.team_id = w.team_id and box.id = w.mailbox_id and ${mayRead(caller, 'box')}
    where w.team_id = ${caller.teamId} and w.user_id = ${userKeyOf(caller)} order by w.mailbox_id
  `.execute(db);
  const mailboxes = watched.map(({ mailbox_id }) => encodeId('mbx', mailbox_id));
  return { ...completeSettings(rows[0]?.settings ?? null), mailboxes };
}

export async function replaceSettings(
  db: Db,
  caller: Caller,
  { mailboxes, ...settings }: NotificationSettings,
): Promise<NotificationSettings> {
  const userId = userKeyOf(caller);
  return inTransaction(db, async (trx) => {
    const keys = [...new Set(mailboxes.map((id) => decodeId('mbx', id)))];
    await requireReadable(trx, caller, keys);
    await sql`
      insert into notification_settings (team_id, user_id, settings)
      values (${caller.teamId}, ${userId}, ${JSON.stringify(settings)}::jsonb)
      on conflict (team_id, user_id) do update set settings = excluded.settings, updated_at = now()
    `.execute(trx);
    await sql`
      delete from mailbox_watchers
      where team_id = ${caller.teamId} and user_id = ${userId} and mailbox_id <> all(${keys}::uuid[])
    `.execute(trx);
    await sql`
      insert into mailbox_watchers (team_id, mailbox_id, user_id)
      select ${caller.teamId}, id, ${userId} from unnest(${keys}::uuid[]) as id order by id
      on conflict do nothing
    `.execute(trx);
    return getSettings(trx, caller);
  });
}

/** Locks the mailboxes, whose versions the watchers change. */
async function requireReadable(trx: Db, caller: Caller, keys: (string | null)[]): Promise<void> {
  const { rows } = await sql`
    select 1 from mailboxes box
    where box.team_id = ${caller.teamId} and box.id = any(${keys}::uuid[]) and ${mayRead(caller, 'box')}
    order by box.id for no key update
  `.execute(trx);
  if (rows.length === keys.length) return;
  const message = 'must be mailboxes that you may read';
  throw badRequest(`mailboxes ${message}.`, [{ path: '/mailboxes', message }]);
}

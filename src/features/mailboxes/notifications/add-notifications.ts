/**
 * Notifies people of what happens in mailboxes, in the transaction in which it happens. Who does not want it, or may not
 * read the mailbox, is left out. Each browser gets a job of its own; emails wait in `email_at`.
 */
import { sql } from 'kysely';
import { toJson, type Db } from '../../../platform/database/database.ts';
import type { Row } from '../../../platform/database/rows.ts';
import { MAX_ATTEMPTS } from '../../../platform/jobs/jobs.ts';

export interface NotificationToAdd {
  /** UUIDs. */
  mailboxId: string;
  threadId: string;
  messageId: string | null;
  kind: Row<'mail_notifications'>['kind'];
  userIds: readonly (string | null)[];
  /** True for messages that no person wrote. A notification about an email with a notification would not end. */
  isAutomatic?: boolean;
}

/** Whether the settings `s` want a notification of the kind. Messages are wanted by `mailbox_watchers`. */
const IS_WANTED = sql`coalesce((s.settings ->> case w.kind
  when 'assigned' then 'assigned' when 'mention' then 'mentions' when 'reminder' then 'reminders' end)::boolean, true)`;

export async function addNotifications(
  trx: Db,
  teamId: number,
  all: readonly NotificationToAdd[],
): Promise<void> {
  const rows = all.flatMap(({ userIds, mailboxId, threadId, messageId, kind, isAutomatic }) =>
    [...new Set(userIds)].flatMap((userId) =>
      userId === null
        ? []
        : [
            {
              user_id: userId,
              mailbox_id: mailboxId,
              thread_id: threadId,
              message_id: messageId,
              kind,
              may_mail: !isAutomatic,
            },
          ],
    ),
  );
  if (rows.length === 0) return;
  await sql`
    with chosen as materialized (
      select make_uuid() as id, w.*, (s.settings ->> 'email_after_minutes')::integer as minutes
      from json_to_recordset(${toJson(rows)}::json)
        as w (user_id uuid, mailbox_id uuid, thread_id uuid, message_id uuid, kind text, may_mail boolean)
      join memberships m on m.team_id = ${teamId} and m.user_id = w.user_id
      join mailboxes box on box.team_id = m.team_id and box.id = w.mailbox_id
      left join mailbox_access a
        on a.team_id = m.team_id and a.mailbox_id = box.id and a.user_id = m.user_id
      left join notification_settings s on s.team_id = m.team_id and s.user_id = m.user_id
      where (box.access_mode = 'team' or a.role is not null) and ${IS_WANTED}
    ), stored as (
      insert into mail_notifications (team_id, user_id, id, mailbox_id, thread_id, message_id, kind, email_at)
      select ${teamId}, user_id, id, mailbox_id, thread_id, message_id, kind,
        case when may_mail then now() + make_interval(mins => minutes) end
      from chosen
    )
    select add_job('send-push', json_build_object('teamId', ${teamId}::integer, 'notificationId', c.id,
      'subscriptionId', p.id), most_attempts => ${MAX_ATTEMPTS}::integer)
    from chosen c join push_subscriptions p on p.team_id = ${teamId} and p.user_id = c.user_id
  `.execute(trx);
}

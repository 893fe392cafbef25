/**
 * Emails people what they were notified of and have not seen after the minutes that they chose
 * (src/features/mailboxes/notifications). One email has everything that is due.
 */
import { AS_SERVER } from '../../api/caller.ts';
import { sql } from 'kysely';
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import { encodeId } from '../../../platform/ids.ts';
import type { CamelRow, Row } from '../../../platform/database/rows.ts';
import type { Facts } from '../../instance/facts.ts';
import { enqueue, type JobPayloads } from '../../jobs/jobs.ts';
import { findDestination } from '../../mailboxes/mailboxes/find-mailbox.ts';
import type { NotificationSettings } from '../../mailboxes/notifications/notifications.schema.ts';
import { quietUntil } from '../../mailboxes/notifications/quiet-hours.ts';
import { completeSettings } from '../../mailboxes/notifications/settings.ts';
import { AUTOMATIC, findNoReply, toMailbox } from '../../sending/emails/own-mail.ts';
import { submit } from '../../sending/emails/submit.ts';
import { isSuppressed } from '../../sending/suppressions/suppressions.ts';

const PEOPLE_PER_ROUND = 500;
const MOST_SHOWN = 50;

/** Adds a job for each person with something due. Runs every minute. */
export async function queueDueNotifications(db: Db): Promise<void> {
  const { rows } = await sql<CamelRow<'mail_notifications', 'team_id' | 'user_id'>>`
    select distinct team_id as "teamId", user_id as "userId" from mail_notifications
    where email_at <= now() and team_id not in (select id from teams where closed_at is not null)
    limit ${PEOPLE_PER_ROUND}
  `.execute(db);
  for (const person of rows)
    await enqueue(db, 'mail-notifications', person, {
      jobKey: `mail-notifications ${person.teamId} ${person.userId}`,
    });
}

type Person = Row<'users', 'email'> & { settings: Partial<NotificationSettings> | null };

export async function mailNotifications(
  db: Db,
  facts: Pick<Facts, 'baseUrl' | 'wakeDeliveryWorkers'>,
  { teamId, userId }: JobPayloads['mail-notifications'],
): Promise<void> {
  await inTransaction(db, async (trx) => {
    const { rows: people } = await sql<Person>`
      select u.email, s.settings from memberships m join users u on u.id = m.user_id
      left join notification_settings s on s.team_id = m.team_id and s.user_id = m.user_id
      where m.team_id = ${teamId} and m.user_id = ${userId}
    `.execute(trx);
    const person = people[0];
    if (!person) return;
    const settings = completeSettings(person.settings);
    const quiet = quietUntil(settings.quiet_hours, new Date());
    if (quiet) return postpone(trx, { teamId, userId }, quiet);
    const unseen = await takeDue(trx, { teamId, userId });
    const from = await findNoReply(trx, teamId);
    if (unseen.length === 0 || !from || settings.email_after_minutes === null) return;
    if (await isSuppressed(trx, teamId, person.email)) return;
    // Others may read a mailbox of this instance.
    const withText = settings.include_text && (await findDestination(trx, person.email)) === null;
    await submit(trx, {
      source: 'account',
      caller: { teamId, ...AS_SERVER },
      content: {
        kind: 'fields',
        email: {
          from,
          to: [toMailbox(person.email)],
          subject: subjectOf(unseen),
          text: textOf(facts.baseUrl, unseen, withText),
          headers: AUTOMATIC,
        },
      },
    });
  });
  facts.wakeDeliveryWorkers();
}

type Due = JobPayloads['mail-notifications'];

async function postpone(trx: Db, { teamId, userId }: Due, until: Date): Promise<void> {
  await sql`
    update mail_notifications set email_at = ${until}
    where team_id = ${teamId} and user_id = ${userId} and email_at < ${until}
  `.execute(trx);
}

type Unseen = CamelRow<'mail_notifications', 'id' | 'kind' | 'mailbox_id' | 'thread_id'> & {
  address: Row<'mailboxes'>['address'];
  folder: Row<'threads'>['folder'];
  subject: Row<'threads'>['subject'];
  sender: Row<'messages'>['sender'] | null;
};

/**
 * Each notification is mailed at most once. What the person has seen is left out: a message that was read, or a
 * conversation that they have opened or acted in since.
 */
async function takeDue(trx: Db, { teamId, userId }: Due): Promise<Unseen[]> {
  const { rows } = await sql<Unseen>`
    with due as (
      update mail_notifications set email_at = null
      where team_id = ${teamId} and user_id = ${userId} and email_at <= now()
      returning id, kind, mailbox_id, thread_id, message_id, created_at
    )
    select d.id, d.kind, d.mailbox_id as "mailboxId", d.thread_id as "threadId", box.address, t.folder, t.subject,
      m.sender
    from due d
    join mailboxes box on box.team_id = ${teamId} and box.id = d.mailbox_id
    join threads t on t.team_id = ${teamId} and t.id = d.thread_id and t.folder not in ('spam', 'trash')
    left join mailbox_access a on a.team_id = ${teamId} and a.mailbox_id = box.id and a.user_id = ${userId}
    left join messages m on m.team_id = ${teamId} and m.id = d.message_id
    where (box.access_mode = 'team' or a.role is not null) and m.read is not true
      and not exists (select from thread_presence p where p.team_id = ${teamId} and p.thread_id = d.thread_id
        and p.user_id = ${userId} and p.seen_at > d.created_at)
      and not exists (select from mailbox_activity y where y.team_id = ${teamId} and y.thread_id = d.thread_id
        and y.actor = ${`user:${encodeId('usr', userId)}`} and y.at > d.created_at)
    order by d.created_at, d.id
  `.execute(trx);
  return rows;
}

const WHAT: Record<Unseen['kind'], string> = {
  assigned: 'A conversation was assigned to you',
  mention: 'A note mentions you',
  message: 'A new message arrived',
  reminder: 'A conversation came back by your reminder',
  rule: 'A rule wants you to know of a message',
};

function subjectOf(unseen: Unseen[]): string {
  const [first] = unseen;
  return unseen.length === 1
    ? `${WHAT[first!.kind]} in ${first!.address}`
    : `${unseen.length} notifications about your mailboxes`;
}

function textOf(baseUrl: string, unseen: Unseen[], withText: boolean): string {
  const parts = unseen.slice(0, MOST_SHOWN).map((each) => {
    const { kind, address, mailboxId, threadId, folder, sender, subject } = each;
    const path = [encodeId('mbx', mailboxId), encodeURIComponent(folder), encodeId('thr', threadId)].join(
      '/',
    );
    const shown = withText ? [...(sender ? [`From: ${sender}`] : []), `Subject: ${subject}`] : [];
    return [`${WHAT[kind]} in ${address}.`, ...shown, `${baseUrl}/mail/${path}`].join('\n');
  });
  const more = unseen.length - parts.length;
  return [
    ...parts,
    ...(more > 0 ? [`And ${more} more.`] : []),
    'You chose these emails in webmail, under Notifications.',
    '',
  ].join('\n\n');
}

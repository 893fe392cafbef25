/**
 * Sends one notification to one browser. A job does it, which is retried; after a day it is too late. Only public
 * addresses are called, as for webhooks. A push service that no longer knows the browser ends the subscription.
 */
import { hash } from 'node:crypto';
import { sql } from 'kysely';
import { DAY_MS } from '../../../platform/durations.ts';
import type { Db } from '../../../platform/database/database.ts';
import type { CamelRow, Row } from '../../../platform/database/rows.ts';
import { encodeId } from '../../../platform/ids.ts';
import type { Facts } from '../../instance/facts.ts';
import { enqueue, type JobPayloads } from '../../jobs/jobs.ts';
import { authorizePush, encryptPush, MAX_PUSH_BYTES } from './encrypt-push.ts';
import { readPushKey } from './push-keys.ts';
import { quietUntil } from './quiet-hours.ts';
import type { NotificationSettings } from './notifications.schema.ts';
import { completeSettings } from './settings.ts';

const TTL_SECONDS = 24 * 3600;
const MAX_TEXT = 300;
const MAX_TOPIC = 32;
/** Only these mean that another attempt may succeed (RFC 8030 section 8.4 and RFC 9110). */
const TEMPORARY = [408, 425, 429];

type Job = JobPayloads['send-push'];

/** Posts to an endpoint at a public address. Null when the process is closing. */
type PostPush = (
  url: string,
  request: { contentType: string; body: Buffer; headers: Record<string, string> },
  closing: AbortSignal,
) => Promise<{ statusCode: number | null; error: string | null } | null>;

export interface PushTools {
  post: PostPush;
  facts: Pick<Facts, 'secret' | 'baseUrl' | 'mailHost'>;
}

type DueRow = CamelRow<
  'mail_notifications',
  'mailbox_id' | 'thread_id' | 'message_id' | 'kind' | 'created_at'
> &
  CamelRow<'push_subscriptions', 'endpoint' | 'public_key' | 'auth_secret'> & {
    address: Row<'mailboxes'>['address'];
    folder: Row<'threads'>['folder'];
    subject: Row<'threads'>['subject'];
    sender: Row<'messages'>['sender'] | null;
    snippet: Row<'messages'>['snippet'] | null;
    read: Row<'messages'>['read'] | null;
    settings: Partial<NotificationSettings> | null;
  };

export async function sendPush(db: Db, { post, facts }: PushTools, job: Job): Promise<void> {
  const due = await findDue(db, job);
  if (!due || due.read || Date.now() - due.createdAt.getTime() > DAY_MS) return;
  const settings = completeSettings(due.settings);
  const runAt = quietUntil(settings.quiet_hours, new Date());
  if (runAt) return enqueue(db, 'send-push', job, { runAt });
  const key = await readPushKey(db, facts.secret);
  const subject = facts.baseUrl.startsWith('https:') ? facts.baseUrl : `mailto:postmaster@${facts.mailHost}`;
  const send = (payload: object) =>
    post(
      due.endpoint,
      {
        contentType: 'application/octet-stream',
        body: encryptPush(Buffer.from(JSON.stringify(payload)), due),
        headers: {
          'content-encoding': 'aes128gcm',
          ttl: String(TTL_SECONDS),
          urgency: 'normal',
          // A newer notification replaces one about the same conversation that was not delivered yet.
          topic: hash('sha256', due.threadId, 'base64url').slice(0, MAX_TOPIC),
          authorization: authorizePush(key, due.endpoint, subject, new Date()),
        },
      },
      new AbortController().signal,
    );
  let attempt = await send(toPayload(due, settings.include_text));
  if (attempt?.statusCode === 413) attempt = await send(toPayload(due, false));
  const { statusCode = null, error = 'closing' } = attempt ?? {};
  if (statusCode === 404 || statusCode === 410) return drop(db, job);
  const isTemporary = statusCode === null || statusCode >= 500 || TEMPORARY.includes(statusCode);
  if (error !== null && isTemporary) throw new Error(`A push service did not take a notification: ${error}`);
}

/** The person may have lost access to the mailbox since. */
async function findDue(db: Db, { teamId, notificationId, subscriptionId }: Job): Promise<DueRow | undefined> {
  const { rows } = await sql<DueRow>`
    select n.mailbox_id as "mailboxId", n.thread_id as "threadId", n.message_id as "messageId", n.kind,
      n.created_at as "createdAt", p.endpoint, p.public_key as "publicKey", p.auth_secret as "authSecret", box.address,
      t.folder, t.subject, m.sender, m.snippet, m.read, s.settings
    from mail_notifications n
    join push_subscriptions p on p.team_id = n.team_id and p.id = ${subscriptionId} and p.user_id = n.user_id
    join mailboxes box on box.team_id = n.team_id and box.id = n.mailbox_id
    join threads t on t.team_id = n.team_id and t.id = n.thread_id
    left join mailbox_access a on a.team_id = n.team_id and a.mailbox_id = box.id and a.user_id = n.user_id
    left join messages m on m.team_id = n.team_id and m.id = n.message_id
    left join notification_settings s on s.team_id = n.team_id and s.user_id = n.user_id
    where n.team_id = ${teamId} and n.id = ${notificationId} and (box.access_mode = 'team' or a.role is not null)
  `.execute(db);
  return rows[0];
}

function toPayload(due: DueRow, withText: boolean): object {
  const ids = {
    kind: due.kind,
    mailbox_id: encodeId('mbx', due.mailboxId),
    thread_id: encodeId('thr', due.threadId),
    message_id: due.messageId && encodeId('msg', due.messageId),
  };
  const payload = {
    ...ids,
    mailbox: due.address,
    url: `/mail/${ids.mailbox_id}/${encodeURIComponent(due.folder)}/${ids.thread_id}`,
  };
  if (!withText) return payload;
  const text = {
    from: shorten(due.sender ?? ''),
    subject: shorten(due.subject),
    text: shorten(due.snippet ?? ''),
  };
  const whole = { ...payload, ...text };
  return Buffer.byteLength(JSON.stringify(whole)) <= MAX_PUSH_BYTES ? whole : payload;
}

function shorten(text: string): string {
  return text.slice(0, MAX_TEXT).toWellFormed();
}

async function drop(db: Db, { teamId, subscriptionId }: Job): Promise<void> {
  await sql`
    delete from push_subscriptions where team_id = ${teamId} and id = ${subscriptionId}
  `.execute(db);
}

/** Webhooks are endpoints that receive events. A secret is shown only when it is created. */
import { sql } from 'kysely';
import { inTransaction, type Db } from '../../platform/database/database.ts';
import { notFound } from '../../platform/errors.ts';
import type { Facts } from '../instance/facts.ts';
import { refusePrivateUrl } from '../instance/private-urls.ts';
import { decodeId, encodeId, newUuid } from '../../platform/ids.ts';
import { enqueue } from '../jobs/jobs.ts';
import {
  fromStart,
  orderOf,
  readPageStart,
  toPage,
  type Page,
  type PageRequest,
} from '../../platform/pages.ts';
import type { Row } from '../../platform/database/rows.ts';
import { publicKeyOf } from './ecdsa-signature.ts';
import { noticeOf, urlWithoutSecrets } from './notice.ts';
import { createWebhookSecretBox, makeSecret } from './signature.ts';
import type { Webhook, WebhookInput, WebhookUpdate, WebhookWithSecret } from './webhooks.schema.ts';

const OLD_SECRET_HOURS = 24;

interface WebhookRow extends Row<
  'webhooks',
  | 'id'
  | 'url'
  | 'events'
  | 'description'
  | 'format'
  | 'secret'
  | 'last_error'
  | 'failures'
  | 'failing_since'
  | 'created_at'
  | 'updated_at'
> {
  status: Webhook['status'];
  paused_reason: Webhook['pausedReason'];
}

const COLUMNS = sql`
  id, url, events, description, format, secret, status, paused_reason, last_error, failures, failing_since, created_at, updated_at`;

export function webhookKey(webhookId: string): string {
  const key = decodeId('whk', webhookId);
  if (!key) throw notFound('Webhook');
  return key;
}

export async function createWebhook(
  db: Db,
  teamId: number,
  facts: Facts,
  input: WebhookInput,
): Promise<WebhookWithSecret> {
  refusePrivateUrl(facts, input.url);
  const secret = makeSecret();
  const encryptedSecret = createWebhookSecretBox(facts.secret).encrypt(Buffer.from(secret));
  const { rows } = await sql<WebhookRow>`
    insert into webhooks (team_id, id, url, events, description, format, secret)
    values (${teamId}, ${newUuid()}, ${input.url}, ${input.events}::text[], ${input.description ?? null},
      ${input.format}, ${encryptedSecret})
    returning ${COLUMNS}
  `.execute(db);
  return { ...present(facts, rows[0]!), secret };
}

export async function listWebhooks(
  db: Db,
  teamId: number,
  facts: Facts,
  page: PageRequest,
): Promise<Page<Webhook>> {
  const start = readPageStart('whk', page);
  const { rows } = await sql<WebhookRow>`
    select ${COLUMNS} from webhooks
    where team_id = ${teamId} and ${fromStart(start, 'id')}
    order by id ${orderOf(start)} limit ${page.limit + 1}
  `.execute(db);
  return toPage(rows, page, (row) => present(facts, row));
}

export async function getWebhook(db: Db, teamId: number, facts: Facts, webhookId: string): Promise<Webhook> {
  const { rows } = await sql<WebhookRow>`
    select ${COLUMNS} from webhooks where team_id = ${teamId} and id = ${webhookKey(webhookId)}
  `.execute(db);
  if (!rows[0]) throw notFound('Webhook');
  return present(facts, rows[0]);
}

/** Setting the status to active or changing the URL resets the failure count and the backoff. */
export async function updateWebhook(
  db: Db,
  teamId: number,
  facts: Facts,
  webhookId: string,
  update: WebhookUpdate,
): Promise<Webhook> {
  if (update.url) refusePrivateUrl(facts, update.url);
  const resetsFailures = update.status === 'active' || Boolean(update.url);
  const { rows } = await sql<WebhookRow>`
    update webhooks set
      url = coalesce(${update.url ?? null}, url),
      events = coalesce(${update.events ?? null}::text[], events),
      description = case when ${update.description === undefined}::boolean then description
                    else ${update.description ?? null} end,
      format = coalesce(${update.format ?? null}, format),
      status = coalesce(${update.status ?? null}, status),
      paused_reason = case ${update.status ?? null}::text
        when 'active' then null when 'paused' then 'by_hand' else paused_reason end,
      failures = case when ${resetsFailures}::boolean then 0 else failures end,
      failing_since = case when ${resetsFailures}::boolean then null else failing_since end,
      rests_until = case when ${resetsFailures}::boolean then now() else rests_until end,
      updated_at = clock_timestamp()
    where team_id = ${teamId} and id = ${webhookKey(webhookId)}
    returning ${COLUMNS}
  `.execute(db);
  if (!rows[0]) throw notFound('Webhook');
  return present(facts, rows[0]);
}

/** The previous secret keeps signing for a day, so that the receiver can switch without losing a call. */
export async function rotateSecret(
  db: Db,
  teamId: number,
  facts: Facts,
  webhookId: string,
): Promise<WebhookWithSecret> {
  const secret = makeSecret();
  const encryptedSecret = createWebhookSecretBox(facts.secret).encrypt(Buffer.from(secret));
  const { rows } = await sql<WebhookRow>`
    update webhooks set old_secret = secret, secret = ${encryptedSecret},
      old_secret_until = now() + make_interval(hours => ${OLD_SECRET_HOURS}), updated_at = clock_timestamp()
    where team_id = ${teamId} and id = ${webhookKey(webhookId)}
    returning ${COLUMNS}
  `.execute(db);
  if (!rows[0]) throw notFound('Webhook');
  return { ...present(facts, rows[0]), secret };
}

/** A job deletes the calls, because there may be millions. */
export async function deleteWebhook(db: Db, teamId: number, webhookId: string): Promise<void> {
  const id = webhookKey(webhookId);
  await inTransaction(db, async (trx) => {
    const row = await trx
      .deleteFrom('webhooks')
      .where('team_id', '=', teamId)
      .where('id', '=', id)
      .returning('id')
      .executeTakeFirst();
    if (!row) throw notFound('Webhook');
    await enqueue(trx, 'drop-calls-of-webhook', { teamId, webhookId: id });
  });
}

function openSecret(facts: Facts, encrypted: Buffer): string {
  return createWebhookSecretBox(facts.secret).decrypt(encrypted).toString();
}

function present(facts: Facts, row: WebhookRow): Webhook {
  return {
    id: encodeId('whk', row.id),
    url: row.url,
    shownUrl: urlWithoutSecrets(row.url),
    events: row.events,
    description: row.description,
    format: row.format,
    publicKey: row.format === 'sendgrid' ? publicKeyOf(openSecret(facts, row.secret)) : null,
    status: row.status,
    pausedReason: row.paused_reason,
    notice: noticeOf({
      status: row.status,
      reason: row.paused_reason,
      failures: row.failures,
      failingSince: row.failing_since,
      lastError: row.last_error,
    }),
    failures: row.failures,
    failingSince: row.failing_since?.toISOString() ?? null,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  };
}

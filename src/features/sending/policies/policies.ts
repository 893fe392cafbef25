/** Send policies: what the keys that name one may send. */
import { sql } from 'kysely';
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import { isUniqueViolation } from '../../../platform/database/database-errors.ts';
import { conflict, notFound } from '../../../platform/errors.ts';
import { decodeId, encodeId, newUuid } from '../../../platform/ids.ts';
import { onPage, readPageStart, toPage, type Page, type PageRequest } from '../../../platform/pages.ts';
import type { Row } from '../../../platform/database/rows.ts';
import type { SendPolicy, SendPolicyInput, SendPolicyUpdate } from './policies.schema.ts';

const COLUMNS = [
  'id',
  'name',
  'mode',
  'recipients',
  'max_recipients',
  'max_per_hour',
  'max_per_day',
  'max_new_recipients_per_day',
  'links',
  'attachments',
  'bcc',
  'taint',
  'created_at',
  'updated_at',
] as const;

type PolicyRow = Row<'send_policies', (typeof COLUMNS)[number]>;

export function policyKey(policyId: string): string {
  const key = decodeId('pol', policyId);
  if (!key) throw notFound('Send policy');
  return key;
}

export async function createSendPolicy(db: Db, teamId: number, input: SendPolicyInput): Promise<SendPolicy> {
  await requireBooks(db, teamId, input.recipients.contactBookIds);
  const row = await db
    .insertInto('send_policies')
    .values({
      team_id: teamId,
      id: newUuid(),
      name: input.name,
      mode: input.mode,
      recipients: JSON.stringify(input.recipients),
      max_recipients: input.maxRecipients,
      max_per_hour: input.maxPerHour,
      max_per_day: input.maxPerDay,
      max_new_recipients_per_day: input.maxNewRecipientsPerDay,
      links: JSON.stringify(input.links),
      attachments: input.attachments,
      bcc: input.bcc,
      taint: input.taint,
    })
    .returning(COLUMNS)
    .executeTakeFirstOrThrow()
    .catch(refuseTakenName);
  return present(row);
}

export async function getSendPolicy(db: Db, teamId: number, policyId: string): Promise<SendPolicy> {
  const [policy] = await findPolicies(db, teamId, [policyKey(policyId)]);
  if (!policy) throw notFound('Send policy');
  return policy;
}

/** `ids` are UUIDs. */
export async function findPolicies(db: Db, teamId: number, ids: readonly string[]): Promise<SendPolicy[]> {
  const rows = await db
    .selectFrom('send_policies')
    .select(COLUMNS)
    .where('team_id', '=', teamId)
    .where('id', 'in', ids)
    .execute();
  return rows.map(present);
}

export async function listSendPolicies(db: Db, teamId: number, page: PageRequest): Promise<Page<SendPolicy>> {
  const start = readPageStart('pol', page);
  const rows = await db
    .selectFrom('send_policies')
    .select(COLUMNS)
    .where('team_id', '=', teamId)
    .$call(onPage(start, page))
    .execute();
  return toPage(rows, page, present);
}

export async function updateSendPolicy(
  db: Db,
  teamId: number,
  policyId: string,
  update: SendPolicyUpdate,
): Promise<SendPolicy> {
  await requireBooks(db, teamId, update.recipients?.contactBookIds ?? []);
  const columns = {
    name: update.name,
    mode: update.mode,
    max_recipients: update.maxRecipients,
    max_per_hour: update.maxPerHour,
    max_per_day: update.maxPerDay,
    max_new_recipients_per_day: update.maxNewRecipientsPerDay,
    links: update.links === undefined ? undefined : JSON.stringify(update.links),
    attachments: update.attachments,
    bcc: update.bcc,
    taint: update.taint,
  };
  const row = await db
    .updateTable('send_policies')
    .set({
      ...Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined)),
      recipients: sql`recipients || ${JSON.stringify(update.recipients ?? {})}::jsonb`,
      updated_at: sql`now()`,
    })
    .where('team_id', '=', teamId)
    .where('id', '=', policyKey(policyId))
    .returning(COLUMNS)
    .executeTakeFirst()
    .catch(refuseTakenName);
  if (!row) throw notFound('Send policy');
  return present(row);
}

/** Revoked keys let go of the policy, because nobody can use them any more. */
export async function deleteSendPolicy(db: Db, teamId: number, policyId: string): Promise<void> {
  const id = policyKey(policyId);
  await inTransaction(db, async (trx) => {
    const { rows } = await sql`
      select 1 from send_policies where team_id = ${teamId} and id = ${id} for update
    `.execute(trx);
    if (rows.length === 0) throw notFound('Send policy');
    const used = await trx
      .selectFrom('api_keys')
      .select('name')
      .where('team_id', '=', teamId)
      .where('policy_id', '=', id)
      .where('revoked_at', 'is', null)
      .limit(1)
      .executeTakeFirst();
    if (used)
      throw conflict(
        `The API key "${used.name}" uses this send policy. Revoke the key or give it another policy first.`,
      );
    await trx
      .updateTable('api_keys')
      .set({ policy_id: null })
      .where('team_id', '=', teamId)
      .where('policy_id', '=', id)
      .execute();
    await trx.deleteFrom('send_policies').where('team_id', '=', teamId).where('id', '=', id).execute();
  });
}

async function requireBooks(db: Db, teamId: number, contactBookIds: readonly string[]): Promise<void> {
  if (contactBookIds.length === 0) return;
  const ids = contactBookIds.map((id) => decodeId('cbk', id));
  const { rows } = await sql<{ found: number }>`
    select count(*)::integer as found from contact_books where team_id = ${teamId} and id = any(${ids}::uuid[])
  `.execute(db);
  if (rows[0]!.found < new Set(contactBookIds).size) throw notFound('Contact book');
}

function refuseTakenName(error: unknown): never {
  throw isUniqueViolation(error, 'send_policies_name')
    ? conflict('A send policy with this name exists already.')
    : error;
}

function present(row: PolicyRow): SendPolicy {
  return {
    id: encodeId('pol', row.id),
    name: row.name,
    mode: row.mode,
    recipients: row.recipients as SendPolicy['recipients'],
    maxRecipients: row.max_recipients,
    maxPerHour: row.max_per_hour,
    maxPerDay: row.max_per_day,
    maxNewRecipientsPerDay: row.max_new_recipients_per_day,
    links: row.links as unknown as SendPolicy['links'],
    attachments: row.attachments,
    bcc: row.bcc,
    taint: row.taint,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  };
}

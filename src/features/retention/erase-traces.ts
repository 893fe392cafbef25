/**
 * Replaces the address of an erased person by an alias in all rows that are kept for statistics, and deletes the
 * content of email that went to nobody else. It works in batches, and a finished batch no longer matches, so the job
 * can be interrupted at any time.
 *
 * Email to the person that is still in the queue ends as SUPPRESSED at its next attempt, and waiting webhook calls are
 * made first. While there are any, the job runs again later.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { inTransaction, type Db } from '../../platform/database/database.ts';
import type { Row } from '../../platform/database/rows.ts';
import type { Facts } from '../instance/facts.ts';
import { forgetSender } from '../mailboxes/spam/forget-sender.ts';
import { formsOf } from '../mailboxes/storage/of-person.ts';
import { eraseCalls } from '../webhooks/erase-calls.ts';
import { eraseFromRequests } from '../activity/request-log/forget-requests.ts';
import { eraseFromAudit } from '../audit/erase-from-audit.ts';
import { enqueue, type ErasedPerson } from '../jobs/jobs.ts';
import { cancelWaiting } from '../sending/emails/cancel-waiting.ts';
import { BATCH_SIZE, eraseFromEmails } from './erase-from-emails.ts';

const PAUSE_MS = 20;
const MAX_DELAY_MINUTES = 12 * 60;

export async function eraseTraces(
  db: Db,
  { secret }: Pick<Facts, 'secret'>,
  person: ErasedPerson,
): Promise<void> {
  const { teamId, addressKey } = person;
  await cancelScheduled(db, person);
  for (;;) {
    const erased = await inTransaction(db, (trx) => eraseFromEmails(trx, person));
    if (erased < BATCH_SIZE) break;
    await sleep(PAUSE_MS);
  }
  await eraseFromLedgers(db, person);
  await eraseFromPositions(db, person);
  await eraseFromVacations(db, person);
  await eraseFromAutomations(db, person);
  await eraseFromApprovals(db, person);
  await forgetSender(db, secret, { teamId, addresses: [...new Set(formsOf(addressKey))] });
  await eraseFromAudit(db, teamId, addressKey);
  await eraseFromRequests(db, teamId, addressKey);
  const pattern = patternOf(addressKey);
  await eraseFromImports(db, person, pattern);
  const callsWait = await eraseCalls(db, teamId, pattern);
  // What other processes had in memory in the first round, such as entries of the request log, has been written by the second.
  const isFirst = person.round === 0;
  if (isFirst || callsWait || (await isUnfinished(db, person))) await runAgain(db, person);
}

/** Email to others as well stays scheduled; this recipient is left out when it is released. */
async function cancelScheduled(db: Db, { teamId, addressKey }: ErasedPerson): Promise<void> {
  const { rows } = await sql<Row<'emails', 'id'>>`
    select e.id from email_recipients r join emails e on e.team_id = r.team_id and e.id = r.email_id
    where r.team_id = ${teamId} and r.address_key = ${addressKey} and e.status = 'SCHEDULED' and e.source <> 'mailbox'
      and not exists (
        select from email_recipients other
        where other.team_id = r.team_id and other.email_id = r.email_id and other.no <> r.no
      )
  `.execute(db);
  if (rows.length > 0)
    await cancelWaiting(
      db,
      teamId,
      rows.map(({ id }) => id),
    );
}

/** A recipient that waits is skipped. The batches that a worker has leased are left until it has finished them. */
async function eraseFromLedgers(db: Db, { teamId, addressKey, alias }: ErasedPerson): Promise<void> {
  await sql`
    with batch as (
      select b.team_id, b.campaign_id, b.no, array_position(b.address_keys, ${addressKey}::text) as at
      from campaign_batches b where team_id = ${teamId} and leased_by is null and ${addressKey} = any(address_keys)
      for update
    ), skipped as (
      insert into campaign_recipients (
        team_id, campaign_id, address_key, contact_book_id, contact_id, state, reason, variant, due_at
      )
      select team_id, campaign_id, ${alias}, contact_book_id, contact_ids[batch.at], 'skipped', 'deleted', variant, due_at
      from batch join campaign_batches b using (team_id, campaign_id, no)
      on conflict do nothing
    )
    update campaign_batches b set contact_ids = kept.ids, address_keys = kept.keys,
      first_key = coalesce(kept.keys[1], ''), last_key = coalesce(kept.keys[cardinality(kept.keys)], '')
    from batch cross join lateral (
      select coalesce(array_agg(w.id order by w.no), '{}') as ids, coalesce(array_agg(w.key order by w.no), '{}') as keys
      from campaign_batches o cross join unnest(o.contact_ids, o.address_keys) with ordinality as w (id, key, no)
      where o.team_id = batch.team_id and o.campaign_id = batch.campaign_id and o.no = batch.no and w.no <> batch.at
    ) kept
    where b.team_id = batch.team_id and b.campaign_id = batch.campaign_id and b.no = batch.no
  `.execute(db);
  await sql`
    update campaign_recipients r set address_key = ${alias}, address = null, reply = null, transcript = null
    from campaigns c
    where c.team_id = ${teamId} and r.team_id = c.team_id and r.campaign_id = c.id and r.address_key = ${addressKey}
      and not exists (select from deliveries d where d.team_id = r.team_id and d.email_id = r.email_id)
  `.execute(db);
  await sql`
    update campaign_results r set address_key = ${alias}
    from campaigns c
    where c.team_id = ${teamId} and r.team_id = c.team_id and r.campaign_id = c.id and r.address_key = ${addressKey}
      and r.result in ('opened', 'clicked', 'bounced', 'complained', 'unsubscribed')
      and not exists (
        select from campaign_recipients l
        where l.team_id = r.team_id and l.campaign_id = r.campaign_id and l.address_key = r.address_key
      )
  `.execute(db);
}

/** A campaign remembers the last address that it has read. Once it has read all of them it needs none. */
async function eraseFromPositions(db: Db, { teamId, addressKey }: ErasedPerson): Promise<void> {
  await sql`
    update campaigns set audience_after = '' where team_id = ${teamId} and audience_after = ${addressKey} and audience_ready
  `.execute(db);
}

/** The times of automatic replies, and notes about the person. Received mail itself stays in its mailbox. */
async function eraseFromVacations(db: Db, { teamId, addressKey }: ErasedPerson): Promise<void> {
  await db
    .deleteFrom('vacation_replies')
    .where('team_id', '=', teamId)
    .where('address_key', '=', addressKey)
    .execute();
  for (const table of ['rule_replies', 'person_notes'] as const)
    await db.deleteFrom(table).where('team_id', '=', teamId).where('address_key', '=', addressKey).execute();
}

/** Runs stay in the counts of the report. The subjects of their emails may have merge tags of the person. */
async function eraseFromAutomations(db: Db, { teamId, addressKey, alias }: ErasedPerson): Promise<void> {
  await sql`delete from custom_events where team_id = ${teamId} and address_key = ${addressKey}`.execute(db);
  await sql`
    update automation_emails e set thread_subject = '' from automation_runs r
    where r.team_id = ${teamId} and r.address_key = ${addressKey} and e.team_id = r.team_id and e.run_id = r.id
  `.execute(db);
  await sql`
    update automation_runs set address_key = ${alias}, event = null, memory = memory - 'outputs'
    where team_id = ${teamId} and address_key = ${addressKey}
  `.execute(db);
}

/** Approvals of emails to others may name the person. */
async function eraseFromApprovals(db: Db, { teamId, addressKey }: ErasedPerson): Promise<void> {
  for (const column of ['reason', 'new_text'])
    await sql`
      update approvals set ${sql.ref(column)} = null
      where team_id = ${teamId} and state <> 'pending' and position(${addressKey} in lower(${sql.ref(column)})) > 0
    `.execute(db);
}

async function eraseFromImports(db: Db, { teamId }: ErasedPerson, pattern: string): Promise<void> {
  await sql`
    update contact_import_refusals set email = null where team_id = ${teamId} and lower(email) ~ ${pattern}
  `.execute(db);
}

/** Matches the address in lower case, but not inside a longer address. */
function patternOf(addressKey: string): string {
  const escaped = [...new Set(formsOf(addressKey))].map((form) =>
    form.replaceAll(/[^\p{L}\p{N}@]/gu, String.raw`\$&`),
  );
  return String.raw`(?<![\w.!#$%&'*+/=?^{|}~-])(${escaped.join('|')})(?![\w.-])`;
}

/** Email that has not left the queue and campaigns that have not sent to all addresses still need the address. */
async function isUnfinished(db: Db, { teamId, addressKey }: ErasedPerson): Promise<boolean> {
  const { rows } = await sql<{ isUnfinished: boolean }>`
    select exists (select from email_recipients where team_id = ${teamId} and address_key = ${addressKey})
      or exists (select from campaigns where team_id = ${teamId} and audience_after = ${addressKey})
      or exists (select from campaign_batches where team_id = ${teamId} and ${addressKey} = any(address_keys))
        as "isUnfinished"
  `.execute(db);
  return rows[0]!.isUnfinished;
}

/** Waits longer each time, because a paused webhook can keep its calls for weeks. */
async function runAgain(db: Db, person: ErasedPerson): Promise<void> {
  const minutes = Math.min(2 ** person.round, MAX_DELAY_MINUTES);
  const again = { ...person, round: person.round + 1 };
  const { teamId, addressKey } = person;
  await enqueue(db, 'erase-person', again, {
    jobKey: `erase-person ${teamId} ${addressKey}`,
    runAt: new Date(Date.now() + minutes * 60_000),
  });
}

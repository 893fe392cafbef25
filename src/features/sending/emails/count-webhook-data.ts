/**
 * Counts what an email adds to webhook calls. Each event of each recipient is told to each webhook, and every call
 * stores the sender, the recipients, the subject, tags and metadata of the email. So a small request with much metadata
 * and many recipients could store thousands of large calls (decision 40).
 */
import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';
import { countStored } from '../../../platform/memory/request-meter.ts';
import type { SubmittedMessage } from './submission.ts';

/** So much of each call is not counted, as the other rows of a recipient are not. */
const FREE_BYTES = 4 * 1024;
/** Accepted, sent and delivered. */
const EVENTS_OF_RECIPIENT = 3;

export async function countWebhookData(
  db: Db,
  teamId: number,
  { from, to, subject, labels, recipients }: SubmittedMessage,
): Promise<void> {
  const counted = JSON.stringify({ from, to, subject, ...labels }).length - FREE_BYTES;
  // An email to one recipient may use all of its metadata, however many webhooks there are.
  const others = recipients.length - 1;
  if (counted <= 0 || others <= 0) return;
  const { rows } = await sql<{ webhooks: number }>`
    select count(*)::integer as webhooks from webhooks
    where team_id = ${teamId} and status <> 'disabled'`.execute(db);
  countStored(counted * others * EVENTS_OF_RECIPIENT * rows[0]!.webhooks, 0);
}

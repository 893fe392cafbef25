/**
 * Calls the endpoint of a rule of a mailbox. The job is retried; when it has failed for a day, the log of the rule says
 * so. Only public addresses are called, as for webhooks, and the call is signed like theirs.
 */
import { sql } from 'kysely';
import { deriveKey } from '../../platform/crypto.ts';
import { DAY_MS } from '../../platform/durations.ts';
import type { Db } from '../../platform/database/database.ts';
import type { CamelRow } from '../../platform/database/rows.ts';
import { encodeId } from '../../platform/ids.ts';
import type { RuleJob } from '../jobs/jobs.ts';
import { findRule } from '../mailboxes/rules/rules.ts';
import { logRules } from '../mailboxes/rules/take-effect.ts';
import type { AutomationCallTools } from './call-automation-webhook.ts';
import { jsonRequest } from './format.ts';
import { sign } from './signature.ts';

type CalledMessage = CamelRow<
  'messages',
  'sender' | 'to_addresses' | 'subject' | 'created_at' | 'thread_id' | 'message_id'
>;

/** The secret by which the calls of a rule are signed. */
function ruleSecret(instanceSecret: Buffer, ruleId: string): string {
  return `whsec_${deriveKey(instanceSecret, `rule webhook ${ruleId}`).subarray(0, 24).toString('base64')}`;
}

export async function callRuleWebhook(
  db: Db,
  { endpoints, secret }: AutomationCallTools,
  job: RuleJob,
): Promise<void> {
  const { teamId, mailboxId, messageId, ruleId, no } = job;
  const action = (await findRule(db, teamId, ruleId))?.actions[no];
  const message = await findMessage(db, teamId, messageId);
  if (action?.type !== 'webhook' || !message) return;
  const request = jsonRequest({
    type: 'mailbox.rule',
    timestamp: message.createdAt.toISOString(),
    data: {
      ruleId: encodeId('rul', ruleId),
      mailboxId: encodeId('mbx', mailboxId),
      threadId: encodeId('thr', message.threadId),
      messageId: encodeId('msg', messageId),
      from: message.sender,
      to: message.toAddresses,
      subject: message.subject,
    },
  });
  // The ID is the same for every attempt, so that the endpoint can recognise a repetition.
  const id = `${encodeId('msg', messageId)}_${encodeId('rul', ruleId)}_${no}`;
  const headers = { ...sign([ruleSecret(secret, ruleId)], id, new Date(), request.body) };
  const attempt = await endpoints.post(action.url, { ...request, headers }, new AbortController().signal);
  if (attempt?.error === null) return;
  const reason = attempt?.error ?? 'closing';
  if (Date.now() - message.createdAt.getTime() < DAY_MS)
    throw new Error(`The endpoint of a rule cannot be reached: ${reason}`);
  const error = `The webhook could not be reached for a day: ${reason}.`;
  await logRules(db, { teamId, mailboxId }, [{ ruleId, messageId, actions: [], error }]);
}

async function findMessage(db: Db, teamId: number, id: string): Promise<CalledMessage | undefined> {
  const { rows } = await sql<CalledMessage>`
    select sender, to_addresses as "toAddresses", subject, created_at as "createdAt", thread_id as "threadId",
      message_id as "messageId"
    from messages where team_id = ${teamId} and id = ${id}
  `.execute(db);
  return rows[0];
}

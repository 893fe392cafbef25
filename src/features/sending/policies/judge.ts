/**
 * Judges an email of a key with send policies, in the transaction that stores it. The row of the key is locked first,
 * so that the limits of the policy hold however many emails come at the same moment.
 */
import { sql } from 'kysely';
import { sha256 } from '../../../platform/crypto.ts';
import type { Db } from '../../../platform/database/database.ts';
import { decodeId, encodeId, newUuid } from '../../../platform/ids.ts';
import { decideAll, newAddresses, type PolicyVerdict } from './decide-policy.ts';
import { readJudged, type MessageToJudge } from './judged-message.ts';
import { newTextOf, readSaid } from './new-text.ts';
import { hashAddress, readFacts } from './policy-facts.ts';
import { recordApprovals } from './record-approvals.ts';
import { findPolicies } from './policies.ts';

export interface EmailToJudge extends MessageToJudge {
  /** UUID of the email. */
  emailId: string;
  /** The comparison key of From. */
  fromKey: string;
  leavesAt: Date | null;
}

export interface JudgedBy {
  teamId: number;
  policyIds: readonly string[];
  /** `key_…` */
  by: string;
  isEmailApp?: boolean;
}

/** Why an email was held or blocked, as the API says it. */
export interface PolicyReason {
  rule: string;
  sentence: string;
}

export type Judgement =
  | { outcome: 'allow' }
  | { outcome: 'held'; approvalId: string; policy: PolicyReason }
  | { outcome: 'blocked'; policy: PolicyReason };

const APPROVAL_HOURS = 72;

export async function judge(trx: Db, sender: JudgedBy, email: EmailToJudge): Promise<Judgement> {
  const { teamId } = sender;
  const keyId = decodeId('key', sender.by)!;
  await sql`select 1 from api_keys where team_id = ${teamId} and id = ${keyId} for no key update`.execute(
    trx,
  );
  const policies = await findPolicies(trx, teamId, sender.policyIds);
  if (policies.length < sender.policyIds.length)
    return blocked({ rule: 'policy', sentence: 'The send policy of this key no longer exists.' });
  const message = await readJudged(email);
  const judged = { teamId, keyId, fromKey: email.fromKey, readsUnnoted: sender.isEmailApp ?? false };
  const facts = await readFacts(trx, judged, message, policies);
  const { outcome, rule, sentence }: PolicyVerdict = decideAll(policies, message, facts.of);
  if (outcome === 'blocked') return blocked({ rule, sentence });
  const { thread } = facts.of(policies[0]!);
  const fresh = newAddresses(message, facts.of(policies[0]!)).map(hashAddress);
  await sql`
    insert into policy_sends (team_id, email_id, key_id, is_held, thread_id, new_recipients, created_at)
    values (${teamId}, ${email.emailId}, ${keyId}, ${outcome === 'held'}, ${thread?.id ?? null}, ${fresh}::text[],
      clock_timestamp())
  `.execute(trx);
  if (outcome === 'allow') return { outcome };
  const id = newUuid();
  const newText = newTextOf(message, thread ? await readSaid(trx, teamId, thread.id) : []);
  await sql`
    insert into approvals (team_id, id, email_id, key_id, mailbox_id, thread_id, rule, sentence, tainted_by, hash,
      new_text, leaves_at, expires_at)
    values (${teamId}, ${id}, ${email.emailId}, ${keyId}, ${facts.mailboxId}, ${thread?.id ?? null}, ${rule},
      ${sentence}, ${facts.taintedBy}::text[], ${hashEmail(email.raw, message.recipients)}, ${newText},
      ${email.leavesAt},
      now() + make_interval(hours => ${APPROVAL_HOURS}))
  `.execute(trx);
  const requested = { id, emailId: email.emailId, keyId, mailboxId: facts.mailboxId, rule, reason: null };
  await recordApprovals(trx, teamId, 'pending', [requested]);
  return { outcome, approvalId: encodeId('apr', id), policy: { rule, sentence } };
}

/** What a person approves: who gets the email, and its bytes. */
export function hashEmail(raw: Buffer, recipients: readonly string[]): Buffer {
  return sha256(Buffer.concat([Buffer.from(`${recipients.toSorted().join('\n')}\n\n`), raw]));
}

function blocked(policy: PolicyReason): Judgement {
  return { outcome: 'blocked', policy };
}

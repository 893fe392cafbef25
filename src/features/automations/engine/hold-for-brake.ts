/** Holds the marketing emails of a domain whose brake is on (deliverability/brakes). */
import { parseMailbox } from '../../../mail/mime/address.ts';
import type { Db } from '../../../platform/database/database.ts';
import type { Row } from '../../../platform/database/rows.ts';
import { sql } from 'kysely';
import { decodeId } from '../../../platform/ids.ts';
import { isBraked } from '../../sending/domains/domain-brake.ts';
import type { AutomationStep } from '../definition/automations.schema.ts';
import type { RunRow } from '../runs/run-row.ts';
import type { Decision } from './decide.ts';
import type { ContactFacts } from './read-facts.ts';
import { toRecipient } from './send-step-email.ts';
import { fillValue } from './step-email.ts';

export const HELD_BY_BRAKE = 'brake';
/** A release moves the runs right away. */
const LOOK_AGAIN_MS = 15 * 60_000;

/** Replaces the decision to send an email that has to wait. */
export async function holdForBrake(
  db: Db,
  { run, step, contact }: { run: RunRow; step: AutomationStep; contact: ContactFacts },
  decision: Decision,
  now: Date,
): Promise<Decision> {
  if (decision.kind !== 'go' || decision.effect !== 'email') return decision;
  if (step.type !== 'email' || step.kind === 'transactional') return decision;
  const from = step.mailboxId
    ? await addressOf(db, run.teamId, step.mailboxId)
    : fillValue(step.from ?? '', toRecipient(run, contact, { unsubscribe: '', preferences: '' }));
  const domain = parseMailbox(from)?.domain;
  if (!domain || !(await isBraked(db, run.teamId, domain))) return decision;
  const until = new Date(now.getTime() + LOOK_AGAIN_MS);
  return { kind: 'wait', until, waitingFor: null, heldBy: HELD_BY_BRAKE, effect: null };
}

async function addressOf(db: Db, teamId: number, mailboxId: string): Promise<string> {
  const { rows } = await sql<Row<'mailboxes', 'address'>>`
    select address from mailboxes where team_id = ${teamId} and id = ${decodeId('mbx', mailboxId)}
  `.execute(db);
  return rows[0]?.address ?? '';
}

/**
 * Addresses at simulator.test that simulate bounces, delays, complaints, opens and clicks in the sandbox, so that every
 * event, webhook and chart can be tried without real mail. They work for all kinds of email, and are never suppressed,
 * because the next email to them would not be sent.
 */
import { databaseNow, type Db } from '../../../platform/database/database.ts';
import { enqueue, type SimulatedReader } from '../../jobs/jobs.ts';
import type { AttemptResult } from './attempt.ts';
import type { WireMessage } from './transport.ts';

const DOMAIN = 'simulator.test';
const PARTS = ['bounce', 'complaint', 'delay', 'open', 'click'] as const;
/** The delay@ address accepts the second attempt, which is made after this time. */
const DELAY_MS = 3_000;
/** How long after the delivery someone complains, opens or clicks. */
const REACTION_MS = 1_000;

type Part = (typeof PARTS)[number];

/** Anything may follow the name after a plus sign: bounce+42@simulator.test bounces too. */
export function readPart(recipient: string): Part | null {
  const at = recipient.lastIndexOf('@');
  if (recipient.slice(at + 1).toLowerCase() !== DOMAIN) return null;
  const [name = ''] = recipient.slice(0, at).toLowerCase().split('+');
  return PARTS.find((part) => part === name) ?? null;
}

/** Returns the rejection of the simulated server, or null if it accepts the message. */
export function refuse(part: Part, { attempts }: WireMessage): AttemptResult | null {
  if (part === 'bounce') {
    const reply = { code: 550, enhanced: '5.1.1', text: 'User unknown (simulated)' };
    return { outcome: 'bounced', reply, reason: reply.text, suppress: false };
  }
  if (part === 'delay' && attempts === 0) {
    const reply = { code: 450, enhanced: '4.2.1', text: 'Mailbox busy, try again later (simulated)' };
    return { outcome: 'deferred', reply, reason: reply.text, wholeSession: false, retryInMs: DELAY_MS };
  }
  return null;
}

/** A job makes the recipient react, after the delivery was recorded. */
export async function reactLater(db: Db, part: Part, message: WireMessage): Promise<void> {
  if (part !== 'complaint' && part !== 'open' && part !== 'click') return;
  const { teamId, emailId, recipientNo } = message;
  await enqueueReader(db, { teamId, emailId, recipientNo, part, round: 0 });
}

export async function enqueueReader(db: Db, reader: SimulatedReader): Promise<void> {
  const now = await databaseNow(db);
  await enqueue(db, 'simulate-reader', reader, { runAt: new Date(now.getTime() + REACTION_MS) });
}

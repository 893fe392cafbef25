/**
 * Decides what a run does at its step. The function is pure: the engine, the simulation and the tests call it with the
 * facts that the step needs (read-facts.ts) and a clock.
 */
import { createHash } from 'node:crypto';
import { endOfQuietHours, nextTimeOfDay, usableZone } from '../../../platform/time-of-day.ts';
import { parseDuration } from '../definition/duration.ts';
import type { AutomationStep, StepOfType } from '../definition/automations.schema.ts';

export interface RunAtStep {
  automationId: string;
  contactId: string;
  enteredAt: Date;
  /** Until when an automatic reply holds the run. */
  heldUntil: Date | null;
}

export interface StepFacts {
  /** The contact's property `timezone`. */
  contactZone: unknown;
  /** The zone of the automation. */
  timezone: string;
  /** For `condition`: whether the contact matches. */
  matches?: boolean;
  /** For `wait`: whether the event has happened. */
  happened?: boolean;
  /** For `email`: why the contact gets none. */
  skip?: string | null;
  /** For `email`: when the frequency cap allows the next one. Null: now. */
  capUntil?: Date | null;
  /** For `webhook`: the outcome of the call. Null: not called yet. Undefined: under way. */
  called?: 'ok' | 'failed' | null | undefined;
}

export type Decision =
  /** The step is done. The effects of the step belong to the same transaction. */
  | { kind: 'go'; way: string; result: string; effect: 'email' | 'update' | 'thread' | null }
  | { kind: 'wait'; until: Date; waitingFor: string | null; heldBy: string | null; effect: 'webhook' | null }
  | { kind: 'exit'; reason: string };

export function decide(step: AutomationStep, run: RunAtStep, facts: StepFacts, now: Date): Decision {
  if (run.heldUntil && run.heldUntil > now && step.type !== 'exit')
    return wait(run.heldUntil, {
      heldBy: 'auto_reply',
      waitingFor: step.type === 'wait' ? step.event : null,
    });
  const zone = usableZone(facts.contactZone, facts.timezone);
  switch (step.type) {
    case 'delay': {
      const until = endOfDelay(step, run.enteredAt, zone);
      return until <= now ? go('', 'done') : wait(until);
    }
    case 'wait': {
      const until = new Date(run.enteredAt.getTime() + parseDuration(step.timeout)!);
      if (facts.happened) return go('received', 'received');
      return until <= now ? go('timeout', 'timeout') : wait(until, { waitingFor: step.event });
    }
    case 'condition':
      return facts.matches ? go('yes', 'yes') : go('no', 'no');
    case 'split': {
      const way = chooseShare(step, `${run.automationId} ${step.key} ${run.contactId}`);
      return go(way, way);
    }
    case 'email':
      return decideEmail(step, facts, { zone, now });
    case 'update':
      return go('', 'done', 'update');
    case 'thread':
      return go('', 'done', 'thread');
    case 'webhook':
      return decideWebhook(facts, run, now);
    case 'goal':
      return go('', 'reached');
    case 'exit':
      return { kind: 'exit', reason: step.reason ?? 'exit' };
  }
}

function go(way: string, result: string, effect: 'email' | 'update' | 'thread' | null = null): Decision {
  return { kind: 'go', way, result, effect };
}

function wait(
  until: Date,
  { waitingFor = null, heldBy = null }: { waitingFor?: string | null; heldBy?: string | null } = {},
): Decision {
  return { kind: 'wait', until, waitingFor, heldBy, effect: null };
}

export function endOfDelay(step: StepOfType<'delay'>, enteredAt: Date, zone: string): Date {
  if (step.for) return new Date(enteredAt.getTime() + parseDuration(step.for)!);
  const { at, weekdays } = step.until!;
  return nextTimeOfDay({ at, weekdays: weekdays ?? undefined }, enteredAt, zone);
}

function decideEmail(
  { quietHours }: StepOfType<'email'>,
  { skip, capUntil }: StepFacts,
  { zone, now }: { zone: string; now: Date },
): Decision {
  if (skip) return go('', `skipped: ${skip}`);
  const quietUntil = quietHours ? endOfQuietHours(quietHours, now, zone) : null;
  if (quietUntil) return wait(quietUntil, { heldBy: 'quiet_hours' });
  if (capUntil && capUntil > now) return wait(capUntil, { heldBy: 'frequency_cap' });
  return go('', 'sent', 'email');
}

/** A call that is under way is looked at again when it has ended, or at the latest after a day. */
const LONGEST_CALL_MS = 25 * 60 * 60 * 1000;

function decideWebhook({ called }: StepFacts, { enteredAt }: RunAtStep, now: Date): Decision {
  if (called === 'ok' || called === 'failed') return go(called, called);
  const until = new Date(enteredAt.getTime() + LONGEST_CALL_MS);
  if (until <= now) return go('failed', 'failed');
  return {
    kind: 'wait',
    until,
    waitingFor: 'webhook',
    heldBy: null,
    effect: called === null ? 'webhook' : null,
  };
}

/** The same contact takes the same way again. */
function chooseShare({ shares }: StepOfType<'split'>, seed: string): string {
  const names = Object.keys(shares);
  const total = names.reduce((sum, name) => sum + shares[name]!, 0);
  const position = (createHash('sha256').update(seed).digest().readUInt32BE(0) / 2 ** 32) * total;
  let end = 0;
  for (const name of names) {
    end += shares[name]!;
    if (position < end) return name;
  }
  return names.findLast((name) => shares[name]! > 0)!;
}

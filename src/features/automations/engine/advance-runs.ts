/**
 * Moves runs as far as they go now, step by step together, so that a condition or an update of many runs is one
 * statement. The caller has locked the runs, and everything that happens here is one transaction: the effects of the
 * steps, their history, and the new positions. So a step takes effect once, whatever fails.
 */
import type { Db } from '../../../platform/database/database.ts';
import type { AutomationDefinition } from '../definition/automations.schema.ts';
import { findStep } from '../definition/graph.ts';
import type { RunRow } from '../runs/run-row.ts';
import { beginAdvance, end, type Advanced } from './advanced.ts';
import { readContacts, readMatches, type ContactFacts } from './read-facts.ts';
import type { StepTools } from './send-step-email.ts';
import { takeStep, type StepOfRun } from './take-step.ts';
import { updateContacts, type StepUpdate } from './update-step.ts';

/** A run that goes on longer gives way to others first. */
const STEPS_AT_ONCE = 50;
const MOST_STEPS = 10_000;

interface MovingRun {
  run: RunRow;
  definition: AutomationDefinition;
}

export async function advanceRuns(
  trx: Db,
  runs: MovingRun[],
  tools: StepTools,
  now: Date,
): Promise<Advanced[]> {
  const contacts = await readContacts(
    trx,
    runs.map(({ run }) => run),
  );
  const moving = runs.map(({ run, definition }) => ({ advanced: beginAdvance(run), definition }));
  // Runs of the same contact follow each other, because each sees what the others have changed.
  for (const distinct of splitByContact(moving)) await advanceTogether(trx, distinct, contacts, tools, now);
  return moving.map(({ advanced }) => advanced);
}

interface Moving {
  advanced: Advanced;
  definition: AutomationDefinition;
}

/** Each list has every contact once. */
function splitByContact(moving: Moving[]): Moving[][] {
  const lists: Moving[][] = [];
  const seen = new Map<string, number>();
  for (const each of moving) {
    const { contactId } = each.advanced.run;
    const at = seen.get(contactId) ?? 0;
    seen.set(contactId, at + 1);
    (lists[at] ??= []).push(each);
  }
  return lists;
}

/** `contacts` has the contacts by their IDs, and learns what the steps change. */
async function advanceTogether(
  trx: Db,
  runs: Moving[],
  contacts: Map<string, ContactFacts>,
  tools: StepTools,
  now: Date,
): Promise<void> {
  let moving = runs;
  for (let taken = 0; taken < STEPS_AT_ONCE && moving.length > 0; taken++) {
    const atSteps = moving.flatMap((each) => findNext(each, contacts) ?? []);
    const matches = await readMatches(
      trx,
      atSteps.map(({ advanced: { run }, step }) => ({ run, step })),
    );
    const updates: StepUpdate[] = [];
    moving = [];
    for (const at of atSteps) {
      const goesOn = await takeStep(trx, at, {
        tools,
        now,
        updates,
        matches: matches.get(at.advanced.run.id),
      });
      if (goesOn) moving.push(at);
    }
    if (updates.length === 0) continue;
    await updateContacts(trx, updates);
    // Later steps, and other runs of the contacts, see what has changed.
    const changed = updates.map(({ run }) => run);
    for (const [id, contact] of await readContacts(trx, changed)) contacts.set(id, contact);
  }
  for (const { advanced } of moving) advanced.run.dueAt = now;
}

/** Returns null when the run has ended. */
function findNext(moving: Moving, contacts: Map<string, ContactFacts>): StepOfRun | null {
  const { advanced, definition } = moving;
  const { run } = advanced;
  const contact = contacts.get(run.contactId);
  if (!contact) return end(advanced, 'EXITED', 'contact_deleted');
  if (definition.exitOn.includes('unsubscribed') && hasLeft(contact, run.startedAt))
    return end(advanced, 'EXITED', 'unsubscribed');
  const step = findStep(definition, run.step);
  if (!step) return run.step === null ? end(advanced, 'DONE', null) : end(advanced, 'EXITED', 'step_removed');
  if (run.stepsDone >= MOST_STEPS) return end(advanced, 'FAILED', 'too_long');
  return { ...moving, step, contact };
}

/** Whoever had unsubscribed before takes the steps, and marketing emails are skipped. */
function hasLeft({ subscription, subscriptionChangedAt }: ContactFacts, startedAt: Date): boolean {
  return subscription === 'unsubscribed' && subscriptionChangedAt > startedAt;
}

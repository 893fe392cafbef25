/** Takes one step of a run: reads its facts, decides, and makes what the step makes. */
import { sql } from 'kysely';
import { toOneLine } from '../../../mail/mime/header-encoding.ts';
import type { Db } from '../../../platform/database/database.ts';
import type { AutomationDefinition, AutomationStep } from '../definition/automations.schema.ts';
import { nextStep } from '../definition/ways.ts';
import type { RunRow } from '../runs/run-row.ts';
import { end, moveTo, note, waitAt, type Advanced } from './advanced.ts';
import { decide, type Decision } from './decide.ts';
import { holdForBrake } from './hold-for-brake.ts';
import { canBeMended, holdAt } from './hold-runs.ts';
import { readFacts, type ContactFacts } from './read-facts.ts';
import { sendStepEmail, toRecipient, type StepTools } from './send-step-email.ts';
import { fillValue } from './step-email.ts';
import type { StepUpdate } from './update-step.ts';

export interface StepOfRun {
  advanced: Advanced;
  definition: AutomationDefinition;
  step: AutomationStep;
  contact: ContactFacts;
}

interface Taking {
  tools: StepTools;
  now: Date;
  /** Takes updates of contacts, which are made together. */
  updates: StepUpdate[];
  matches: boolean | undefined;
}

/** Returns whether the run goes on to its next step now. */
export async function takeStep(
  trx: Db,
  { advanced, definition, step, contact }: StepOfRun,
  { tools, now, updates, matches }: Taking,
): Promise<boolean> {
  const { run } = advanced;
  const facts = await readFacts(trx, { run, step, definition, contact }, matches);
  const heldUntil = run.memory.heldUntil ? new Date(run.memory.heldUntil) : null;
  const wanted = decide(step, { ...run, heldUntil }, facts, now);
  const decision = await holdForBrake(trx, { run, step, contact }, wanted, now);
  if (decision.kind === 'wait') {
    waitAt(advanced, step, decision);
    return false;
  }
  if (decision.kind === 'exit') {
    note(advanced, step, 'exit', null);
    end(advanced, 'EXITED', decision.reason, { keepsEmails: true });
    return false;
  }
  const take = () => takeEffect(trx, { run, step, contact, decision }, tools);
  const effect = await (tools.holdsFailures ? orHold(trx, advanced, now, take) : take());
  if (!effect) return false;
  const { emailId = null, result = decision.result } = effect;
  if (step.type === 'update') {
    const recipient = toRecipient(run, contact, { unsubscribe: '', preferences: '' });
    updates.push({ run: { ...run }, step, recipient });
  }
  if (emailId) {
    advanced.hasSent = true;
    const { teamId, automationId } = run;
    advanced.counted.push({ teamId, automationId, step: '', name: 'sent' });
  }
  note(advanced, step, result, emailId, decision.way);
  moveTo(advanced, nextStep(definition.steps, step, decision.way), now);
  return true;
}

/** Returns null if someone has to mend something first. */
async function orHold(
  trx: Db,
  advanced: Advanced,
  now: Date,
  take: () => Promise<Effect>,
): Promise<Effect | null> {
  await sql`savepoint before_step`.execute(trx);
  try {
    const effect = await take();
    await sql`release savepoint before_step`.execute(trx);
    return effect;
  } catch (error) {
    if (!canBeMended(error)) throw error;
    await sql`rollback to savepoint before_step`.execute(trx);
    holdAt(advanced, error, now);
    return null;
  }
}

interface Effect {
  emailId?: string;
  /** Set when it differs from the decision. */
  result?: string;
}

async function takeEffect(
  trx: Db,
  {
    run,
    step,
    contact,
    decision,
  }: { run: RunRow; step: AutomationStep; contact: ContactFacts; decision: Decision & { kind: 'go' } },
  tools: StepTools,
): Promise<Effect> {
  if (decision.effect === 'email' && step.type === 'email')
    return { emailId: await sendStepEmail(trx, { run, step, contact }, tools) };
  if (step.type !== 'thread') return {};
  const recipient = toRecipient(run, contact, { unsubscribe: '', preferences: '' });
  const { mailboxId, draft, assign, label, note } = step;
  const { threadId } = run.event?.data ?? {};
  const didAct = await tools.mailboxes.actOnThread(trx, {
    teamId: run.teamId,
    runId: run.id,
    mailboxId,
    email: contact.email,
    threadId:
      run.event?.name === 'mailbox.message.received' && typeof threadId === 'string' ? threadId : null,
    draft: draft
      ? {
          subject: toOneLine(fillValue(draft.subject ?? '', recipient)),
          html: fillValue(draft.html, recipient, 'html'),
        }
      : null,
    assign: assign ?? null,
    label: label ? fillValue(label, recipient) : null,
    note: note ? fillValue(note, recipient, 'html') : null,
  });
  return didAct ? {} : { result: 'skipped: no_conversation' };
}

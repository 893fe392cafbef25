/**
 * Moves a run as far as it goes now. The caller has locked the run, and everything that happens here is one transaction:
 * the effects of the steps, their history, and the new position. So a step takes effect once, whatever fails.
 */
import { toOneLine } from '../../../mail/mime/header-encoding.ts';
import type { Db } from '../../../platform/database/database.ts';
import type { AutomationDefinition, AutomationStep } from '../definition/automations.schema.ts';
import { findStep } from '../definition/graph.ts';
import { nextStep } from '../definition/ways.ts';
import type { Counted } from '../runs/count-runs.ts';
import type { EndedRun } from '../runs/end-runs.ts';
import type { RunRow } from '../runs/run-row.ts';
import { decide, type Decision } from './decide.ts';
import { holdForBrake } from './hold-for-brake.ts';
import { readContacts, readFacts, type ContactFacts } from './read-facts.ts';
import { sendStepEmail, toRecipient, type StepTools } from './send-step-email.ts';
import { fillValue } from './step-email.ts';
import { updateContactOfRun } from './update-step.ts';

/** A run that goes on longer gives way to others first. */
const STEPS_AT_ONCE = 50;
const MOST_STEPS = 10_000;

interface DoneStep {
  teamId: number;
  runId: string;
  no: number;
  step: string;
  type: AutomationStep['type'];
  version: number;
  result: string;
  emailId: string | null;
}

/** What is written about a run when it has moved. */
export interface Advanced {
  run: RunRow;
  done: DoneStep[];
  counted: Counted[];
  ended: EndedRun | null;
  /** The call that has to be made. */
  webhook: { step: string; visit: number } | null;
  hasSent: boolean;
}

/** `contacts` has the contacts of the runs that move together, by their IDs. */
export async function advanceRun(
  trx: Db,
  given: RunRow,
  definition: AutomationDefinition,
  contacts: Map<string, ContactFacts>,
  tools: StepTools,
  now: Date,
): Promise<Advanced> {
  const advanced: Advanced = {
    run: { ...given, memory: { ...given.memory } },
    done: [],
    counted: [],
    ended: null,
    webhook: null,
    hasSent: false,
  };
  const { run } = advanced;
  for (let taken = 0; taken < STEPS_AT_ONCE; taken++) {
    const contact = contacts.get(run.contactId);
    if (!contact) return end(advanced, 'EXITED', 'contact_deleted');
    if (contact.subscription === 'unsubscribed' && definition.exitOn.includes('unsubscribed'))
      return end(advanced, 'EXITED', 'unsubscribed');
    const step = findStep(definition, run.step);
    if (!step)
      return run.step === null ? end(advanced, 'DONE', null) : end(advanced, 'EXITED', 'step_removed');
    if (run.stepsDone >= MOST_STEPS) return end(advanced, 'FAILED', 'too_long');
    const facts = await readFacts(trx, { run, step, definition, contact });
    const heldUntil = run.memory.heldUntil ? new Date(run.memory.heldUntil) : null;
    const wanted = decide(step, { ...run, heldUntil }, facts, now);
    const decision = await holdForBrake(trx, { run, step, contact }, wanted, now);
    if (decision.kind === 'wait') return waitAt(advanced, step, decision);
    if (decision.kind === 'exit') {
      note(advanced, step, 'exit', null);
      return end(advanced, 'EXITED', decision.reason, { keepsEmails: true });
    }
    const { emailId = null, result = decision.result } = await takeEffect(
      trx,
      { run, step, contact, decision },
      tools,
    );
    // Later steps, and other runs of the contact, see what the step has changed.
    if (decision.effect === 'update')
      for (const [id, changed] of await readContacts(trx, [run])) contacts.set(id, changed);
    if (emailId) {
      advanced.hasSent = true;
      const { teamId, automationId } = run;
      advanced.counted.push({ teamId, automationId, step: '', name: 'sent' });
    }
    note(advanced, step, result, emailId, decision.way);
    moveTo(advanced, nextStep(definition.steps, step, decision.way), now);
  }
  run.dueAt = now;
  return advanced;
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
  const recipient = toRecipient(run, contact, { unsubscribe: '', preferences: '' });
  if (step.type === 'update') await updateContactOfRun(trx, run, step, recipient);
  if (step.type !== 'thread') return {};
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

function note(
  advanced: Advanced,
  step: AutomationStep,
  result: string,
  emailId: string | null,
  way = '',
): void {
  const { run, done, counted } = advanced;
  const { teamId, automationId } = run;
  run.stepsDone += 1;
  done.push({
    teamId,
    runId: run.id,
    no: run.stepsDone,
    step: step.key,
    type: step.type,
    version: run.version,
    result,
    emailId,
  });
  const outcome = result.startsWith('skipped') ? 'skipped' : 'done';
  counted.push({ teamId, automationId, step: step.key, name: outcome });
  if (way !== '') counted.push({ teamId, automationId, step: step.key, name: `way:${way}` });
}

function moveTo(advanced: Advanced, key: string | null, now: Date): void {
  const { run, counted } = advanced;
  const { [run.step ?? '']: before = run.visit } = run.memory.visits ?? {};
  const visits = { ...run.memory.visits, ...(run.step ? { [run.step]: Math.max(before, run.visit) } : {}) };
  run.memory = { ...run.memory, visits };
  delete run.memory.heldUntil;
  run.step = key;
  run.visit = key === null ? 1 : (visits[key] ?? 0) + 1;
  run.enteredAt = now;
  run.waitingFor = null;
  run.heldBy = null;
  run.attempts = 0;
  if (key !== null)
    counted.push({ teamId: run.teamId, automationId: run.automationId, step: key, name: 'entered' });
}

function waitAt(advanced: Advanced, step: AutomationStep, decision: Decision & { kind: 'wait' }): Advanced {
  const { run } = advanced;
  run.dueAt = decision.until;
  run.waitingFor = decision.waitingFor;
  run.heldBy = decision.heldBy;
  run.attempts = 0;
  if (decision.effect === 'webhook') {
    advanced.webhook = { step: step.key, visit: run.visit };
    run.memory = {
      ...run.memory,
      calls: { ...run.memory.calls, [`${step.key} ${run.visit}`]: 'under way' },
    };
  }
  return advanced;
}

function end(
  advanced: Advanced,
  status: EndedRun['status'],
  reason: string | null,
  { keepsEmails = false } = {},
): Advanced {
  const { teamId, id, automationId, contactId } = advanced.run;
  return { ...advanced, ended: { teamId, id, automationId, contactId, status, reason, keepsEmails } };
}

/** What a run has done since it was locked, in memory. run-due.ts stores it. */
import type { AutomationStep } from '../definition/automations.schema.ts';
import type { Counted } from '../runs/count-runs.ts';
import type { EndedRun } from '../runs/end-runs.ts';
import type { RunRow } from '../runs/run-row.ts';
import type { Decision } from './decide.ts';

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
  /** Why its step cannot be done until someone mends something. At most one. */
  held: string[];
}

export function beginAdvance(run: RunRow): Advanced {
  return {
    run: { ...run, memory: { ...run.memory } },
    done: [],
    counted: [],
    ended: null,
    webhook: null,
    hasSent: false,
    held: [],
  };
}

export function note(
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

export function moveTo(advanced: Advanced, key: string | null, now: Date): void {
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

export function waitAt(
  advanced: Advanced,
  step: AutomationStep,
  decision: Decision & { kind: 'wait' },
): void {
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
}

export function end(
  advanced: Advanced,
  status: EndedRun['status'],
  reason: string | null,
  { keepsEmails = false } = {},
): null {
  const { teamId, id, automationId, contactId } = advanced.run;
  advanced.ended = { teamId, id, automationId, contactId, status, reason, keepsEmails };
  return null;
}

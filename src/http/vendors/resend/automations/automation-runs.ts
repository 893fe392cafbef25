/** Runs of automations, with all steps: those that are done, the one that is next, and those that may follow. */
import { z } from 'zod';
import { getRun, listRuns, readRunSteps } from '../../../../features/automations/reports/runs.ts';
import type {
  AutomationRun,
  AutomationRunDetails,
} from '../../../../features/automations/reports/runs.schema.ts';
import { badRequest, notFound } from '../../../../platform/errors.ts';
import { pathId, text } from '../../../../platform/schema.ts';
import { listOf, listQueryWith, toList, toPageRequest } from '../routing/lists.ts';
import { resendRoute } from '../routing/resend-route.ts';
import { findTriggerKey, presentStep } from './steps.ts';

const STATUSES = {
  running: ['ACTIVE'],
  completed: ['DONE', 'EXITED'],
  failed: ['FAILED'],
  cancelled: ['CANCELLED'],
} as const satisfies Record<string, readonly AutomationRun['status'][]>;
type Status = keyof typeof STATUSES;

const listed = z.object({
  id: z.string(),
  status: z.enum(['running', 'completed', 'failed', 'cancelled']),
  started_at: z.string().nullable(),
  completed_at: z.string().nullable(),
  created_at: z.string(),
});
const openObject = z.record(z.string(), z.unknown()).nullable();
const step = z.object({
  key: z.string(),
  type: z.string(),
  status: z.enum(['pending', 'running', 'completed', 'failed', 'skipped', 'waiting']),
  output: openObject,
  error: openObject,
  started_at: z.string().nullable(),
  completed_at: z.string().nullable(),
  created_at: z.string(),
});
const shown = listed.extend({ object: z.literal('automation_run'), steps: z.array(step) });
type ShownStep = z.output<typeof step>;

export const resendAutomationRunRoutes = [
  resendRoute({
    method: 'GET',
    path: '/automations/{id}/runs',
    scope: 'automations.read',
    permission: 'full',
    params: z.object({ id: pathId() }),
    query: listQueryWith({ status: text({ max: 100 }).optional() }),
    answer: listOf(listed),
    handle: async ({ db, teamId, params: { id }, query: { status, ...query } }) =>
      toList(
        await listRuns(db, teamId, id, {
          ...toPageRequest(query),
          status: status ? readStatuses(status) : undefined,
        }),
        presentListed,
      ),
  }),
  resendRoute({
    method: 'GET',
    path: '/automations/{id}/runs/{run}',
    scope: 'automations.read',
    permission: 'full',
    params: z.object({ id: pathId(), run: pathId() }),
    answer: shown,
    async handle({ db, teamId, params: { id, run: runId } }) {
      const run = await getRun(db, teamId, runId);
      if (run.automationId !== id) throw notFound('Run');
      const version = await readRunSteps(db, teamId, runId);
      return {
        object: 'automation_run' as const,
        ...presentListed(run),
        steps: presentRunSteps(run, version),
      };
    },
  }),
];

function readStatuses(value: string): AutomationRun['status'][] {
  return value.split(',').flatMap((name): readonly AutomationRun['status'][] => {
    if (!Object.hasOwn(STATUSES, name))
      throw badRequest(`status must be one or more of ${Object.keys(STATUSES).join(', ')}.`);
    return STATUSES[name as Status];
  });
}

function presentListed({ id, status: ours, startedAt, endedAt }: AutomationRun) {
  const status = (Object.keys(STATUSES) as Status[]).find((name) =>
    STATUSES[name].some((each) => each === ours),
  )!;
  return { id, status, started_at: startedAt, completed_at: endedAt, created_at: startedAt };
}

/** A step that was visited several times is shown as it was the last time. */
function presentRunSteps(
  run: AutomationRunDetails,
  { steps, triggerKey, failedAt }: Awaited<ReturnType<typeof readRunSteps>>,
): ShownStep[] {
  const { startedAt } = run;
  const common = { output: null, error: null, started_at: null, completed_at: null, created_at: startedAt };
  const trigger: ShownStep = {
    ...common,
    key: findTriggerKey(steps, triggerKey),
    type: 'trigger',
    status: 'completed',
    output: run.event?.data ?? null,
    started_at: startedAt,
    completed_at: startedAt,
  };
  const shownSteps = steps.map((each): ShownStep => {
    const { key, type } = presentStep(each);
    const done = run.history.findLast((entry) => entry.key === key);
    if (run.status === 'ACTIVE' && run.step === key) {
      const isWaiting = each.type === 'delay' || each.type === 'wait' || run.heldBy !== null;
      return { ...common, key, type, status: isWaiting ? 'waiting' : 'running', started_at: startedAt };
    }
    if (run.status === 'FAILED' && failedAt === key)
      return { ...common, key, type, status: 'failed', error: { message: run.reason ?? 'error' } };
    if (!done) return { ...common, key, type, status: run.status === 'ACTIVE' ? 'pending' : 'skipped' };
    const output = { result: done.result, ...(done.emailId ? { email_id: done.emailId } : {}) };
    return {
      ...common,
      key,
      type,
      status: done.result.startsWith('skipped') ? 'skipped' : 'completed',
      output,
      started_at: done.at,
      completed_at: done.at,
      created_at: done.at,
    };
  });
  return [trigger, ...shownSteps];
}

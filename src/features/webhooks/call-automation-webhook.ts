/**
 * Calls the endpoint of a webhook step of an automation. The job is retried for a day; then the run takes the way
 * `failed`. Only public addresses are called, as for webhooks, and the call is signed like theirs.
 */
import { sql } from 'kysely';
import { DAY_MS } from '../../platform/durations.ts';
import { inTransaction, type Db } from '../../platform/database/database.ts';
import { encodeId } from '../../platform/ids.ts';
import { toStorable } from '../../platform/storable-text.ts';
import type { AutomationDefinition } from '../automations/definition/automations.schema.ts';
import { findStep } from '../automations/definition/graph.ts';
import { fillCall } from '../automations/engine/fill-call.ts';
import { readContacts } from '../automations/engine/read-facts.ts';
import { toRecipient } from '../automations/engine/send-step-email.ts';
import { presentEvent, RUN_COLUMNS, type RunRow } from '../automations/runs/run-row.ts';
import { automationSecret } from '../automations/webhook-secret.ts';
import type { JobPayloads } from '../jobs/jobs.ts';
import type { EndpointCaller } from './endpoint.ts';
import { jsonRequest } from './format.ts';
import { sign } from './signature.ts';

const MAX_OUTPUT_BYTES = 4 * 1024;
const MAX_OUTPUTS_BYTES = 64 * 1024;

type CallingRun = RunRow & { definition: AutomationDefinition };

export interface AutomationCallTools {
  endpoints: EndpointCaller;
  secret: Buffer;
}

export async function callAutomationWebhook(
  db: Db,
  { endpoints, secret }: AutomationCallTools,
  { teamId, runId, step: key, visit }: JobPayloads['call-automation-webhook'],
): Promise<void> {
  const run = await findRun(db, teamId, runId);
  const step = run && findStep(run.definition, key);
  if (!run || run.status !== 'ACTIVE' || run.step !== key || run.visit !== visit || step?.type !== 'webhook')
    return;
  const contact = (await readContacts(db, [run])).get(run.contactId);
  if (!contact) return;
  const call = fillCall(step, toRecipient(run, contact, { unsubscribe: '', preferences: '' }));
  if (!call || !URL.canParse(call.url)) return store(db, { teamId, runId, key, visit }, 'failed', null);
  const body = {
    type: 'automation.webhook',
    timestamp: run.enteredAt.toISOString(),
    data: {
      ...call.data,
      runId: encodeId('run', runId),
      automationId: encodeId('aut', run.automationId),
      contactId: encodeId('con', run.contactId),
      email: contact.email,
      step: key,
      event: run.event && presentEvent(run.event),
    },
  };
  const request = jsonRequest(body);
  // The ID is the same for every attempt, so that the endpoint can recognise a repetition.
  const id = `${encodeId('run', runId)}_${key}_${visit}`;
  const signed = sign([automationSecret(secret, run.automationId)], id, new Date(), request.body);
  const headers = { ...call.headers, ...signed };
  const attempt = await endpoints.post(call.url, { ...request, headers }, new AbortController().signal);
  if (attempt?.error === null) return store(db, { teamId, runId, key, visit }, 'ok', attempt.answer);
  if (Date.now() - run.enteredAt.getTime() >= DAY_MS)
    return store(db, { teamId, runId, key, visit }, 'failed', null);
  throw new Error(`The endpoint of a webhook step cannot be reached: ${attempt?.error ?? 'closing'}`);
}

async function findRun(db: Db, teamId: number, runId: string): Promise<CallingRun | undefined> {
  const { rows } = await sql<CallingRun>`
    select ${RUN_COLUMNS}, v.definition from automation_runs r
    join automation_versions v on v.team_id = r.team_id and v.automation_id = r.automation_id and v.version = r.version
    where r.team_id = ${teamId} and r.id = ${runId}
  `.execute(db);
  return rows[0];
}

async function store(
  db: Db,
  { teamId, runId, key, visit }: { teamId: number; runId: string; key: string; visit: number },
  outcome: 'ok' | 'failed',
  answer: string | null,
): Promise<void> {
  await inTransaction(db, async (trx) => {
    const { rows } = await sql<RunRow>`
      select ${RUN_COLUMNS} from automation_runs r where r.team_id = ${teamId} and r.id = ${runId} for update
    `.execute(trx);
    const memory = rows[0]?.memory;
    if (!memory) return;
    const next = {
      ...memory,
      calls: { ...memory.calls, [`${key} ${visit}`]: outcome },
      outputs: withOutput(memory.outputs, key, readJson(answer)),
    };
    await sql`
      update automation_runs set memory = ${JSON.stringify(next)}::jsonb, due_at = now()
      where team_id = ${teamId} and id = ${runId} and status = 'ACTIVE'
    `.execute(trx);
  });
}

/** The run is written after each step, so all that it remembers is limited. */
function withOutput(outputs: RunRow['memory']['outputs'], key: string, value: Record<string, unknown>) {
  const all = { ...outputs, [key]: value };
  return Buffer.byteLength(JSON.stringify(all)) > MAX_OUTPUTS_BYTES ? { ...outputs, [key]: {} } : all;
}

/** Anything but a small JSON object is left out, and so is what PostgreSQL cannot store. */
function readJson(answer: string | null): Record<string, unknown> {
  if (!answer || Buffer.byteLength(answer) > MAX_OUTPUT_BYTES) return {};
  try {
    const value: unknown = JSON.parse(answer, (_name, each: unknown) =>
      typeof each === 'string' ? toStorable(each) : each,
    );
    if (/\\u0000|\\ud[89a-f]/.test(JSON.stringify(value))) return {};
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : {};
  } catch {
    return {};
  }
}

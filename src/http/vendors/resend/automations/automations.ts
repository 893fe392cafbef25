/**
 * Automations, as Resend has them: enabled or not, and without versions. A change of the steps is published right away,
 * and runs under way finish as they began. `disabled` is DRAFT or PAUSED.
 */
import { z } from 'zod';
import {
  createAutomation,
  deleteAutomation,
  duplicateAutomation,
  findAutomation,
  listAutomations,
  updateAutomation,
  type AutomationRow,
} from '../../../../features/automations/automations.ts';
import {
  automationInput,
  automationUpdate,
  type Automation,
} from '../../../../features/automations/definition/automations.schema.ts';
import {
  activateAutomation,
  pauseAutomation,
  publishAutomation,
  resumeAutomation,
} from '../../../../features/automations/states.ts';
import type { Caller } from '../../../../features/api/caller.ts';
import type { Facts } from '../../../../features/instance/facts.ts';
import { inTransaction, type Db } from '../../../../platform/database/database.ts';
import { pathId, text } from '../../../../platform/schema.ts';
import { validate } from '../../../requests/validate.ts';
import { isMemberSegment } from '../../../../features/audience/segments/member-segments.ts';
import { getSegment } from '../../../../features/audience/segments/segments.ts';
import { ensureContacts } from '../audience/audience.ts';
import { listOf, listQueryWith, toList, toPageRequest } from '../routing/lists.ts';
import { deleteRoute } from '../routing/object-routes.ts';
import { repeated, resendRoute } from '../routing/resend-route.ts';
import { refuse } from './rules.ts';
import { connectionsSchema, presentSteps, stepsSchema, toDefinition } from './steps.ts';

const STATUSES = {
  enabled: ['ACTIVE', 'CLOSED'],
  disabled: ['DRAFT', 'PAUSED'],
} as const satisfies Record<string, readonly AutomationRow['status'][]>;

const status = z.enum(['enabled', 'disabled']);
const automationName = text({ min: 1, max: 200, trim: true });
const newAutomation = z.strictObject({
  name: automationName,
  status: status.nullish(),
  steps: stepsSchema,
  connections: connectionsSchema,
});
const change = z.strictObject({
  ...repeated('id'),
  name: automationName.optional(),
  status: status.optional(),
  steps: stepsSchema.optional(),
  connections: connectionsSchema.optional(),
});

const listed = z.object({
  id: z.string(),
  name: z.string(),
  status,
  created_at: z.string(),
  updated_at: z.string(),
});
const shown = listed.extend({
  object: z.literal('automation'),
  steps: z.array(z.object({ key: z.string(), type: z.string(), config: z.record(z.string(), z.unknown()) })),
  connections: z.array(z.object({ from: z.string(), to: z.string(), type: z.string() })),
});
const named = z.object({ object: z.literal('automation'), id: z.string() });
const params = z.object({ id: pathId() });
const object = 'automation' as const;

export const resendAutomationRoutes = [
  resendRoute({
    method: 'POST',
    path: '/automations',
    scope: 'automations.write',
    permission: 'full',
    creates: 'automations',
    body: newAutomation,
    answer: named,
    async handle({ db, caller, facts, body: { name, steps, connections, status: wanted } }) {
      const { triggerKey, ...definition } = toDefinition(steps, connections);
      await requireSegments(db, caller.teamId, steps);
      const contactBookId = await ensureContacts(db, caller.teamId);
      // After an unsubscribe, emails are skipped and the other steps go on.
      const input = validate(automationInput, {
        name,
        contactBookId,
        reentry: 'always',
        exitOn: [],
        ...definition,
      });
      const { id } = await inTransaction(db, async (trx) => {
        const made = await createAutomation(trx, caller.teamId, input, { triggerKey });
        return wanted === 'enabled' ? activateAutomation(trx, caller, facts, made.id) : made;
      });
      return { object, id };
    },
  }),
  resendRoute({
    method: 'GET',
    path: '/automations',
    scope: 'automations.read',
    permission: 'full',
    query: listQueryWith({ status: status.optional() }),
    answer: listOf(listed),
    handle: async ({ db, teamId, query: { status: wanted, ...query } }) =>
      toList(
        await listAutomations(db, teamId, {
          ...toPageRequest(query),
          status: wanted && STATUSES[wanted],
        }),
        presentListed,
      ),
  }),
  resendRoute({
    method: 'GET',
    path: '/automations/{id}',
    scope: 'automations.read',
    permission: 'full',
    params,
    answer: shown,
    async handle({ db, teamId, params: { id } }) {
      const row = await findAutomation(db, teamId, id);
      return { object, ...presentRow(row, id), ...presentSteps(row.definition) };
    },
  }),
  resendRoute({
    method: 'PATCH',
    path: '/automations/{id}',
    scope: 'automations.write',
    permission: 'full',
    params,
    body: change,
    answer: named,
    async handle({ db, caller, facts, params: { id }, body }) {
      await inTransaction(db, (trx) => update(trx, { caller, facts }, id, body));
      return { object, id };
    },
  }),
  deleteRoute({
    path: '/automations/{id}',
    scope: 'automations.write',
    permission: 'full',
    object,
    remove: ({ db, teamId }, id) => deleteAutomation(db, teamId, id),
  }),
  resendRoute({
    method: 'POST',
    path: '/automations/{id}/duplicate',
    scope: 'automations.write',
    permission: 'full',
    creates: 'automations',
    params,
    answer: named,
    handle: async ({ db, teamId, params: { id } }) => ({
      object,
      id: (await duplicateAutomation(db, teamId, id)).id,
    }),
  }),
  resendRoute({
    method: 'POST',
    path: '/automations/{id}/stop',
    scope: 'automations.write',
    permission: 'full',
    storesLittle: true,
    params,
    answer: named.extend({ status: z.literal('disabled') }),
    async handle({ db, teamId, params: { id } }) {
      await inTransaction(db, (trx) => disable(trx, teamId, id));
      return { object, id, status: 'disabled' as const };
    },
  }),
];

async function update(
  trx: Db,
  { caller, facts }: { caller: Caller; facts: Facts },
  id: string,
  body: z.output<typeof change>,
): Promise<void> {
  const { teamId } = caller;
  const row = await findAutomation(trx, teamId, id, 'for update');
  const { name, status: wanted } = body;
  const fields: object[] = [name === undefined ? {} : { name }];
  let triggerKey: string | undefined;
  if (body.steps || body.connections) {
    const before = presentSteps(row.definition);
    const steps = body.steps ?? validate(stepsSchema, before.steps);
    const connections = body.connections ?? validate(connectionsSchema, before.connections);
    await requireSegments(trx, teamId, steps);
    const { triggerKey: start, ...definition } = toDefinition(steps, connections);
    fields.push(definition);
    triggerKey = start;
  }
  const input = validate(automationUpdate, Object.assign({}, ...fields));
  await updateAutomation(trx, teamId, id, { ...input, ...(triggerKey === undefined ? {} : { triggerKey }) });
  if (row.status !== 'DRAFT' && triggerKey !== undefined)
    await publishAutomation(trx, caller, facts, id, 'finish');
  if (wanted === 'disabled') await disable(trx, teamId, id);
  if (wanted !== 'enabled') return;
  if (row.status === 'PAUSED') await resumeAutomation(trx, teamId, id, 'shift');
  if (row.status === 'DRAFT') await activateAutomation(trx, caller, facts, id);
}

/** Contacts are added to a segment one by one, unless its filter selects them. */
async function requireSegments(db: Db, teamId: number, steps: z.output<typeof stepsSchema>): Promise<void> {
  for (const [at, { type, config }] of steps.entries()) {
    if (type !== 'add_to_segment') continue;
    const found = await getSegment(db, teamId, config.segment_id).then(isMemberSegment, () => false);
    if (!found)
      throw refuse(
        `/steps/${at}/config/segment_id`,
        'is not a segment to which contacts are added one by one',
      );
  }
}

async function disable(trx: Db, teamId: number, id: string): Promise<void> {
  const { status: before } = await findAutomation(trx, teamId, id, 'for update');
  if (before !== 'DRAFT') await pauseAutomation(trx, teamId, id);
}

function presentListed({ id, name, status: ours, createdAt, updatedAt }: Automation) {
  return { id, name, status: toStatus(ours), created_at: createdAt, updated_at: updatedAt };
}

function presentRow({ name, status: ours, createdAt, updatedAt }: AutomationRow, id: string) {
  return {
    id,
    name,
    status: toStatus(ours),
    created_at: createdAt.toISOString(),
    updated_at: updatedAt.toISOString(),
  };
}

function toStatus(ours: AutomationRow['status']): 'enabled' | 'disabled' {
  return ours === 'DRAFT' || ours === 'PAUSED' ? 'disabled' : 'enabled';
}

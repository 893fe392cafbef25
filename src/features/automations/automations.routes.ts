import { route } from '../api/route.ts';
import {
  automationAnswer,
  automationCheck,
  automationDeleted,
  automationInput,
  automationPage,
  automationParams,
  automationQuery,
  automationUpdate,
  publishImpact,
  publishInput,
  resumeInput,
  versionPage,
  versionParams,
  webhookSecretAnswer,
  type Automation,
} from './definition/automations.schema.ts';
import {
  createAutomation,
  deleteAutomation,
  duplicateAutomation,
  findAutomation,
  getAutomation,
  listAutomations,
  updateAutomation,
} from './automations.ts';
import { checkDefinition } from './definition/check-definition.ts';
import {
  activateAutomation,
  closeAutomation,
  pauseAutomation,
  publishAutomation,
  restoreAutomationVersion,
  resumeAutomation,
} from './states.ts';
import { getPublishImpact } from './publish-impact.ts';
import { listAutomationVersions } from './versions.ts';
import { withCounts } from './count-automations.ts';
import { automationSecret } from './webhook-secret.ts';

const group = 'Automations';

const input = {
  name: 'Welcome',
  contactBookId: 'cbk_01kbd8x4zvf7m8rk2q3w5t6y7h',
  trigger: { event: 'contact.created' },
  steps: [
    {
      key: 'hello',
      type: 'email' as const,
      from: 'Ada <ada@example.com>',
      subject: 'Welcome, {{firstName,fallback=friend}}',
      html: '<p>Good to have you here.</p>',
    },
    { key: 'pause', type: 'delay' as const, for: '3 days' },
    {
      key: 'tips',
      type: 'email' as const,
      from: 'Ada <ada@example.com>',
      templateId: 'tpl_01kbd8x4zvf7m8rk2q3w5t6y7h',
    },
  ],
};
const example: Automation = {
  id: 'aut_01kbd8x4zvf7m8rk2q3w5t6y7h',
  ...input,
  steps: input.steps.map((step) => (step.type === 'email' ? { ...step, kind: 'marketing' } : step)),
  status: 'DRAFT',
  version: 0,
  hasDraft: false,
  exitOn: ['unsubscribed'],
  reentry: 'once',
  timezone: 'UTC',
  holdOnAutoReply: '7 days',
  ratePerMinute: null,
  createdAt: '2026-11-15T09:30:00.000Z',
  updatedAt: '2026-11-15T09:30:00.000Z',
};
const live: Automation = { ...example, status: 'ACTIVE', version: 1 };
const params = { automationId: example.id };
const counts = { started: 120, active: 40, done: 75, emails: 190 };

const ofOne = {
  group,
  permission: 'full',
  role: 'member',
  params: automationParams,
} as const;

export const automationRoutes = [
  route({
    operationId: 'createAutomation',
    method: 'POST',
    creates: 'automations',
    path: '/v1/automations',
    scope: 'automations.write',
    group,
    summary: 'Create an automation',
    description:
      'What happens automatically after an event of a contact: emails, delays, conditions and more. It is a DRAFT until it is activated.',
    permission: 'full',
    role: 'member',
    errors: ['NOT_FOUND'],
    body: automationInput,
    answer: automationAnswer,
    example: { body: input, answer: example },
    handle: ({ db, teamId, body }) => createAutomation(db, teamId, body),
  }),
  route({
    operationId: 'listAutomations',
    method: 'GET',
    path: '/v1/automations',
    scope: 'automations.read',
    group,
    summary: 'List automations',
    description: 'Newest first.',
    permission: 'full',
    role: 'member',
    query: automationQuery,
    answer: automationPage,
    example: { query: {}, answer: { items: [{ ...example, counts }], next_cursor: null } },
    async handle({ db, teamId, query }) {
      const page = await listAutomations(db, teamId, query);
      return { ...page, items: await withCounts(db, teamId, page.items) };
    },
  }),
  route({
    operationId: 'getAutomation',
    method: 'GET',
    path: '/v1/automations/{automationId}',
    scope: 'automations.read',
    summary: 'Get an automation',
    ...ofOne,
    errors: ['NOT_FOUND'],
    answer: automationAnswer,
    example: { params, answer: example },
    handle: ({ db, teamId, params: { automationId } }) => getAutomation(db, teamId, automationId),
  }),
  route({
    operationId: 'updateAutomation',
    method: 'PATCH',
    path: '/v1/automations/{automationId}',
    scope: 'automations.write',
    summary: 'Update an automation',
    description:
      'Only the fields you send are changed. A change of an automation that is not a DRAFT takes effect when it is published.',
    ...ofOne,
    errors: ['NOT_FOUND', 'CONFLICT'],
    body: automationUpdate,
    answer: automationAnswer,
    example: { params, body: { name: input.name }, answer: example },
    handle: ({ db, teamId, params: { automationId }, body }) =>
      updateAutomation(db, teamId, automationId, body),
  }),
  route({
    operationId: 'deleteAutomation',
    method: 'DELETE',
    path: '/v1/automations/{automationId}',
    scope: 'automations.write',
    summary: 'Delete an automation',
    description: 'Its runs are cancelled. Their history is kept.',
    ...ofOne,
    errors: ['NOT_FOUND'],
    answer: automationDeleted,
    example: { params, answer: { id: example.id, success: true } },
    async handle({ db, teamId, params: { automationId } }) {
      await deleteAutomation(db, teamId, automationId);
      return { id: automationId, success: true };
    },
  }),
  route({
    operationId: 'activateAutomation',
    method: 'POST',
    path: '/v1/automations/{automationId}/activate',
    scope: 'automations.write',
    summary: 'Activate an automation',
    description: 'Makes the draft the live version. Errors name the step.',
    ...ofOne,
    errors: ['NOT_FOUND', 'CONFLICT'],
    answer: automationAnswer,
    example: { params, answer: live },
    handle: ({ db, caller, facts, params: { automationId } }) =>
      activateAutomation(db, caller, facts, automationId),
  }),
  route({
    operationId: 'pauseAutomation',
    method: 'POST',
    path: '/v1/automations/{automationId}/pause',
    scope: 'automations.write',
    summary: 'Pause an automation',
    description: 'No run continues until it is resumed. Events still start runs, which wait.',
    ...ofOne,
    storesLittle: true,
    errors: ['NOT_FOUND', 'CONFLICT'],
    answer: automationAnswer,
    example: { params, answer: { ...live, status: 'PAUSED' } },
    handle: ({ db, teamId, params: { automationId } }) => pauseAutomation(db, teamId, automationId),
  }),
  route({
    operationId: 'resumeAutomation',
    method: 'POST',
    path: '/v1/automations/{automationId}/resume',
    scope: 'automations.write',
    summary: 'Resume an automation',
    description:
      'With `overdue: shift`, waiting people get the time that was left; with `now`, what is overdue happens now.',
    ...ofOne,
    errors: ['NOT_FOUND', 'CONFLICT'],
    body: resumeInput,
    answer: automationAnswer,
    example: { params, body: { overdue: 'shift' }, answer: live },
    handle: ({ db, teamId, params: { automationId }, body }) =>
      resumeAutomation(db, teamId, automationId, body.overdue),
  }),
  route({
    operationId: 'closeAutomation',
    method: 'POST',
    path: '/v1/automations/{automationId}/close',
    scope: 'automations.write',
    summary: 'Close an automation',
    description: 'No new runs start, and those in progress finish. Activate it to open it again.',
    ...ofOne,
    storesLittle: true,
    errors: ['NOT_FOUND', 'CONFLICT'],
    answer: automationAnswer,
    example: { params, answer: { ...live, status: 'CLOSED' } },
    handle: ({ db, teamId, params: { automationId } }) => closeAutomation(db, teamId, automationId),
  }),
  route({
    operationId: 'duplicateAutomation',
    method: 'POST',
    path: '/v1/automations/{automationId}/duplicate',
    scope: 'automations.write',
    summary: 'Duplicate an automation',
    description: 'The copy is a DRAFT.',
    ...ofOne,
    creates: 'automations',
    errors: ['NOT_FOUND'],
    answer: automationAnswer,
    example: { params, answer: example },
    handle: ({ db, teamId, params: { automationId } }) => duplicateAutomation(db, teamId, automationId),
  }),
  route({
    operationId: 'checkAutomation',
    method: 'GET',
    path: '/v1/automations/{automationId}/check',
    scope: 'automations.read',
    summary: 'Check an automation',
    description: 'Lists what is wrong with the draft, and what you should know before you activate it.',
    ...ofOne,
    errors: ['NOT_FOUND'],
    answer: automationCheck,
    example: { params, answer: { errors: [], warnings: [] } },
    handle: async ({ db, facts, teamId, params: { automationId } }) =>
      checkDefinition(db, facts, teamId, await findAutomation(db, teamId, automationId)),
  }),
  route({
    operationId: 'getAutomationWebhookSecret',
    method: 'GET',
    path: '/v1/automations/{automationId}/webhook-secret',
    scope: 'automations.write',
    summary: 'Get the secret of webhook steps',
    description: 'The calls of webhook steps are signed with it, as those of webhooks are with theirs.',
    ...ofOne,
    errors: ['NOT_FOUND'],
    answer: webhookSecretAnswer,
    example: { params, answer: { secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' } },
    async handle({ db, teamId, facts, params: { automationId } }) {
      const { id } = await findAutomation(db, teamId, automationId);
      return { secret: automationSecret(facts.secret, id) };
    },
  }),
  route({
    operationId: 'getPublishImpact',
    method: 'GET',
    path: '/v1/automations/{automationId}/publish-impact',
    scope: 'automations.read',
    summary: 'See what publishing changes',
    description:
      'How many people publishing the draft with `runs: move` would move, and how many emails would leave within 24 hours.',
    ...ofOne,
    errors: ['NOT_FOUND'],
    answer: publishImpact,
    example: {
      params,
      answer: {
        people: 2,
        byStep: [{ key: 'pause', waiting: 2, becomes: 'same', to: 'pause' }],
        emailsNext24Hours: 1,
      },
    },
    handle: ({ db, teamId, params: { automationId } }) => getPublishImpact(db, teamId, automationId),
  }),
  route({
    operationId: 'publishAutomation',
    method: 'POST',
    path: '/v1/automations/{automationId}/publish',
    scope: 'automations.write',
    summary: 'Publish the changes',
    description: 'Runs under way `finish` on their version, `move` to the new one by their step, or `end`.',
    ...ofOne,
    errors: ['NOT_FOUND', 'CONFLICT'],
    body: publishInput,
    answer: automationAnswer,
    example: { params, body: { runs: 'finish' }, answer: { ...live, version: 2 } },
    handle: ({ db, caller, facts, params: { automationId }, body }) =>
      publishAutomation(db, caller, facts, automationId, body.runs),
  }),
  route({
    operationId: 'listAutomationVersions',
    method: 'GET',
    path: '/v1/automations/{automationId}/versions',
    scope: 'automations.read',
    summary: 'List the versions of an automation',
    description: 'Newest first.',
    ...ofOne,
    errors: ['NOT_FOUND'],
    answer: versionPage,
    example: {
      params,
      answer: {
        items: [
          {
            version: 1,
            isLive: true,
            createdAt: example.createdAt,
            createdBy: 'key_01kbd8x4zvf7m8rk2q3w5t6y7h',
            trigger: example.trigger,
            steps: example.steps,
          },
        ],
      },
    },
    handle: async ({ db, teamId, params: { automationId } }) => ({
      items: await listAutomationVersions(db, teamId, automationId),
    }),
  }),
  route({
    operationId: 'restoreAutomationVersion',
    method: 'POST',
    path: '/v1/automations/{automationId}/versions/{version}/restore',
    scope: 'automations.write',
    group,
    summary: 'Restore a version',
    description: 'Makes an old version the draft. Publish it to make it live.',
    permission: 'full',
    role: 'member',
    errors: ['NOT_FOUND'],
    params: versionParams,
    answer: automationAnswer,
    example: { params: { ...params, version: '1' }, answer: { ...live, hasDraft: true } },
    handle: ({ db, teamId, params: { automationId, version } }) =>
      restoreAutomationVersion(db, teamId, automationId, Number(version)),
  }),
];

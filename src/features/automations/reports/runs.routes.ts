import { route } from '../../api/route.ts';
import { automationParams } from '../definition/automations.schema.ts';
import { enroll } from './enroll.ts';
import { explain } from './explain.ts';
import { getReport } from './report.ts';
import { cancelRun, getRun, listRuns, listRunsOfContact, retryRun, skipWait } from './runs.ts';
import {
  contactRunPage,
  contactRunQuery,
  enrollAnswer,
  enrollInput,
  explainAnswer,
  explainQuery,
  reportAnswer,
  runAnswer,
  runPage,
  runParams,
  runQuery,
  simulateAnswer,
  simulateInput,
  type AutomationRun,
  type AutomationRunDetails,
} from './runs.schema.ts';
import { simulate } from './simulate.ts';

const group = 'Automation runs';
const AT = '2026-11-15T09:30:00.000Z';

const example: AutomationRun = {
  id: 'run_01kbd8x4zvf7m8rk2q3w5t6y7h',
  automationId: 'aut_01kbd8x4zvf7m8rk2q3w5t6y7h',
  version: 1,
  contactId: 'con_01kbd8x4zvf7m8rk2q3w5t6y7h',
  email: 'ada@example.com',
  status: 'ACTIVE',
  reason: null,
  step: 'pause',
  heldBy: null,
  dueAt: '2026-11-18T09:30:00.000Z',
  startedAt: AT,
  endedAt: null,
};
const details: AutomationRunDetails = {
  ...example,
  event: { id: 'evt_01kbd8x4zvf7m8rk2q3w5t6y7h', name: 'order.placed', data: { total: 42 } },
  history: [
    {
      key: 'hello',
      type: 'email',
      version: 1,
      at: AT,
      result: 'sent',
      emailId: 'eml_01kbd8x4zvf7m8rk2q3w5t6y7h',
    },
  ],
};
const params = { automationId: example.automationId };
const ofRun = { runId: example.id };
const email = { sent: 1, delivered: 1, opened: 0, clicked: 0, replied: 0, unsubscribed: 0, bounced: 0 };

const shared = { group, permission: 'full', role: 'member' } as const;

export const automationRunRoutes = [
  route({
    operationId: 'listAutomationRuns',
    method: 'GET',
    path: '/v1/automations/{automationId}/runs',
    scope: 'automations.read',
    summary: 'List the runs of an automation',
    description: 'Newest first.',
    ...shared,
    readsReplica: true,
    errors: ['NOT_FOUND'],
    params: automationParams,
    query: runQuery,
    answer: runPage,
    example: { params, query: {}, answer: { items: [example], next_cursor: null } },
    handle: ({ db, teamId, params: { automationId }, query }) => listRuns(db, teamId, automationId, query),
  }),
  route({
    operationId: 'listAutomationRunsOfContact',
    method: 'GET',
    path: '/v1/automation-runs',
    scope: 'automations.read',
    summary: 'List the runs of a contact',
    description: 'In all automations, newest first.',
    ...shared,
    query: contactRunQuery,
    answer: contactRunPage,
    example: {
      query: { contactId: example.contactId },
      answer: { items: [{ ...example, automationName: 'Welcome' }], next_cursor: null },
    },
    handle: ({ db, teamId, query }) => listRunsOfContact(db, teamId, query),
  }),
  route({
    operationId: 'getAutomationRun',
    method: 'GET',
    path: '/v1/automation-runs/{runId}',
    scope: 'automations.read',
    summary: 'Get a run with its history',
    ...shared,
    errors: ['NOT_FOUND'],
    params: runParams,
    answer: runAnswer,
    example: { params: ofRun, answer: details },
    handle: ({ db, teamId, params: { runId } }) => getRun(db, teamId, runId),
  }),
  route({
    operationId: 'cancelAutomationRun',
    method: 'POST',
    path: '/v1/automation-runs/{runId}/cancel',
    scope: 'automations.write',
    summary: 'Cancel a run',
    description: 'No further step happens.',
    ...shared,
    storesLittle: true,
    errors: ['NOT_FOUND', 'CONFLICT'],
    params: runParams,
    answer: runAnswer,
    example: {
      params: ofRun,
      answer: { ...details, status: 'CANCELLED', reason: 'cancelled', step: null, dueAt: null, endedAt: AT },
    },
    handle: ({ db, teamId, params: { runId } }) => cancelRun(db, teamId, runId),
  }),
  route({
    operationId: 'skipAutomationWait',
    method: 'POST',
    path: '/v1/automation-runs/{runId}/skip-wait',
    scope: 'automations.write',
    summary: 'Move a waiting run on',
    description: 'The run leaves its delay now. A wait for an event takes the way of its timeout.',
    ...shared,
    errors: ['NOT_FOUND', 'CONFLICT'],
    params: runParams,
    answer: runAnswer,
    example: { params: ofRun, answer: details },
    handle: ({ db, teamId, params: { runId } }) => skipWait(db, teamId, runId),
  }),
  route({
    operationId: 'retryAutomationRun',
    method: 'POST',
    path: '/v1/automation-runs/{runId}/retry',
    scope: 'automations.write',
    summary: 'Retry a run',
    description: 'Tries the step of a run that is held or FAILED again now.',
    ...shared,
    errors: ['NOT_FOUND', 'CONFLICT'],
    params: runParams,
    answer: runAnswer,
    example: { params: ofRun, answer: details },
    handle: ({ db, teamId, params: { runId } }) => retryRun(db, teamId, runId),
  }),
  route({
    operationId: 'enrollContacts',
    method: 'POST',
    path: '/v1/automations/{automationId}/enroll',
    scope: 'automations.write',
    summary: 'Start runs of people who are there already',
    description:
      'Contacts, a segment, the whole book, or the people of past events. The re-entry rule of the automation applies. With `dryRun`, nothing starts.',
    ...shared,
    heavy: 'rows',
    errors: ['NOT_FOUND', 'CONFLICT'],
    params: automationParams,
    body: enrollInput,
    answer: enrollAnswer,
    example: { params, body: { contactIds: [example.contactId] }, answer: { enrolled: 1, skipped: {} } },
    handle: ({ db, teamId, params: { automationId }, body }) => enroll(db, teamId, automationId, body),
  }),
  route({
    operationId: 'explainAutomation',
    method: 'GET',
    path: '/v1/automations/{automationId}/explain',
    scope: 'automations.read',
    summary: 'Explain why someone got it or not',
    ...shared,
    errors: ['NOT_FOUND'],
    params: automationParams,
    query: explainQuery,
    answer: explainAnswer,
    example: {
      params,
      query: { email: 'ada@example.com' },
      answer: {
        email: 'ada@example.com',
        sentences: [`Entered on ${AT} by the event order.placed.`],
        runs: [example],
      },
    },
    handle: ({ db, teamId, params: { automationId }, query }) =>
      explain(db, teamId, automationId, query.email),
  }),
  route({
    operationId: 'simulateAutomation',
    method: 'POST',
    path: '/v1/automations/{automationId}/simulate',
    scope: 'automations.read',
    summary: 'Simulate a run',
    description:
      'Walks a contact through the draft, with a clock that moves to the end of each wait. Sends, stores and changes nothing.',
    ...shared,
    storesLittle: true,
    errors: ['NOT_FOUND'],
    params: automationParams,
    body: simulateInput,
    answer: simulateAnswer,
    example: {
      params,
      body: { email: 'ada@example.com', event: { total: 42 }, assume: { reply: 'timeout' } },
      answer: {
        path: [
          {
            key: 'hello',
            type: 'email',
            at: AT,
            result: 'sent',
            email: {
              subject: 'Welcome, Ada',
              html: '<p>Good to have you here.</p>',
              text: 'Good to have you here.',
            },
          },
        ],
        end: 'done',
      },
    },
    handle: ({ db, teamId, params: { automationId }, body }) => simulate(db, teamId, automationId, body),
  }),
  route({
    operationId: 'getAutomationReport',
    method: 'GET',
    path: '/v1/automations/{automationId}/report',
    scope: 'automations.read',
    summary: 'Get the report of an automation',
    ...shared,
    readsReplica: true,
    errors: ['NOT_FOUND'],
    params: automationParams,
    answer: reportAnswer,
    example: {
      params,
      answer: {
        runs: { started: 1, active: 1, done: 0, exited: 0, failed: 0, cancelled: 0 },
        exits: {},
        steps: [
          {
            key: 'hello',
            type: 'email',
            entered: 1,
            waiting: 0,
            done: 1,
            skipped: 0,
            failed: 0,
            ways: {},
            email,
          },
        ],
      },
    },
    handle: ({ db, teamId, params: { automationId } }) => getReport(db, teamId, automationId),
  }),
];

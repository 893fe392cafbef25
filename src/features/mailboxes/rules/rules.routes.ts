import { MAILBOX_ROUTE } from '../../api/mailbox-access.ts';
import { FileAnswer, route } from '../../api/route.ts';
import { mailboxParams } from '../mailboxes/mailboxes.schema.ts';
import { once } from '../reading/attachment-answer.ts';
import { getApplication, previewRule, startApplication } from './apply-rule.ts';
import {
  applicationAnswer,
  previewAnswer,
  previewInput,
  ruleAnswer,
  ruleDeleted,
  ruleInput,
  ruleList,
  ruleParams,
  ruleUpdate,
  sieveScript,
  sieveStored,
  type Rule,
  type RuleApplication,
} from './rules.schema.ts';
import { createRule, deleteRule, getRule, listRules, updateRule } from './rules.ts';
import { readSieve, storeSieve } from './sieve-rules.ts';

/** RFC 5228 section 6. */
const SIEVE = 'application/sieve';
const path = '/v1/mailboxes/{id}/rules';
const shared = {
  group: 'Rules',
  ...MAILBOX_ROUTE,
  errors: ['NOT_FOUND'],
} satisfies Partial<Parameters<typeof route>[0]>;
const box = { id: 'mbx_01kbd8x4zvf7m8rk2q3w5t6y7h' };
const example: Rule = {
  id: 'rul_01kbd8x4zvf7m8rk2q3w5t6y7h',
  name: 'Invoices',
  enabled: true,
  position: 1,
  match: 'all',
  conditions: [{ field: 'subject', op: 'contains', value: 'invoice' }],
  actions: [{ type: 'label', value: 'invoices' }, { type: 'star' }],
  stop: false,
  disabled_reason: null,
  last_run: {
    at: '2026-11-15T09:30:00.000Z',
    message_id: 'msg_01kbd8x4zvf7m8rk2q3w5t6y7h',
    error: null,
  },
  created_at: '2026-11-15T09:30:00.000Z',
  updated_at: '2026-11-15T09:30:00.000Z',
};
const params = { ...box, ruleId: example.id };
const exampleApplication: RuleApplication = {
  status: 'running',
  examined: 400,
  matched: 12,
  started_at: '2026-11-15T09:30:00.000Z',
  ended_at: null,
};
const script =
  'require ["fileinto", "imap4flags"];\n# rule: Invoices\nif header :contains "subject" "invoice" {\n  addflag "invoices";\n}\n';

export const ruleRoutes = [
  route({
    ...shared,
    operationId: 'listRules',
    method: 'GET',
    path,
    scope: 'mail.read',
    summary: 'List the rules of a mailbox',
    description: 'In the order in which they act.',
    params: mailboxParams,
    answer: ruleList,
    example: { params: box, answer: { items: [example] } },
    handle: async ({ db, caller, params: { id } }) => ({ items: await listRules(db, caller, id) }),
  }),
  route({
    ...shared,
    operationId: 'createRule',
    method: 'POST',
    path,
    scope: 'none',
    summary: 'Create a rule',
    description:
      'Rules act on mail that arrives, in the transaction that stores it, in order, and never on what rules did. A rule that fails never keeps a message from being stored: its log says why. To forward to an address outside of your team, its owner must agree by a link first. Automatic replies go to each sender once in four days, and never to mailing lists, software or bounces.',
    params: mailboxParams,
    body: ruleInput,
    answer: ruleAnswer,
    example: {
      params: box,
      body: {
        name: example.name,
        conditions: [{ field: 'subject', op: 'contains', value: 'invoice' }],
        actions: [{ type: 'label', value: 'invoices' }, { type: 'star' }],
      },
      answer: example,
    },
    handle: ({ db, caller, params: { id }, body, facts }) => createRule(db, caller, id, body, facts),
  }),
  route({
    ...shared,
    operationId: 'getRule',
    method: 'GET',
    path: `${path}/{ruleId}`,
    scope: 'mail.read',
    summary: 'Get a rule',
    params: ruleParams,
    answer: ruleAnswer,
    example: { params, answer: example },
    handle: ({ db, caller, params: { id, ruleId } }) => getRule(db, caller, id, ruleId),
  }),
  route({
    ...shared,
    operationId: 'updateRule',
    method: 'PATCH',
    path: `${path}/{ruleId}`,
    scope: 'none',
    summary: 'Update a rule',
    description: 'Only the fields you send are changed.',
    params: ruleParams,
    body: ruleUpdate,
    answer: ruleAnswer,
    example: { params, body: { enabled: true }, answer: example },
    handle: ({ db, caller, params: { id, ruleId }, body, facts }) =>
      updateRule(db, caller, { mailboxId: id, ruleId }, body, facts),
  }),
  route({
    ...shared,
    operationId: 'deleteRule',
    method: 'DELETE',
    path: `${path}/{ruleId}`,
    scope: 'none',
    summary: 'Delete a rule',
    params: ruleParams,
    answer: ruleDeleted,
    example: { params, answer: { id: example.id, success: true } },
    async handle({ db, caller, params: { id, ruleId } }) {
      await deleteRule(db, caller, id, ruleId);
      return { id: ruleId, success: true };
    },
  }),
  route({
    ...shared,
    operationId: 'previewRule',
    method: 'POST',
    path: `${path}/{ruleId}/preview`,
    scope: 'mail.read',
    summary: 'List the messages that a rule matches',
    description: 'Looks at received messages of the last days and changes nothing.',
    heavy: 'rows',
    storesLittle: true,
    params: ruleParams,
    body: previewInput,
    answer: previewAnswer,
    example: {
      params,
      body: { days: 30 },
      answer: {
        count: 1,
        examined: 210,
        messages: [
          {
            id: 'msg_01kbd8x4zvf7m8rk2q3w5t6y7h',
            thread_id: 'thr_01kbd8x4zvf7m8rk2q3w5t6y7h',
            from: 'Charles Babbage <charles@example.org>',
            subject: 'Invoice',
            folder: 'inbox',
            created_at: '2026-11-15T09:30:00.000Z',
          },
        ],
      },
    },
    handle: ({ db, caller, params: { id, ruleId }, body }) =>
      previewRule(db, caller, { mailboxId: id, ruleId }, body.days),
  }),
  route({
    ...shared,
    operationId: 'applyRule',
    method: 'POST',
    path: `${path}/{ruleId}/apply`,
    scope: 'none',
    summary: 'Apply a rule to the messages of the mailbox',
    description:
      'Runs in the background. Actions that send something, and drafts, webhooks and events, are left out, because the mail is old.',
    errors: ['NOT_FOUND', 'CONFLICT'],
    params: ruleParams,
    answer: applicationAnswer,
    example: { params, answer: { ...exampleApplication, examined: 0, matched: 0 } },
    handle: ({ db, caller, params: { id, ruleId } }) =>
      startApplication(db, caller, { mailboxId: id, ruleId }),
  }),
  route({
    ...shared,
    operationId: 'getRuleApplication',
    method: 'GET',
    path: `${path}/{ruleId}/apply`,
    scope: 'mail.read',
    summary: 'Get the progress of applying a rule',
    params: ruleParams,
    answer: applicationAnswer,
    example: { params, answer: exampleApplication },
    handle: ({ db, caller, params: { id, ruleId } }) => getApplication(db, caller, { mailboxId: id, ruleId }),
  }),
  route({
    ...shared,
    operationId: 'getSieveScript',
    method: 'GET',
    path: '/v1/mailboxes/{id}/rules.sieve',
    scope: 'mail.read',
    summary: 'Get the rules as a Sieve script',
    description:
      'Rules with conditions or actions that Sieve does not have stand in it as comments (RFC 5228, with fileinto, imap4flags, envelope, body and vacation). With `Accept: application/sieve` or `text/plain`, the response is the script itself.',
    params: mailboxParams,
    answer: sieveScript,
    example: { params: box, answer: { script } },
    async handle({ db, caller, params: { id }, header }) {
      const script = await readSieve(db, caller, id);
      const type = [SIEVE, 'text/plain'].find((each) => header('accept')?.toLowerCase().includes(each));
      if (type === undefined) return { script };
      return new FileAnswer(`${type}; charset=utf-8`, 'rules.sieve', once(Buffer.from(script)));
    },
  }),
  route({
    ...shared,
    operationId: 'putSieveScript',
    method: 'PUT',
    path: '/v1/mailboxes/{id}/rules.sieve',
    scope: 'none',
    summary: 'Replace the rules by a Sieve script',
    description:
      'Nothing is changed if the script has something that rules do not have. The error then names each line. The body may also be the script itself.',
    params: mailboxParams,
    takesText: { contentTypes: [SIEVE, 'text/plain'], field: 'script' },
    body: sieveScript,
    answer: sieveStored,
    example: { params: box, body: { script }, answer: { rules: 1 } },
    handle: async ({ db, caller, params: { id }, body, facts }) => ({
      rules: await storeSieve(db, caller, id, body.script, facts),
    }),
  }),
];

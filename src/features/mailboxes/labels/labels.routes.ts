import { MAILBOX_ROUTE } from '../../api/mailbox-access.ts';
import { route } from '../../api/route.ts';
import { mailboxParams } from '../mailboxes/mailboxes.schema.ts';
import { exampleThread } from '../reading/examples.ts';
import { threadAnswer, threadParams } from '../reading/threads.schema.ts';
import { setThreadLabels } from './label-thread.ts';
import {
  labelAnswer,
  labelDeleted,
  labelInput,
  labelList,
  labelParams,
  labelUpdate,
  threadLabelsInput,
  type MailboxLabel,
} from './labels.schema.ts';
import { createLabel, deleteLabel, listLabels, updateLabel } from './labels.ts';

const path = '/v1/mailboxes/{id}/labels';
const common = {
  group: 'Threads',
  ...MAILBOX_ROUTE,
  errors: ['NOT_FOUND'],
} as const;
const box = { id: exampleThread.mailbox_id };
const example: MailboxLabel = {
  id: 'lab_01kbd8x4zvf7m8rk2q3w5t6y7h',
  name: 'Rechnungen & Mahnungen',
  color: '#188038',
  keyword: 'Rechnungen_Mahnungen',
  created_at: '2026-11-15T09:30:00.000Z',
};
const params = { ...box, labelId: example.id };

export const labelRoutes = [
  route({
    ...common,
    operationId: 'listLabels',
    method: 'GET',
    path,
    scope: 'mail.read',
    summary: 'List the labels of a mailbox',
    description: 'By name. Keywords that only email apps use are not listed.',
    params: mailboxParams,
    answer: labelList,
    example: { params: box, answer: { items: [example] } },
    handle: async ({ db, caller, params: { id } }) => ({ items: await listLabels(db, caller, id) }),
  }),
  route({
    ...common,
    operationId: 'createLabel',
    method: 'POST',
    path,
    scope: 'mail.labels',
    summary: 'Create a label',
    description:
      'The IMAP keyword is made from the name once, and stays. At most 200 per mailbox. If the name is taken, the response is 409.',
    errors: ['NOT_FOUND', 'CONFLICT'],
    params: mailboxParams,
    body: labelInput,
    answer: labelAnswer,
    example: { params: box, body: { name: example.name, color: example.color }, answer: example },
    async handle({ db, caller, facts, params: { id }, body }) {
      const label = await createLabel(db, caller, id, body);
      facts.hintMail();
      return label;
    },
  }),
  route({
    ...common,
    operationId: 'updateLabel',
    method: 'PATCH',
    path: `${path}/{labelId}`,
    scope: 'mail.labels',
    summary: 'Change the name or colour of a label',
    errors: ['NOT_FOUND', 'CONFLICT'],
    params: labelParams,
    body: labelUpdate,
    answer: labelAnswer,
    example: { params, body: { name: example.name }, answer: example },
    async handle({ db, caller, facts, params: { id, labelId }, body }) {
      const label = await updateLabel(db, caller, { mailboxId: id, labelId }, body);
      facts.hintMail();
      return label;
    },
  }),
  route({
    ...common,
    operationId: 'deleteLabel',
    method: 'DELETE',
    path: `${path}/{labelId}`,
    scope: 'mail.labels',
    summary: 'Delete a label',
    description: 'Messages lose it in the background.',
    params: labelParams,
    answer: labelDeleted,
    example: { params, answer: { id: example.id, success: true } },
    async handle({ db, caller, facts, params: { id, labelId } }) {
      await deleteLabel(db, caller, id, labelId);
      facts.hintMail();
      return { id: labelId, success: true };
    },
  }),
  route({
    ...common,
    operationId: 'setThreadLabels',
    method: 'PUT',
    path: '/v1/threads/{id}/labels',
    scope: 'mail.labels',
    summary: 'Replace the labels of a thread',
    description: 'Labels are given by their IDs or keywords. All messages of the thread get them.',
    params: threadParams,
    body: threadLabelsInput,
    answer: threadAnswer,
    example: {
      params: { id: exampleThread.id },
      body: { labels: [example.id] },
      answer: { ...exampleThread, labels: [example.keyword] },
    },
    async handle({ db, caller, facts, params: { id }, body }) {
      const thread = await setThreadLabels(db, caller, id, body.labels);
      facts.hintMail();
      return thread;
    },
  }),
];

import { MAILBOX_ROUTE } from '../../api/mailbox-access.ts';
import { route } from '../../api/route.ts';
import {
  mailboxAnswer,
  mailboxDeleted,
  mailboxInput,
  mailboxPage,
  mailboxParams,
  mailboxQuery,
  mailboxUpdate,
  type Mailbox,
} from './mailboxes.schema.ts';
import { createMailbox, deleteMailbox, getMailbox, listMailboxes, updateMailbox } from './mailboxes.ts';

const group = 'Mailboxes';
const path = '/v1/mailboxes/{id}';

const example: Mailbox = {
  id: 'mbx_01kbd8x4zvf7m8rk2q3w5t6y7h',
  address: 'ada@example.com',
  name: 'Ada Lovelace',
  undo_seconds: 10,
  catch_all: false,
  assistant: null,
  access: 'team',
  role: 'manage',
  created_at: '2026-11-15T09:30:00.000Z',
};
const params = { id: example.id };

export const mailboxRoutes = [
  route({
    operationId: 'createMailbox',
    method: 'POST',
    creates: 'mailboxes',
    path: '/v1/mailboxes',
    scope: 'none',
    group,
    summary: 'Create a mailbox',
    description:
      'An address can have only one mailbox. Messages to `ada+anything@…` go to `ada@…` unless that address has its own mailbox.',
    permission: 'full',
    role: 'member',
    boundKeys: 'kept-to-domain',
    errors: ['CONFLICT'],
    body: mailboxInput,
    answer: mailboxAnswer,
    example: { body: { address: example.address, name: example.name }, answer: example },
    handle: ({ db, caller, body }) => createMailbox(db, caller, body),
  }),
  route({
    operationId: 'listMailboxes',
    method: 'GET',
    path: '/v1/mailboxes',
    scope: 'mail.read',
    group,
    summary: 'List mailboxes',
    description: 'Newest first.',
    ...MAILBOX_ROUTE,
    query: mailboxQuery,
    answer: mailboxPage,
    example: { answer: { items: [example], next_cursor: null } },
    handle: ({ db, caller, query }) => listMailboxes(db, caller, query),
  }),
  route({
    operationId: 'getMailbox',
    method: 'GET',
    path,
    scope: 'mail.read',
    group,
    summary: 'Get a mailbox',
    ...MAILBOX_ROUTE,
    errors: ['NOT_FOUND'],
    params: mailboxParams,
    answer: mailboxAnswer,
    example: { params, answer: example },
    handle: ({ db, caller, params: { id } }) => getMailbox(db, caller, id),
  }),
  route({
    operationId: 'updateMailbox',
    method: 'PATCH',
    path,
    scope: 'none',
    group,
    summary: 'Update a mailbox',
    description:
      'Only the fields you send are changed. A domain can have one catch-all mailbox. Setting another one replaces it.',
    ...MAILBOX_ROUTE,
    errors: ['NOT_FOUND'],
    params: mailboxParams,
    body: mailboxUpdate,
    answer: mailboxAnswer,
    example: { params, body: { undo_seconds: 30 }, answer: { ...example, undo_seconds: 30 } },
    handle: ({ db, caller, params: { id }, body }) => updateMailbox(db, caller, id, body),
  }),
  route({
    operationId: 'deleteMailbox',
    method: 'DELETE',
    path,
    scope: 'none',
    group,
    summary: 'Delete a mailbox and its messages',
    description: 'Messages that are waiting to be sent are not sent.',
    ...MAILBOX_ROUTE,
    errors: ['NOT_FOUND'],
    params: mailboxParams,
    answer: mailboxDeleted,
    example: { params, answer: { id: example.id, success: true } },
    async handle({ db, caller, params: { id } }) {
      await deleteMailbox(db, caller, id);
      return { id, success: true };
    },
  }),
];

import { MAILBOX_ROUTE } from '../../api/mailbox-access.ts';
import { route } from '../../api/route.ts';
import { mailboxParams } from '../mailboxes/mailboxes.schema.ts';
import {
  signatureAnswer,
  signatureDeleted,
  signatureInput,
  signatureList,
  signatureParams,
  signatureUpdate,
  type Signature,
} from './signatures.schema.ts';
import { createSignature, deleteSignature, listSignatures, updateSignature } from './signatures.ts';

const signatures = '/v1/mailboxes/{id}/signatures';
const shared = {
  group: 'Mailboxes',
  ...MAILBOX_ROUTE,
} satisfies Partial<Parameters<typeof route>[0]>;
const box = { id: 'mbx_01kbd8x4zvf7m8rk2q3w5t6y7h' };
const exampleSignature: Signature = {
  id: 'sig_01kbd8x4zvf7m8rk2q3w5t6y7h',
  name: 'Formal',
  html: '<p>Ada Lovelace, Analytical Engines</p>',
  user_id: null,
  address_id: null,
  is_default: true,
};
const signatureOf = { ...box, signatureId: exampleSignature.id };

export const signatureRoutes = [
  route({
    ...shared,
    operationId: 'listSignatures',
    method: 'GET',
    path: signatures,
    scope: 'mail.read',
    summary: 'List the signatures of a mailbox',
    errors: ['NOT_FOUND'],
    params: mailboxParams,
    answer: signatureList,
    example: { params: box, answer: { items: [exampleSignature] } },
    handle: async ({ db, caller, params: { id } }) => ({ items: await listSignatures(db, caller, id) }),
  }),
  route({
    ...shared,
    operationId: 'createSignature',
    method: 'POST',
    path: signatures,
    scope: 'none',
    summary: 'Create a signature',
    description:
      'Of several defaults, the one for the person and the address is used, then the one for the person, then the one for the address.',
    errors: ['NOT_FOUND'],
    params: mailboxParams,
    body: signatureInput,
    answer: signatureAnswer,
    example: {
      params: box,
      body: { name: exampleSignature.name, html: exampleSignature.html, is_default: true },
      answer: exampleSignature,
    },
    handle: ({ db, caller, params: { id }, body }) => createSignature(db, caller, id, body),
  }),
  route({
    ...shared,
    operationId: 'updateSignature',
    method: 'PATCH',
    path: `${signatures}/{signatureId}`,
    scope: 'none',
    summary: 'Update a signature',
    description: 'Only the fields you send are changed.',
    errors: ['NOT_FOUND'],
    params: signatureParams,
    body: signatureUpdate,
    answer: signatureAnswer,
    example: { params: signatureOf, body: { is_default: true }, answer: exampleSignature },
    handle: ({ db, caller, params: { id, signatureId }, body }) =>
      updateSignature(db, caller, { mailboxId: id, signatureId }, body),
  }),
  route({
    ...shared,
    operationId: 'deleteSignature',
    method: 'DELETE',
    path: `${signatures}/{signatureId}`,
    scope: 'none',
    summary: 'Delete a signature',
    errors: ['NOT_FOUND'],
    params: signatureParams,
    answer: signatureDeleted,
    example: { params: signatureOf, answer: { id: exampleSignature.id, success: true } },
    async handle({ db, caller, params: { id, signatureId } }) {
      await deleteSignature(db, caller, id, signatureId);
      return { id: signatureId, success: true };
    },
  }),
];

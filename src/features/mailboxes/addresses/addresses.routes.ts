import { MAILBOX_ROUTE } from '../../api/mailbox-access.ts';
import { route } from '../../api/route.ts';
import { mailboxParams } from '../mailboxes/mailboxes.schema.ts';
import {
  addressAnswer,
  addressDeleted,
  addressInput,
  addressList,
  addressParams,
  addressUpdate,
  type MailboxAddress,
} from './addresses.schema.ts';
import { addAddress, listAddresses, removeAddress, renameAddress } from './addresses.ts';

const path = '/v1/mailboxes/{id}/addresses';
const shared = {
  group: 'Mailboxes',
  ...MAILBOX_ROUTE,
} satisfies Partial<Parameters<typeof route>[0]>;
const box = { id: 'mbx_01kbd8x4zvf7m8rk2q3w5t6y7h' };
const example: MailboxAddress = {
  id: 'adr_01kbd8x4zvf7m8rk2q3w5t6y7h',
  address: 'sales@example.com',
  name: 'Sales',
  created_at: '2026-11-15T09:30:00.000Z',
};
const params = { ...box, addressId: example.id };

export const addressRoutes = [
  route({
    ...shared,
    operationId: 'listMailboxAddresses',
    method: 'GET',
    path,
    scope: 'mail.read',
    summary: 'List the further addresses of a mailbox',
    errors: ['NOT_FOUND'],
    params: mailboxParams,
    answer: addressList,
    example: { params: box, answer: { items: [example] } },
    handle: async ({ db, caller, params: { id } }) => ({ items: await listAddresses(db, caller, id) }),
  }),
  route({
    ...shared,
    operationId: 'addMailboxAddress',
    method: 'POST',
    path,
    scope: 'none',
    summary: 'Add an address to a mailbox',
    description:
      'The mailbox receives mail for the address, and can send from it. Replies come from the address that a message was sent to.',
    errors: ['NOT_FOUND', 'CONFLICT'],
    params: mailboxParams,
    body: addressInput,
    answer: addressAnswer,
    example: { params: box, body: { address: example.address, name: example.name }, answer: example },
    handle: ({ db, caller, params: { id }, body }) => addAddress(db, caller, id, body),
  }),
  route({
    ...shared,
    operationId: 'renameMailboxAddress',
    method: 'PATCH',
    path: `${path}/{addressId}`,
    scope: 'none',
    summary: 'Change the name of an address',
    errors: ['NOT_FOUND'],
    params: addressParams,
    body: addressUpdate,
    answer: addressAnswer,
    example: { params, body: { name: 'Sales' }, answer: example },
    handle: ({ db, caller, params: { id, addressId }, body }) =>
      renameAddress(db, caller, { mailboxId: id, addressId }, body.name),
  }),
  route({
    ...shared,
    operationId: 'removeMailboxAddress',
    method: 'DELETE',
    path: `${path}/{addressId}`,
    scope: 'none',
    summary: 'Remove an address from a mailbox',
    description: 'Messages that already wait to be sent from the address are sent.',
    errors: ['NOT_FOUND'],
    params: addressParams,
    answer: addressDeleted,
    example: { params, answer: { id: example.id, success: true } },
    async handle({ db, caller, params: { id, addressId } }) {
      await removeAddress(db, caller, id, addressId);
      return { id: addressId, success: true };
    },
  }),
];

import { route } from '../../platform/route.ts';
import { contactBookParams } from '../contact-books/contact-books.schema.ts';
import { createContacts } from './contacts-bulk.ts';
import {
  contactDeleted,
  contactInput,
  contactPage,
  contactParams,
  contactQuery,
  contactsDeleted,
  contactSchema,
  contactsInput,
  contactsToDelete,
  contactsWritten,
  contactUpdate,
  contactWritten,
  type Contact,
} from './contacts.schema.ts';
import {
  createContact,
  deleteContact,
  deleteContacts,
  getContact,
  putContact,
  updateContact,
} from './contacts.ts';
import { listContacts } from './list-contacts.ts';

const group = 'Contacts';
const BULK_BODY_LIMIT = 16 * 1024 * 1024;

const example: Contact = {
  id: 'con_01kbd8x4zvf7m8rk2q3w5t6y7h',
  contactBookId: 'cbk_01kbd8x4zvf7m8rk2q3w5t6y7h',
  email: 'ada@example.com',
  firstName: 'Ada',
  lastName: 'Lovelace',
  properties: { city: 'London' },
  subscribed: true,
  unsubscribeReason: null,
  consent: null,
  createdAt: '2026-11-15T09:30:00.000Z',
  updatedAt: '2026-11-15T09:30:00.000Z',
};
const bookParams = { contactBookId: example.contactBookId };
const params = { ...bookParams, contactId: example.id };
const written = { contactId: example.id };
const newContact = { email: 'ada@example.com', firstName: 'Ada', properties: { city: 'London' } };

export const contactRoutes = [
  route({
    operationId: 'createContact',
    method: 'POST',
    path: '/v1/contactBooks/{contactBookId}/contacts',
    group,
    summary: 'Add or update a contact',
    description:
      'An address is in a book once, whatever its case: posting it again updates that contact. Names are replaced when sent, properties merge key by key, `subscribed: false` unsubscribes; `subscribed: true` never brings back someone who has unsubscribed.',
    permission: 'full',
    role: 'member',
    errors: ['NOT_FOUND'],
    params: contactBookParams,
    body: contactInput,
    answer: contactWritten,
    example: { params: bookParams, body: newContact, answer: written },
    handle: async ({ db, teamId, caller, params: { contactBookId }, body }) => ({
      contactId: await createContact(db, teamId, contactBookId, body, caller.by),
    }),
  }),
  route({
    operationId: 'createContacts',
    method: 'POST',
    path: '/v1/contactBooks/{contactBookId}/contacts/bulk',
    group,
    summary: 'Add or update up to 10,000 contacts',
    description:
      'All or nothing: one bad row refuses all of them, and `issues` names each bad index. Of rows with the same address the last wins.',
    permission: 'full',
    role: 'member',
    heavy: 'rows',
    errors: ['NOT_FOUND'],
    params: contactBookParams,
    body: contactsInput,
    bodyLimitBytes: BULK_BODY_LIMIT,
    answer: contactsWritten,
    example: {
      params: bookParams,
      body: [newContact, { email: 'grace@example.com' }],
      answer: { message: '2 created, 0 updated, 0 repeated', count: 2 },
    },
    handle: ({ db, teamId, caller, params: { contactBookId }, body }) =>
      createContacts(db, teamId, contactBookId, body, caller.by),
  }),
  route({
    operationId: 'deleteContacts',
    method: 'DELETE',
    path: '/v1/contactBooks/{contactBookId}/contacts/bulk',
    group,
    summary: 'Delete up to 10,000 contacts',
    description: 'Ids that are not in the book are passed over; `count` tells how many were deleted.',
    permission: 'full',
    role: 'member',
    heavy: 'rows',
    errors: ['NOT_FOUND'],
    params: contactBookParams,
    body: contactsToDelete,
    answer: contactsDeleted,
    example: { params: bookParams, body: { contactIds: [example.id] }, answer: { success: true, count: 1 } },
    handle: async ({ db, teamId, params: { contactBookId }, body }) => ({
      success: true,
      count: await deleteContacts(db, teamId, contactBookId, body.contactIds),
    }),
  }),
  route({
    operationId: 'listContacts',
    method: 'GET',
    path: '/v1/contactBooks/{contactBookId}/contacts',
    group,
    summary: 'List contacts',
    description: 'Newest first.',
    permission: 'full',
    role: 'member',
    errors: ['NOT_FOUND'],
    params: contactBookParams,
    query: contactQuery,
    answer: contactPage,
    example: {
      params: bookParams,
      query: { limit: '50', search: 'ada' },
      answer: { items: [example], next_cursor: null },
    },
    handle: ({ db, teamId, params: { contactBookId }, query }) =>
      listContacts(db, teamId, contactBookId, query),
  }),
  route({
    operationId: 'getContact',
    method: 'GET',
    path: '/v1/contactBooks/{contactBookId}/contacts/{contactId}',
    group,
    summary: 'Get a contact',
    permission: 'full',
    role: 'member',
    errors: ['NOT_FOUND'],
    params: contactParams,
    answer: contactSchema,
    example: { params, answer: example },
    handle: ({ db, teamId, params: { contactBookId, contactId } }) =>
      getContact(db, teamId, contactBookId, contactId),
  }),
  route({
    operationId: 'updateContact',
    method: 'PATCH',
    path: '/v1/contactBooks/{contactBookId}/contacts/{contactId}',
    group,
    summary: 'Update a contact',
    description:
      'Replaces what it names; properties merge key by key. `subscribed: true` brings back someone who has unsubscribed, and it is recorded which key did it.',
    permission: 'full',
    role: 'member',
    errors: ['NOT_FOUND'],
    params: contactParams,
    body: contactUpdate,
    answer: contactWritten,
    example: { params, body: { lastName: 'Lovelace' }, answer: written },
    handle: async ({ db, teamId, caller, params: { contactBookId, contactId }, body }) => ({
      contactId: await updateContact(db, teamId, contactBookId, contactId, body, caller.by),
    }),
  }),
  route({
    operationId: 'putContact',
    method: 'PUT',
    path: '/v1/contactBooks/{contactBookId}/contacts/{contactId}',
    group,
    summary: 'Update a contact with its address, or add it',
    description: 'A known id is updated, its email too; an unknown one acts as adding a contact.',
    permission: 'full',
    role: 'member',
    errors: ['NOT_FOUND', 'CONFLICT'],
    params: contactParams,
    body: contactInput,
    answer: contactWritten,
    example: { params, body: newContact, answer: written },
    handle: async ({ db, teamId, caller, params: { contactBookId, contactId }, body }) => ({
      contactId: await putContact(db, teamId, contactBookId, contactId, body, caller.by),
    }),
  }),
  route({
    operationId: 'deleteContact',
    method: 'DELETE',
    path: '/v1/contactBooks/{contactBookId}/contacts/{contactId}',
    group,
    summary: 'Delete a contact',
    permission: 'full',
    role: 'member',
    errors: ['NOT_FOUND'],
    params: contactParams,
    answer: contactDeleted,
    example: { params, answer: { success: true } },
    async handle({ db, teamId, params: { contactBookId, contactId } }) {
      await deleteContact(db, teamId, contactBookId, contactId);
      return { success: true };
    },
  }),
];

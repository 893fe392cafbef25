import { route } from '../../api/route.ts';
import { contactBookParams } from '../contact-books/contact-books.schema.ts';
import { createContacts } from './contacts-bulk.ts';
import { exampleContact as example, exampleDetails } from './contacts.examples.ts';
import {
  contactAnswer,
  contactDeleted,
  contactIdPage,
  contactIdQuery,
  contactInput,
  contactPage,
  contactParams,
  contactQuery,
  contactsDeleted,
  contactsInput,
  contactsToDelete,
  contactsWritten,
  contactUpdate,
  contactWritten,
} from './contacts.schema.ts';
import { createContact, deleteContact, deleteContacts, putContact, updateContact } from './contacts.ts';
import { getContact } from './get-contact.ts';
import { listContactIds, listContacts } from './list-contacts.ts';
import { searchContacts } from './search-contacts.ts';

const group = 'Contacts';
const BULK_BODY_LIMIT = 16 * 1024 * 1024;

const bookParams = { contactBookId: example.contactBookId };
const params = { ...bookParams, contactId: example.id };
const written = { contactId: example.id };
const newContact = { email: 'ada@example.com', firstName: 'Ada', properties: { city: 'London' } };

export const contactRoutes = [
  route({
    operationId: 'createContact',
    method: 'POST',
    path: '/v1/contactBooks/{contactBookId}/contacts',
    boundKeys: 'kept-to-book',
    scope: 'contacts.write',
    group,
    summary: 'Add or update a contact',
    description:
      'An email address can be in a book only once, regardless of case. Posting it again updates the contact: names are replaced if you send them, and properties are merged key by key. `subscribed: false` unsubscribes the contact. `subscribed: true` does not resubscribe someone who has unsubscribed.',
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
    boundKeys: 'kept-to-book',
    scope: 'contacts.write',
    group,
    summary: 'Add or update up to 10,000 contacts',
    description:
      'All or nothing: if one row is invalid, nothing is stored, and the error names the index of each invalid row: in `issues`, and in `message` if there are more than `issues` has room for. If several rows have the same address, the last one is used.',
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
    boundKeys: 'kept-to-book',
    scope: 'contacts.write',
    group,
    summary: 'Delete up to 10,000 contacts',
    description: 'IDs that are not in the book are ignored. `count` is the number of deleted contacts.',
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
    boundKeys: 'kept-to-book',
    scope: 'contacts.read',
    group,
    summary: 'List contacts',
    description: 'Newest first.',
    permission: 'full',
    role: 'member',
    readsReplica: true,
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
    operationId: 'listContactIds',
    method: 'GET',
    path: '/v1/contactBooks/{contactBookId}/contacts/ids',
    boundKeys: 'kept-to-book',
    scope: 'contacts.read',
    group,
    summary: 'List the IDs of contacts',
    description: 'Newest first, up to 10,000 in a page: as many as a bulk request takes.',
    permission: 'full',
    role: 'member',
    readsReplica: true,
    errors: ['NOT_FOUND'],
    params: contactBookParams,
    query: contactIdQuery,
    answer: contactIdPage,
    example: {
      params: bookParams,
      query: { search: 'ada' },
      answer: { items: [example.id], next_cursor: null },
    },
    handle: ({ db, teamId, params: { contactBookId }, query }) =>
      listContactIds(db, teamId, contactBookId, query),
  }),
  route({
    operationId: 'searchContacts',
    method: 'GET',
    path: '/v1/contacts',
    scope: 'contacts.read',
    group,
    summary: 'List the contacts of all books',
    description:
      'Newest first. With a filter or `search`, one page covers at most the next 50,000 contacts. It may have fewer items than `limit`, or none, while `next_cursor` still leads to older contacts.',
    permission: 'full',
    role: 'member',
    readsReplica: true,
    query: contactQuery,
    answer: contactPage,
    example: { query: { search: 'ada' }, answer: { items: [example], next_cursor: null } },
    handle: ({ db, teamId, query }) => searchContacts(db, teamId, query),
  }),
  route({
    operationId: 'getContact',
    method: 'GET',
    path: '/v1/contactBooks/{contactBookId}/contacts/{contactId}',
    boundKeys: 'kept-to-book',
    scope: 'contacts.read',
    group,
    summary: 'Get a contact',
    description:
      'With its subscription, all books that have its address, and whether the address is suppressed.',
    permission: 'full',
    role: 'member',
    errors: ['NOT_FOUND'],
    params: contactParams,
    answer: contactAnswer,
    example: { params, answer: exampleDetails },
    handle: ({ db, teamId, params: { contactBookId, contactId } }) =>
      getContact(db, teamId, contactBookId, contactId),
  }),
  route({
    operationId: 'updateContact',
    method: 'PATCH',
    path: '/v1/contactBooks/{contactBookId}/contacts/{contactId}',
    boundKeys: 'kept-to-book',
    scope: 'contacts.write',
    group,
    summary: 'Update a contact',
    description:
      'Only the fields you send are changed, and properties are merged key by key. `subscribed: true` resubscribes someone who has unsubscribed; the API key that did this is recorded.',
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
    boundKeys: 'kept-to-book',
    scope: 'contacts.write',
    group,
    summary: 'Update or add a contact',
    description:
      'If the ID exists, the contact is updated, including its email. Otherwise a new contact is added.',
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
    boundKeys: 'kept-to-book',
    scope: 'contacts.write',
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

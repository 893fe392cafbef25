import { route } from '../../api/route.ts';
import {
  contactBookDeleted,
  contactBookInput,
  contactBookList,
  contactBookParams,
  contactBookSchema,
  contactBookUpdate,
  type ContactBook,
} from './contact-books.schema.ts';
import {
  createContactBook,
  deleteContactBook,
  getContactBook,
  listContactBooks,
  updateContactBook,
} from './contact-books.ts';
import { DEFAULT_DOUBLE_OPT_IN_CONTENT, DEFAULT_DOUBLE_OPT_IN_SUBJECT } from './double-opt-in-defaults.ts';

const group = 'Contact books';

const example: ContactBook = {
  id: 'cbk_01kbd8x4zvf7m8rk2q3w5t6y7h',
  name: 'Newsletter',
  teamId: 1,
  properties: { language: 'en' },
  variables: ['city'],
  emoji: '📙',
  createdAt: '2026-11-15T09:30:00.000Z',
  updatedAt: '2026-11-15T09:30:00.000Z',
  doubleOptInEnabled: false,
  doubleOptInFrom: null,
  doubleOptInSubject: DEFAULT_DOUBLE_OPT_IN_SUBJECT,
  doubleOptInContent: DEFAULT_DOUBLE_OPT_IN_CONTENT,
  archiveEnabled: true,
  archiveTitle: 'Letters from the harbour',
  archiveDescription: null,
  archiveIndexed: false,
  timezone: 'Europe/Berlin',
  _count: { contacts: 1204 },
};
const params = { contactBookId: example.id };

export const contactBookRoutes = [
  route({
    operationId: 'createContactBook',
    method: 'POST',
    creates: 'contactBooks',
    path: '/v1/contactBooks',
    scope: 'contacts.write',
    group,
    summary: 'Create a contact book',
    permission: 'full',
    role: 'member',
    body: contactBookInput,
    answer: contactBookSchema,
    example: { body: { name: 'Newsletter', variables: ['city'] }, answer: example },
    handle: ({ db, teamId, body }) => createContactBook(db, teamId, body),
  }),
  route({
    operationId: 'listContactBooks',
    boundKeys: 'kept-to-book',
    method: 'GET',
    path: '/v1/contactBooks',
    scope: 'contacts.read',
    group,
    summary: 'List contact books',
    description: 'All contact books, newest first.',
    permission: 'full',
    role: 'member',
    answer: contactBookList,
    example: { answer: [example] },
    async handle({ db, teamId, caller }) {
      const books = await listContactBooks(db, teamId);
      return caller.contactBookIds === null
        ? books
        : books.filter(({ id }) => caller.contactBookIds!.includes(id));
    },
  }),
  route({
    operationId: 'getContactBook',
    method: 'GET',
    path: '/v1/contactBooks/{contactBookId}',
    boundKeys: 'kept-to-book',
    scope: 'contacts.read',
    group,
    summary: 'Get a contact book',
    permission: 'full',
    role: 'member',
    errors: ['NOT_FOUND'],
    params: contactBookParams,
    answer: contactBookSchema,
    example: { params, answer: example },
    handle: ({ db, teamId, params: { contactBookId } }) => getContactBook(db, teamId, contactBookId),
  }),
  route({
    operationId: 'updateContactBook',
    method: 'PATCH',
    path: '/v1/contactBooks/{contactBookId}',
    boundKeys: 'kept-to-book',
    scope: 'contacts.write',
    group,
    summary: 'Update a contact book',
    description:
      'Only the fields you send are changed. `null` clears `doubleOptInFrom` and resets every other field except `name` to its default.',
    permission: 'full',
    role: 'member',
    errorForm: 'string',
    errors: ['NOT_FOUND'],
    params: contactBookParams,
    body: contactBookUpdate,
    answer: contactBookSchema,
    example: { params, body: { name: 'Newsletter' }, answer: example },
    handle: ({ db, teamId, params: { contactBookId }, body }) =>
      updateContactBook(db, teamId, contactBookId, body),
  }),
  route({
    operationId: 'deleteContactBook',
    method: 'DELETE',
    path: '/v1/contactBooks/{contactBookId}',
    boundKeys: 'kept-to-book',
    scope: 'contacts.write',
    group,
    summary: 'Delete a contact book and its contacts',
    permission: 'full',
    role: 'member',
    errorForm: 'string',
    errors: ['NOT_FOUND', 'CONFLICT'],
    params: contactBookParams,
    answer: contactBookDeleted,
    example: {
      params,
      answer: { id: example.id, success: true, message: 'Contact book deleted successfully' },
    },
    async handle({ db, teamId, params: { contactBookId } }) {
      await deleteContactBook(db, teamId, contactBookId);
      return { id: contactBookId, success: true, message: 'Contact book deleted successfully' };
    },
  }),
];

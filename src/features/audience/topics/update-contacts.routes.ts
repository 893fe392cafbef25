import { route } from '../../api/route.ts';
import { contactBookParams } from '../contact-books/contact-books.schema.ts';
import { contactsDeleted } from '../contacts/contacts.schema.ts';
import { contactsUpdate } from './topics.schema.ts';
import { updateContacts } from './update-contacts.ts';

/** These routes are not with the contacts, because topics import contacts and not the reverse. */
export const updateContactsRoutes = [
  route({
    operationId: 'updateContacts',
    method: 'PATCH',
    path: '/v1/contactBooks/{contactBookId}/contacts/bulk',
    boundKeys: 'kept-to-book',
    scope: 'contacts.write',
    group: 'Contacts',
    summary: 'Unsubscribe up to 10,000 contacts, or change their topics',
    description:
      'All or nothing. IDs that are not in the book are ignored. `count` is the number of contacts found. The caller is recorded.',
    permission: 'full',
    role: 'member',
    heavy: 'rows',
    errors: ['NOT_FOUND'],
    params: contactBookParams,
    body: contactsUpdate,
    answer: contactsDeleted,
    example: {
      params: { contactBookId: 'cbk_01kbd8x4zvf7m8rk2q3w5t6y7h' },
      body: {
        contactIds: ['con_01kbd8x4zvf7m8rk2q3w5t6y7h'],
        topics: [{ id: 'top_01kbd8x4zvf7m8rk2q3w5t6y7h', subscribed: true }],
      },
      answer: { success: true, count: 1 },
    },
    handle: async ({ db, teamId, caller, params: { contactBookId }, body }) => ({
      success: true,
      count: await updateContacts(db, teamId, contactBookId, body, caller.by),
    }),
  }),
];

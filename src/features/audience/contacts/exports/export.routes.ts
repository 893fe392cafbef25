import { FileAnswer, route } from '../../../api/route.ts';
import { contactBookParams } from '../../contact-books/contact-books.schema.ts';
import { exportContacts } from './export-contacts.ts';

export const exportRoutes = [
  route({
    operationId: 'exportContacts',
    method: 'GET',
    path: '/v1/contactBooks/{contactBookId}/export',
    boundKeys: 'kept-to-book',
    scope: 'contacts.read',
    group: 'Contacts',
    summary: 'Export contacts as a CSV file',
    description:
      'All contacts in the book, oldest first, as CSV (RFC 4180) in UTF-8. The file has six fixed columns, followed by one column for each property, ordered by name. If an import would read the name of a property as something else, for example `email`, the column is named `property:email`. `subscribed` is also false for contacts that have not confirmed yet. Importing the file creates the same contacts, but numbers and booleans in properties become text.',
    permission: 'full',
    role: 'member',
    errors: ['NOT_FOUND'],
    params: contactBookParams,
    answer: 'text/csv',
    example: {
      params: { contactBookId: 'cbk_01kbd8x4zvf7m8rk2q3w5t6y7h' },
      answer:
        'email,firstName,lastName,subscribed,unsubscribeReason,createdAt,city\r\nada@example.com,Ada,Lovelace,true,,2026-11-15T09:30:00.000Z,London\r\n',
    },
    handle: async ({ db, teamId, params: { contactBookId }, throwIfDisconnected }) =>
      new FileAnswer(
        'text/csv; charset=utf-8',
        `contacts-${contactBookId}.csv`,
        await exportContacts(db, { teamId, contactBookId, throwIfDisconnected }),
      ),
  }),
];

import { FileAnswer, route } from '../../platform/route.ts';
import { contactBookParams } from '../contact-books/contact-books.schema.ts';
import { exportContacts } from './export-contacts.ts';

export const exportRoutes = [
  route({
    operationId: 'exportContacts',
    method: 'GET',
    path: '/v1/contactBooks/{contactBookId}/export',
    group: 'Contacts',
    summary: 'Export contacts as a CSV file',
    description:
      'All contacts of the book, oldest first, as CSV (RFC 4180) in UTF-8: six fixed columns, then one for each property that any of them has, by name. A property whose name an import would read as something else, as `email`, stands under `property:email`. `subscribed` is false also for who has not confirmed yet. Importing the file again gives the same contacts; numbers and booleans among their properties become text.',
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
    handle: async ({ db, teamId, params: { contactBookId }, refuseGone }) =>
      new FileAnswer(
        'text/csv; charset=utf-8',
        `contacts-${contactBookId}.csv`,
        await exportContacts(db, { teamId, contactBookId, refuseGone }),
      ),
  }),
];

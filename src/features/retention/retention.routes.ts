import { route } from '../api/route.ts';
import { contactsDeleted, personQuery } from '../audience/contacts/contacts.schema.ts';
import { erasePerson } from './erase-person.ts';

export const retentionRoutes = [
  route({
    operationId: 'erasePerson',
    method: 'DELETE',
    path: '/v1/contacts',
    scope: 'none',
    group: 'Contacts',
    summary: 'Erase a person',
    description:
      'Deletes the contacts with this address in all books of the team, with their properties, topics and record of consent, and cancels scheduled email to this address alone. `count` is the number of deleted contacts. A job then removes the rest, usually within a minute: the content and subject of email to this address alone, the details of its events, its sandbox messages, and finished webhook deliveries that contain the address. Where counts must stay (emails, events, recipients of campaigns), an alias replaces the address. Suppressions keep the address, with the reason `ERASED`, so that no email is sent to it again. Email to several people and mail in mailboxes keep their content.',
    permission: 'full',
    role: 'admin',
    query: personQuery,
    answer: contactsDeleted,
    example: { query: { email: 'ada@example.org' }, answer: { success: true, count: 2 } },
    handle: async ({ db, teamId, query }) => ({
      success: true,
      count: await erasePerson(db, teamId, query.email),
    }),
  }),
];

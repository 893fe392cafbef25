import { MAILBOX_ROUTE } from '../../api/mailbox-access.ts';
import { route } from '../../api/route.ts';
import { mailboxParams } from '../mailboxes/mailboxes.schema.ts';
import { accessAnswer, accessInput, type MailboxAccess } from './access.schema.ts';
import { changeAccess, getAccess } from './access.ts';

const common = {
  group: 'Mailboxes',
  path: '/v1/mailboxes/{id}/access',
  ...MAILBOX_ROUTE,
  errors: ['NOT_FOUND'],
  params: mailboxParams,
} as const;

const params = { id: 'mbx_01kbd8x4zvf7m8rk2q3w5t6y7h' };
const person = { user_id: 'usr_01kbd8x4zvf7m8rk2q3w5t6y7h', role: 'manage' } as const;
const example: MailboxAccess = {
  mode: 'listed',
  people: [{ ...person, name: 'Ada Lovelace', email: 'ada@example.com' }],
};

export const accessRoutes = [
  route({
    ...common,
    operationId: 'getMailboxAccess',
    scope: 'mail.read',
    method: 'GET',
    summary: 'Get who has access to a mailbox',
    answer: accessAnswer,
    example: { params, answer: example },
    handle: ({ db, caller, params: { id } }) => getAccess(db, caller, id),
  }),
  route({
    ...common,
    operationId: 'changeMailboxAccess',
    scope: 'none',
    method: 'PUT',
    summary: 'Change who has access to a mailbox',
    description:
      'Replaces the list. Owners, admins and people who manage the mailbox can do this, and it is recorded. Whoever loses access loses it at once, also in open email apps. Owners and admins who are not listed cannot read the mailbox.',
    body: accessInput,
    answer: accessAnswer,
    example: { params, body: { mode: 'listed', people: [person] }, answer: example },
    async handle({ db, caller, facts, params: { id }, body }) {
      const access = await changeAccess(db, caller, id, body);
      facts.hintMail();
      return access;
    },
  }),
];

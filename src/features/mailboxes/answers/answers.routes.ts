import { MAILBOX_ROUTE } from '../../api/mailbox-access.ts';
import { route } from '../../api/route.ts';
import { answerInvitation } from './answer-invitation.ts';
import {
  invitation,
  invitationInput,
  invitationParams,
  type EventInvitation,
} from '../invitations/invitations.schema.ts';
import { listLeft, messageParams } from './answers.schema.ts';
import { leaveList } from './leave-list.ts';

const example: EventInvitation = {
  method: 'REQUEST',
  uid: '7kukuqrfedlm2f9t@example.org',
  sequence: 0,
  summary: 'The engine',
  location: 'Room 1',
  start: '2026-11-20T09:30:00.000Z',
  end: '2026-11-20T10:00:00.000Z',
  all_day: false,
  recurrence: null,
  occurrence: null,
  exceptions: [],
  organizer: { name: 'Charles Babbage', email: 'charles@example.org' },
  attendees: [{ name: null, email: 'ada@example.com', status: 'needs-action', optional: false }],
  status: 'confirmed',
  answer: 'accepted',
  trusted: true,
};

export const answerRoutes = [
  route({
    operationId: 'answerInvitation',
    method: 'POST',
    path: '/v1/messages/{id}/invitation',
    scope: 'mail.reply',
    group: 'Threads',
    summary: 'Answer an invitation',
    description:
      'Sends the answer to the organiser (RFC 6047) and keeps it. It can be changed by another answer. An invitation that was forwarded to the mailbox is answered in the name of the mailbox.',
    ...MAILBOX_ROUTE,
    errors: ['NOT_FOUND', 'CONFLICT'],
    params: invitationParams,
    body: invitationInput,
    answer: invitation,
    example: {
      params: { id: 'msg_01kbd8x4zvf7m8rk2q3w5t6y7h' },
      body: { answer: 'accepted' },
      answer: example,
    },
    async handle({ db, caller, params: { id }, body, facts }) {
      const answered = await answerInvitation(db, caller, id, body);
      facts.wakeDeliveryWorkers();
      return answered;
    },
  }),
  route({
    operationId: 'leaveList',
    method: 'POST',
    path: '/v1/messages/{id}/unsubscribe',
    scope: 'mail.send',
    group: 'Threads',
    summary: 'Leave the mailing list that sent a message',
    description:
      'Calls the URL of the list (RFC 8058), or writes to its address. Posthorn never does this by itself, and calls only public addresses.',
    ...MAILBOX_ROUTE,
    errors: ['NOT_FOUND'],
    params: messageParams,
    answer: listLeft,
    example: { params: { id: 'msg_01kbd8x4zvf7m8rk2q3w5t6y7h' }, answer: { method: 'one_click' } },
    handle: async ({ db, caller, params: { id } }) => ({ method: await leaveList(db, caller, id) }),
  }),
];

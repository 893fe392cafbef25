import { MAILBOX_ROUTE } from '../../api/mailbox-access.ts';
import { route } from '../../api/route.ts';
import { getAutomaticReply, updateAutomaticReply } from './automatic-reply.ts';
import {
  automaticReplyAnswer,
  automaticReplyParams,
  automaticReplyUpdate,
  type AutomaticReply,
} from './vacation.schema.ts';

const group = 'Mailboxes';
const path = '/v1/mailboxes/{id}/automatic-reply';
const params = { id: 'mbx_01kbd8x4zvf7m8rk2q3w5t6y7h' };
const example: AutomaticReply = {
  enabled: true,
  from: '2026-12-20T00:00:00.000Z',
  until: '2027-01-07T00:00:00.000Z',
  subject: 'Away until January',
  text: 'I am back on 7 January.',
  html: null,
};

export const automaticReplyRoutes = [
  route({
    operationId: 'getAutomaticReply',
    method: 'GET',
    path,
    scope: 'mail.read',
    group,
    summary: 'Get the automatic reply of a mailbox',
    ...MAILBOX_ROUTE,
    errors: ['NOT_FOUND'],
    params: automaticReplyParams,
    answer: automaticReplyAnswer,
    example: { params, answer: example },
    handle: ({ db, caller, params: { id } }) => getAutomaticReply(db, caller, id),
  }),
  route({
    operationId: 'updateAutomaticReply',
    method: 'PATCH',
    path,
    scope: 'none',
    group,
    summary: 'Change the automatic reply of a mailbox',
    description:
      'Only the fields you send are changed. Each sender gets at most one reply in seven days. Mailing lists, automatic messages, bounces and mail that is not addressed to the mailbox get no reply.',
    ...MAILBOX_ROUTE,
    errors: ['NOT_FOUND'],
    params: automaticReplyParams,
    body: automaticReplyUpdate,
    answer: automaticReplyAnswer,
    example: { params, body: { enabled: true, text: example.text }, answer: example },
    async handle({ db, caller, facts, params: { id }, body }) {
      const answer = await updateAutomaticReply(db, caller, id, body);
      facts.hintMail();
      return answer;
    },
  }),
];

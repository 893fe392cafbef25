import { route } from '../../api/route.ts';
import { mailboxParams } from '../mailboxes/mailboxes.schema.ts';
import { reportAnswer, reportQuery, type MailboxReport } from './report.schema.ts';
import { getReport } from './report.ts';

const example: MailboxReport = {
  received: 3,
  sent: 2,
  answered: 2,
  open: 1,
  first_answer: { median_minutes: 12.5, p90_minutes: 20 },
  by_person: [
    {
      user_id: 'usr_01kbd8x4zvf7m8rk2q3w5t6y7h',
      name: 'Ada Lovelace',
      sent: 2,
      answered: 2,
      median_minutes: 12.5,
    },
  ],
  by_day: [{ date: '2026-11-15', received: 3, sent: 2, answered: 2 }],
};

export const reportRoutes = [
  route({
    operationId: 'getMailboxReport',
    method: 'GET',
    path: '/v1/mailboxes/{id}/report',
    scope: 'mail.read',
    group: 'Mailboxes',
    summary: 'Get a report about a mailbox',
    description:
      'How many messages came and went on some days, and how soon conversations were answered. The days are those of the time zone.',
    permission: 'full',
    role: 'member',
    readsReplica: true,
    boundKeys: 'kept-to-domain',
    mailboxKeys: 'kept-to-mailboxes',
    errors: ['NOT_FOUND'],
    params: mailboxParams,
    query: reportQuery,
    answer: reportAnswer,
    example: {
      params: { id: 'mbx_01kbd8x4zvf7m8rk2q3w5t6y7h' },
      query: { from: '2026-11-15', to: '2026-11-15', timezone: 'Europe/Berlin' },
      answer: example,
    },
    handle: ({ db, caller, params: { id }, query }) => getReport(db, caller, id, query),
  }),
];

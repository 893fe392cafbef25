import { route } from '../../api/route.ts';
import { noticeList, type Notice } from './notices.schema.ts';
import { listNotices } from './notices.ts';

const example: Notice = {
  kind: 'import',
  id: 'imp_01kbd8x4zvf7m8rk2q3w5t6y7h',
  contactBookId: 'cbk_01kbd8x4zvf7m8rk2q3w5t6y7h',
  since: '2026-11-15T09:30:00.000Z',
  message: 'The import into "Newsletter" is stalled.',
};

export const noticeRoutes = [
  route({
    operationId: 'listNotices',
    method: 'GET',
    path: '/v1/notices',
    scope: 'none',
    group: 'Team and keys',
    summary: 'List stalled work and failing relays',
    description:
      'Campaigns, imports, confirmation emails, domain verifications and webhooks of your team that have made no ' +
      'progress for a minute or more, campaigns that paused by themselves, deliveries to webhooks and confirmation emails that ' +
      'were given up in the last week, relays that do not accept your email, a full disk of the server, storage of your ' +
      'team of which 80 % or more is used, link hosts that fail, certificates that could not be renewed, listings on blocklists, links in emails that lead to the server itself because of BASE_URL, rules that were switched off because something that they name is gone, and emails of agents that have waited for your ' +
      'approval for ten minutes or more, oldest first. Only owners and admins can see it. The ' +
      'list is empty when everything is working.',
    permission: 'full',
    role: 'admin',
    answer: noticeList,
    example: { answer: { items: [example] } },
    handle: async ({ db, caller, facts }) => ({ items: await listNotices(db, caller, facts) }),
  }),
];

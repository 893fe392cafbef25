import { route } from '../../platform/route.ts';
import { noticeList, type Notice } from './notices.schema.ts';
import { listNotices } from './notices.ts';

const example: Notice = {
  kind: 'import',
  id: 'imp_01kbd8x4zvf7m8rk2q3w5t6y7h',
  contactBookId: 'cbk_01kbd8x4zvf7m8rk2q3w5t6y7h',
  since: '2026-11-15T09:30:00.000Z',
  message: 'The import into "Newsletter" has stopped moving.',
};

export const noticeRoutes = [
  route({
    operationId: 'listNotices',
    method: 'GET',
    path: '/v1/notices',
    group: 'Team and keys',
    summary: 'Work that does not move',
    description:
      'Imports, confirmation emails, domain verifications and webhooks of your team that have not moved for a minute ' +
      'or more, the longest first. For owners and admins. The list is empty when all is well.',
    permission: 'full',
    role: 'admin',
    answer: noticeList,
    example: { answer: { items: [example] } },
    handle: async ({ db, teamId }) => ({ items: await listNotices(db, teamId) }),
  }),
];

import { route } from '../../api/route.ts';
import { growthAnswer, growthParams, growthQuery } from './growth.schema.ts';
import { getGrowth } from './growth.ts';

export const growthRoutes = [
  route({
    operationId: 'getContactBookGrowth',
    method: 'GET',
    path: '/v1/contactBooks/{contactBookId}/growth',
    group: 'Contact books',
    summary: 'Get the growth of a contact book',
    description: [
      'One entry per hour, day, week or month of the days `from` to `to`, oldest first; of the last 30 days if they are left out. `sources` says where those who joined in this time came from.',
      'The numbers are counted when contacts change, and no contact counts twice: `total` changes by those who joined as subscribers, confirmed or returned, and by those who left. Contacts from before the update that introduced these counts count when they were added, with the state that they had at the update.',
    ].join('\n\n'),
    permission: 'full',
    scope: 'contacts.read',
    boundKeys: 'kept-to-book',
    role: 'member',
    readsReplica: true,
    errors: ['NOT_FOUND'],
    params: growthParams,
    query: growthQuery,
    answer: growthAnswer,
    example: {
      params: { contactBookId: 'cbk_01kbd8x4zvf7m8rk2q3w5t6y7h' },
      query: { from: '2026-11-15', to: '2026-11-15', timezone: 'Europe/Berlin' },
      answer: {
        items: [
          { date: '2026-11-15', joined: 14, confirmed: 9, returned: 1, left: 2, total: 1204, pending: 31 },
        ],
        sources: [{ source: 'form', id: 'frm_01kbd8x4zvf7m8rk2q3w5t6y7h', name: 'Home page', joined: 14 }],
      },
    },
    handle: ({ db, teamId, params: { contactBookId }, query }) => getGrowth(db, teamId, contactBookId, query),
  }),
];

import { route } from '../../api/route.ts';
import { starterList } from './starters.schema.ts';
import { listStarters } from './starters.ts';

export const starterRoutes = [
  route({
    operationId: 'listStarterTemplates',
    method: 'GET',
    path: '/v1/starter-templates',
    scope: 'templates.read',
    group: 'Templates',
    summary: 'List starter templates',
    description:
      'Designs to begin a campaign or template with, in the brand of your team. Send `content` when you create a campaign or template.',
    permission: 'full',
    role: 'member',
    answer: starterList,
    example: {
      answer: {
        items: [
          {
            id: 'plain-letter',
            name: 'Plain text',
            description: 'Only text, like a note from one person to another.',
            subject: 'A short note',
            forCampaigns: true,
            content: '{"type":"doc","content":[]}',
            html: '',
          },
        ],
      },
    },
    handle: async ({ db, teamId }) => ({ items: await listStarters(db, teamId) }),
  }),
];

import { route } from '../../platform/route.ts';
import { teamSchema, teamUpdate, type Team } from './teams.schema.ts';
import { getTeam, updateTeam } from './teams.ts';

const example: Team = {
  id: 1,
  name: 'Harbour Books',
  createdAt: '2026-11-15T09:30:00.000Z',
  updatedAt: '2026-11-15T09:30:00.000Z',
};

export const teamRoutes = [
  route({
    operationId: 'getTeam',
    method: 'GET',
    path: '/v1/team',
    group: 'Team and keys',
    summary: 'Your team',
    permission: 'full',
    role: 'member',
    answer: teamSchema,
    example: { answer: example },
    handle: ({ db, teamId }) => getTeam(db, teamId),
  }),
  route({
    operationId: 'updateTeam',
    method: 'PATCH',
    path: '/v1/team',
    group: 'Team and keys',
    summary: 'Rename your team',
    permission: 'full',
    role: 'admin',
    body: teamUpdate,
    answer: teamSchema,
    example: { body: { name: 'Harbour Books' }, answer: example },
    handle: ({ db, teamId, body }) => updateTeam(db, teamId, body),
  }),
];

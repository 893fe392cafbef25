import { route } from '../../api/route.ts';
import { teamSchema, teamUpdate, type Team } from './teams.schema.ts';
import { getTeam, limitsOf, updateTeam } from './teams.ts';

const example: Team = {
  id: 1,
  name: 'Harbour Books',
  emailContentDays: 30,
  sandboxDays: null,
  eventDays: null,
  frequencyCap: null,
  retentionLimits: { emailContentDays: null, sandboxDays: 30, eventDays: 365 },
  storage: { usedBytes: 734_003_200, limitBytes: 1_073_741_824, countedAt: '2026-11-15T09:29:03.120Z' },
  createdAt: '2026-11-15T09:30:00.000Z',
  updatedAt: '2026-11-15T09:30:00.000Z',
};

export const teamRoutes = [
  route({
    operationId: 'getTeam',
    method: 'GET',
    path: '/v1/team',
    scope: 'any',
    group: 'Team and keys',
    summary: 'Get your team',
    permission: 'full',
    role: 'member',
    answer: teamSchema,
    example: { answer: example },
    handle: ({ db, teamId, facts }) => getTeam(db, teamId, limitsOf(facts)),
  }),
  route({
    operationId: 'updateTeam',
    method: 'PATCH',
    path: '/v1/team',
    scope: 'none',
    storesLittle: true,
    group: 'Team and keys',
    summary: 'Change your team',
    description:
      'Only a signed-in owner can change how long data is kept (`emailContentDays`, `sandboxDays`, `eventDays`). `null` restores the setting of the server. A number above that setting is rejected. Data that is already older is deleted within an hour or two.',
    permission: 'full',
    role: 'admin',
    body: teamUpdate,
    answer: teamSchema,
    example: { body: { name: 'Harbour Books', emailContentDays: 30 }, answer: example },
    handle: ({ db, caller, facts, body }) => updateTeam(db, caller, body, limitsOf(facts)),
  }),
];

import { route } from '../../api/route.ts';
import { personAnswer, personParams, personUpdate, type PersonProfile } from './people.schema.ts';
import { getPerson, updatePerson } from './people.ts';

const shared = {
  group: 'People',
  path: '/v1/people/{email}',
  permission: 'full',
  role: 'member',
  boundKeys: 'kept-to-domain',
} satisfies Partial<Parameters<typeof route>[0]>;
const example: PersonProfile = {
  email: 'charles@example.org',
  names: ['Charles Babbage'],
  notes: 'Prefers to be called.',
  contacts: [],
  threads: [
    {
      id: 'thr_01kbd8x4zvf7m8rk2q3w5t6y7h',
      mailbox_id: 'mbx_01kbd8x4zvf7m8rk2q3w5t6y7h',
      subject: 'The engine',
      last_message_at: '2026-11-15T09:30:00.000Z',
    },
  ],
  campaigns: [],
  automations: [],
  blocked: false,
  blocked_in: [],
};
const params = { email: example.email };

export const personRoutes = [
  route({
    ...shared,
    operationId: 'getPerson',
    method: 'GET',
    scope: 'mail.read',
    summary: 'Get what is known about a person',
    description:
      'Names, contacts, conversations in mailboxes that you may read, campaigns, automations, and notes of the team. Everyone can be looked up: someone who is unknown has empty lists.',
    params: personParams,
    answer: personAnswer,
    example: { params, answer: example },
    handle: ({ db, caller, params: { email } }) => getPerson(db, caller, email),
  }),
  route({
    ...shared,
    operationId: 'updatePerson',
    method: 'PUT',
    scope: 'none',
    boundKeys: 'refused',
    summary: 'Change the notes about a person',
    params: personParams,
    body: personUpdate,
    answer: personAnswer,
    example: { params, body: { notes: example.notes }, answer: example },
    handle: ({ db, caller, params: { email }, body }) => updatePerson(db, caller, email, body),
  }),
];

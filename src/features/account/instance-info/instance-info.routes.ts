import { route } from '../../api/route.ts';
import { instanceInfo } from './instance-info.schema.ts';

export const instanceInfoRoutes = [
  route({
    operationId: 'getInstanceInfo',
    method: 'GET',
    path: '/v1/instance',
    scope: 'any',
    group: 'Team and keys',
    summary: 'Get how the server is set up',
    description: 'Tells whether email leaves the server. In the sandbox it is captured instead.',
    permission: 'full',
    role: 'member',
    answer: instanceInfo,
    example: { answer: { sandbox: true } },
    handle: async ({ facts }) => ({ sandbox: facts.mailTransport === 'sandbox' }),
  }),
];

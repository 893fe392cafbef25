import { z } from 'zod';
import { text } from '../../../platform/schema.ts';
import { route } from '../../api/route.ts';
import { domainExample } from '../../sending/domains/domain-example.ts';
import { domainParams, domainSchema } from '../../sending/domains/domains.schema.ts';
import { releaseBrake } from './release-brake.ts';

const releaseInput = z.object({
  reason: text({ min: 1, max: 500, trim: true }).describe(
    'What was found and changed. The audit log keeps it',
  ),
});

export const brakeRoutes = [
  route({
    operationId: 'releaseBrake',
    method: 'POST',
    path: '/v1/domains/{id}/release-brake',
    scope: 'none',
    group: 'Domains',
    summary: 'Release the brake of a domain',
    description:
      'The brake is on when at least 0.3 % of the delivered emails were reported as spam or at least 5 % bounced for good (20 or more), in 24 hours or among the last 1,000 delivered. Campaigns stay paused until someone resumes them; marketing emails of automations go on right away. Emails from before are not counted again.',
    permission: 'full',
    role: 'admin',
    boundKeys: 'kept-to-domain',
    errors: ['NOT_FOUND', 'CONFLICT'],
    params: domainParams,
    body: releaseInput,
    answer: domainSchema,
    example: {
      params: { id: '1' },
      body: { reason: 'The bought list was deleted.' },
      answer: {
        ...domainExample,
        status: 'SUCCESS',
        brake: {
          ...domainExample.brake,
          releasedAt: '2026-11-19T09:30:00.000Z',
          releaseReason: 'The bought list was deleted.',
        },
      },
    },
    handle: ({ db, caller, facts, params: { id }, body: { reason } }) =>
      releaseBrake(db, caller, facts, { id, reason }),
  }),
];

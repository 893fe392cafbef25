import { route } from '../../api/route.ts';
import { domainParams } from '../../sending/domains/domains.schema.ts';
import { getDomainHealth } from './domain-health.ts';
import { healthSchema, type DomainHealth } from './health.schema.ts';

const example: DomainHealth = {
  score: 'bad',
  next: {
    name: 'ptr',
    sentence:
      '192.0.2.1 has no reverse DNS, and large providers reject mail from such addresses. Ask the provider of the address to set it to mail.example.com.',
  },
  checkedAt: '2026-11-15T09:30:00.000Z',
  checks: [
    {
      name: 'ptr',
      status: 'bad',
      found: '192.0.2.1 is nobody',
      expected: '192.0.2.1 is mail.example.com',
      sentence:
        '192.0.2.1 has no reverse DNS, and large providers reject mail from such addresses. Ask the provider of the address to set it to mail.example.com.',
    },
  ],
};

export const domainHealthRoutes = [
  route({
    operationId: 'getDomainHealth',
    method: 'GET',
    path: '/v1/domains/{id}/health',
    scope: 'domains.read',
    group: 'Domains',
    summary: 'Get the health of a domain',
    description:
      'Looks up everything that decides whether mail of the domain arrives: SPF, DKIM, DMARC, the return path, MX, the name and reverse DNS of the sending server, certificates, MTA-STS, TLS reports, BIMI, blocklists (DNSBL_ZONES), one-click unsubscribe and the link host. Results are kept for 20 seconds.',
    permission: 'full',
    role: 'member',
    boundKeys: 'kept-to-domain',
    errors: ['NOT_FOUND'],
    params: domainParams,
    answer: healthSchema,
    example: { params: { id: '1' }, answer: example },
    handle: ({ db, caller, facts, params: { id } }) => getDomainHealth(db, caller, facts, id),
  }),
];

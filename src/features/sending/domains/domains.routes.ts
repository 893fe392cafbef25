import { route } from '../../api/route.ts';
import {
  domainDeleted,
  domainInput,
  domainList,
  domainParams,
  domainSchema,
  domainUpdate,
  verificationStarted,
} from './domains.schema.ts';
import {
  createDomain,
  deleteDomain,
  getDomain,
  listDomains,
  startVerification,
  updateDomain,
} from './domains.ts';
import { domainExample as example } from './domain-example.ts';
import { rotateKey } from './rotate-key.ts';

const group = 'Domains';

const params = { id: '1' };

export const domainRoutes = [
  route({
    operationId: 'createDomain',
    method: 'POST',
    creates: 'domains',
    // The key is generated while a transaction is open.
    heavy: 'rows',
    path: '/v1/domains',
    scope: 'none',
    group,
    summary: 'Add a sending domain',
    description: 'Creates the domain with its own DKIM key. Publish its `dnsRecords`, then verify it.',
    permission: 'full',
    role: 'admin',
    errors: ['CONFLICT'],
    body: domainInput,
    answer: domainSchema,
    example: { body: { name: 'example.com' }, answer: example },
    handle: ({ db, teamId, facts, body }) => createDomain(db, teamId, facts, body),
  }),
  route({
    operationId: 'listDomains',
    method: 'GET',
    path: '/v1/domains',
    scope: 'domains.read',
    group,
    summary: 'List domains',
    permission: 'full',
    role: 'member',
    boundKeys: 'kept-to-domain',
    answer: domainList,
    example: { answer: [example] },
    handle: ({ db, caller, facts }) => listDomains(db, caller, facts),
  }),
  route({
    operationId: 'getDomain',
    method: 'GET',
    path: '/v1/domains/{id}',
    scope: 'domains.read',
    group,
    summary: 'Get a domain',
    permission: 'full',
    role: 'member',
    boundKeys: 'kept-to-domain',
    errors: ['NOT_FOUND'],
    params: domainParams,
    answer: domainSchema,
    example: { params, answer: example },
    handle: ({ db, caller, facts, params: { id } }) => getDomain(db, caller, facts, id),
  }),
  route({
    operationId: 'updateDomain',
    method: 'PATCH',
    path: '/v1/domains/{id}',
    scope: 'none',
    group,
    summary: 'Update a domain',
    description:
      'Changes tracking, the host of links (`trackingSubdomain`) and the MTA-STS policy. Publish the records that `dnsRecords` gains, then verify the domain.',
    permission: 'full',
    role: 'admin',
    boundKeys: 'kept-to-domain',
    errors: ['NOT_FOUND'],
    params: domainParams,
    body: domainUpdate,
    answer: domainSchema,
    example: { params, body: { clickTracking: true }, answer: { ...example, clickTracking: true } },
    handle: ({ db, caller, facts, params: { id }, body }) => updateDomain(db, caller, facts, id, body),
  }),
  route({
    operationId: 'deleteDomain',
    method: 'DELETE',
    path: '/v1/domains/{id}',
    scope: 'none',
    group,
    summary: 'Delete a domain',
    description: 'API keys that are limited to this domain stop working.',
    permission: 'full',
    role: 'admin',
    boundKeys: 'kept-to-domain',
    errors: ['NOT_FOUND'],
    params: domainParams,
    answer: domainDeleted,
    example: { params, answer: { id: 1, success: true, message: 'Domain deleted successfully' } },
    async handle({ db, caller, params: { id } }) {
      await deleteDomain(db, caller, id);
      return { id, success: true, message: 'Domain deleted successfully' };
    },
  }),
  route({
    operationId: 'verifyDomain',
    method: 'PUT',
    path: '/v1/domains/{id}/verify',
    scope: 'none',
    group,
    summary: 'Verify a domain',
    description:
      'Checks the DNS records right away and repeats the check, at growing intervals, for 72 hours. While the sandbox is on, names ending in `.test` are verified immediately.',
    permission: 'full',
    role: 'admin',
    boundKeys: 'kept-to-domain',
    errorForm: 'string',
    errors: ['NOT_FOUND'],
    params: domainParams,
    answer: verificationStarted,
    example: { params, answer: { message: 'Domain verification started' } },
    async handle({ db, caller, facts, params: { id } }) {
      await startVerification(db, caller, facts, id);
      return { message: 'Domain verification started' };
    },
  }),
  route({
    operationId: 'rotateDomainKey',
    method: 'POST',
    heavy: 'rows',
    path: '/v1/domains/{id}/rotate-key',
    scope: 'none',
    group,
    summary: 'Rotate the DKIM key',
    description:
      'Creates a new DKIM key with its own selector and adds its record to `dnsRecords`. The current key signs until the new record is found in DNS, then the new key takes over. Keep the record of the old key published as long as it is in `dnsRecords`, which is 7 days, because mail that is on its way is signed with it. If a new key is already waiting for its record, nothing changes. A domain that was never verified uses the new key immediately.',
    permission: 'full',
    role: 'admin',
    boundKeys: 'kept-to-domain',
    errors: ['NOT_FOUND'],
    params: domainParams,
    answer: domainSchema,
    example: { params, answer: { ...example, status: 'SUCCESS', nextDkimSelector: 'ph2' } },
    handle: ({ db, caller, facts, params: { id } }) => rotateKey(db, caller, facts, id),
  }),
];

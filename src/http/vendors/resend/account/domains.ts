import { z } from 'zod';
import type { Domain } from '../../../../features/sending/domains/domains.schema.ts';
import { domainInput } from '../../../../features/sending/domains/domains.schema.ts';
import {
  createDomain,
  deleteDomain,
  getDomain,
  listDomains,
  startVerification,
  updateDomain,
} from '../../../../features/sending/domains/domains.ts';
import { invalidField, notFound } from '../../../../platform/errors.ts';
import { pathId } from '../../../../platform/schema.ts';
import { validate } from '../../../requests/validate.ts';
import { listOf, listQuery, pageOf, toList } from '../routing/lists.ts';
import { deleteRoute } from '../routing/object-routes.ts';
import { resendRoute } from '../routing/resend-route.ts';
import { toResendRegion, toResendStatus } from './webhook-shape.ts';

const capability = z.enum(['enabled', 'disabled']);
const settings = {
  open_tracking: z.boolean().nullish(),
  click_tracking: z.boolean().nullish(),
  tls: z.enum(['opportunistic', 'enforced']).nullish(),
  capabilities: z.object({ sending: capability.optional(), receiving: capability.optional() }).nullish(),
  tracking_subdomain: z.string().max(63).nullish(),
};
const newDomain = z.object({
  name: z.unknown().optional(),
  region: z.unknown().optional(),
  custom_return_path: z.string().max(63).nullish(),
  ...settings,
});
const domainSettings = z.object(settings);

const record = z.object({
  record: z.enum(['SPF', 'DKIM', 'Receiving', 'Tracking', 'TrackingCAA']),
  name: z.string(),
  type: z.enum(['MX', 'TXT', 'CNAME', 'CAA']),
  ttl: z.string(),
  status: z.string(),
  value: z.string(),
  priority: z.int().optional(),
});
const listedDomain = z.object({
  id: z.string(),
  name: z.string(),
  status: z.string(),
  created_at: z.string(),
  region: z.string(),
  capabilities: z.object({ sending: capability, receiving: capability }),
  open_tracking: z.boolean(),
  click_tracking: z.boolean(),
});
const shownDomain = listedDomain.extend({ object: z.literal('domain'), records: z.array(record) });
const named = z.object({ object: z.literal('domain'), id: z.string() });
const params = z.object({ id: pathId() });
const kept = { permission: 'full', boundKeys: 'kept-to-domain' } as const;

export const resendDomainRoutes = [
  resendRoute({
    method: 'POST',
    path: '/domains',
    scope: 'none',
    role: 'admin',
    permission: 'full',
    creates: 'domains',
    heavy: 'rows',
    body: newDomain,
    answer: shownDomain,
    async handle({ db, caller, facts, body }) {
      requirePossible(body);
      const { name, region } = body;
      const domain = await createDomain(db, caller.teamId, facts, validate(domainInput, { name, region }));
      const { id } = domain;
      return present(await updateDomain(db, caller, facts, id, toUpdate(body)));
    },
  }),
  resendRoute({
    method: 'GET',
    path: '/domains',
    scope: 'domains.read',
    ...kept,
    query: listQuery,
    answer: listOf(listedDomain),
    async handle({ db, caller, facts, query }) {
      const all = await listDomains(db, caller, facts);
      return toList(
        pageOf(all, query, ({ id }) => String(id)),
        presentListed,
      );
    },
  }),
  resendRoute({
    method: 'GET',
    path: '/domains/{id}',
    scope: 'domains.read',
    ...kept,
    params,
    answer: shownDomain,
    handle: async ({ db, caller, facts, params: { id } }) =>
      present(await getDomain(db, caller, facts, toNumber(id))),
  }),
  resendRoute({
    method: 'PATCH',
    path: '/domains/{id}',
    scope: 'none',
    role: 'admin',
    ...kept,
    params,
    body: domainSettings,
    answer: named,
    async handle({ db, caller, facts, params: { id }, body }) {
      requirePossible(body);
      await updateDomain(db, caller, facts, toNumber(id), toUpdate(body));
      return { object: 'domain' as const, id };
    },
  }),
  deleteRoute({
    path: '/domains/{id}',
    scope: 'none',
    role: 'admin',
    ...kept,
    object: 'domain',
    remove: ({ db, caller }, id) => deleteDomain(db, caller, toNumber(id)),
  }),
  resendRoute({
    method: 'POST',
    path: '/domains/{id}/verify',
    scope: 'none',
    role: 'admin',
    ...kept,
    params,
    answer: named,
    async handle({ db, caller, facts, params: { id } }) {
      await startVerification(db, caller, facts, toNumber(id));
      return { object: 'domain' as const, id };
    },
  }),
];

/** The ID of a domain is a number. Resend's IDs are text, and other text is not the ID of any domain. */
export function toNumber(id: string): number {
  if (!/^[1-9]\d{0,8}$/.test(id)) throw notFound('Domain');
  return Number(id);
}

/** Rejects settings with which email would be sent differently than the caller expects. */
function requirePossible(
  body: z.output<typeof domainSettings> & { custom_return_path?: string | null },
): void {
  if (body.tls === 'enforced')
    throw invalidField(
      'tls',
      'can only be opportunistic. Receiving servers that publish MTA-STS get TLS always',
    );
  if (body.capabilities?.sending === 'disabled')
    throw invalidField('capabilities', 'must have sending enabled');
  if (body.tracking_subdomain)
    throw invalidField(
      'tracking_subdomain',
      'is not supported. Tracked links use the address of this server',
    );
  if (body.custom_return_path && body.custom_return_path !== 'bounce')
    throw invalidField('custom_return_path', 'can only be bounce');
}

function toUpdate(body: z.output<typeof domainSettings>) {
  return { openTracking: body.open_tracking, clickTracking: body.click_tracking };
}

function presentListed(domain: Domain) {
  return {
    id: String(domain.id),
    name: domain.name,
    // Resend has temporary failures only of records.
    status: domain.status === 'TEMPORARY_FAILURE' ? 'pending' : toResendStatus(domain.status),
    created_at: domain.createdAt,
    region: toResendRegion(domain.region),
    capabilities: { sending: 'enabled' as const, receiving: 'enabled' as const },
    open_tracking: domain.openTracking,
    click_tracking: domain.clickTracking,
  };
}

function present(domain: Domain) {
  return {
    object: 'domain' as const,
    ...presentListed(domain),
    records: domain.dnsRecords.flatMap((entry) => presentRecord(entry) ?? []),
  };
}

/** Null for a record of a kind that Resend does not have. Its SDKs in some languages reject the whole domain then. */
function presentRecord(entry: Domain['dnsRecords'][number]) {
  const { name, type, ttl, value, priority } = entry;
  const record = kindOf(entry);
  if (record === null || type === 'A' || type === 'AAAA') return null;
  return {
    record,
    name,
    type,
    ttl,
    status: toResendStatus(entry.status),
    value,
    ...(priority === null ? {} : { priority: Number(priority) }),
  };
}

function kindOf({ name, type, recommended }: Domain['dnsRecords'][number]) {
  if (name.includes('_domainkey')) return 'DKIM' as const;
  if (
    name.startsWith('_dmarc') ||
    name.startsWith('_smtp._tls') ||
    name.startsWith('_mta-sts') ||
    name.startsWith('mta-sts')
  )
    return null;
  if (type === 'CAA') return 'TrackingCAA' as const;
  if (type !== 'MX' && type !== 'TXT') return 'Tracking' as const;
  return type === 'MX' && recommended ? ('Receiving' as const) : ('SPF' as const);
}

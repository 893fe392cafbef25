/** Domains by name. The SDK calls /v4/domains for everything except deleting, and older clients call /v3/domains. */
import { z } from 'zod';
import { domainInput, type DomainUpdate } from '../../../features/sending/domains/domains.schema.ts';
import {
  createDomain,
  deleteDomain,
  getDomain,
  listDomains,
  startVerification,
  updateDomain,
} from '../../../features/sending/domains/domains.ts';
import { invalidField, UNKNOWN_FIELD } from '../../../platform/errors.ts';
import { integerText } from '../../../platform/schema.ts';
import { FormBody } from '../../requests/read-form.ts';
import { validate } from '../../requests/validate.ts';
import { presentDomain, presentWhole, shownDomain, wholeDomain } from './domain-shape.ts';
import { domainPath, findPathDomain, mailgunRoute } from './mailgun-route.ts';

/** Mailgun settings that have no effect here. */
const IGNORED = new Set([
  'spam_action',
  'wildcard',
  'web_scheme',
  'web_prefix',
  'force_dkim_authority',
  'force_root_dkim_host',
  'dkim_key_size',
  'use_automatic_sender_security',
  'encrypt_incoming_message',
  'skip_verification',
]);

const form = z.union([z.instanceof(FormBody), z.undefined()], { error: 'must be a form' });
const bound = { permission: 'full', boundKeys: 'kept-to-domain', params: z.object(domainPath) } as const;

export const mailgunDomainRoutes = [
  mailgunRoute({
    method: 'GET',
    path: '/domains',
    scope: 'domains.read',
    permission: 'full',
    boundKeys: 'kept-to-domain',
    query: z.object({
      limit: integerText(1, 1_000).default(100),
      skip: integerText(0, 1_000_000).default(0),
    }),
    answer: z.object({ total_count: z.int(), items: z.array(shownDomain) }),
    async handle({ db, caller, facts, query: { limit, skip } }) {
      const domains = await listDomains(db, caller, facts);
      return { total_count: domains.length, items: domains.slice(skip, skip + limit).map(presentDomain) };
    },
  }),
  mailgunRoute({
    method: 'POST',
    path: '/domains',
    scope: 'none',
    role: 'admin',
    permission: 'full',
    creates: 'domains',
    heavy: 'rows',
    takesForms: true,
    body: form,
    answer: wholeDomain,
    async handle({ db, teamId, facts, body }) {
      const { name } = readFields(body, ['name']);
      const domain = await createDomain(db, teamId, facts, validate(domainInput, { name }));
      return { ...presentWhole(domain), message: 'Domain has been created' };
    },
  }),
  mailgunRoute({
    ...bound,
    method: 'GET',
    path: '/domains/{domain}',
    scope: 'domains.read',
    answer: wholeDomain,
    async handle({ db, caller, facts, params }) {
      const { id } = await findPathDomain(db, caller, params.domain);
      return presentWhole(await getDomain(db, caller, facts, id));
    },
  }),
  mailgunRoute({
    ...bound,
    method: 'PUT',
    path: '/domains/{domain}',
    scope: 'none',
    role: 'admin',
    takesForms: true,
    body: form,
    answer: wholeDomain,
    async handle({ db, caller, facts, params, body }) {
      const { id } = await findPathDomain(db, caller, params.domain);
      readFields(body, []);
      return {
        ...presentWhole(await getDomain(db, caller, facts, id)),
        message: 'Domain has been updated',
      };
    },
  }),
  mailgunRoute({
    ...bound,
    method: 'PUT',
    path: '/domains/{domain}/verify',
    scope: 'none',
    role: 'admin',
    answer: wholeDomain,
    async handle({ db, caller, facts, params }) {
      const { id } = await findPathDomain(db, caller, params.domain);
      await startVerification(db, caller, facts, id);
      const domain = await getDomain(db, caller, facts, id);
      return { ...presentWhole(domain), message: 'Domain DNS records have been updated' };
    },
  }),
  mailgunRoute({
    ...bound,
    method: 'DELETE',
    path: '/domains/{domain}',
    scope: 'none',
    role: 'admin',
    answer: z.object({ message: z.string() }),
    async handle({ db, caller, params }) {
      const { id } = await findPathDomain(db, caller, params.domain);
      await deleteDomain(db, caller, id);
      return { message: 'Domain has been deleted' };
    },
  }),
  mailgunRoute({
    ...bound,
    method: 'GET',
    path: '/domains/{domain}/tracking',
    scope: 'domains.read',
    answer: z.object({
      tracking: z.object({
        open: z.object({ active: z.boolean() }),
        click: z.object({ active: z.boolean() }),
        unsubscribe: z.object({
          active: z.literal(false),
          html_footer: z.literal(''),
          text_footer: z.literal(''),
        }),
      }),
    }),
    async handle({ db, caller, facts, params }) {
      const { id } = await findPathDomain(db, caller, params.domain);
      const { openTracking, clickTracking } = await getDomain(db, caller, facts, id);
      return {
        tracking: {
          open: { active: openTracking },
          click: { active: clickTracking },
          unsubscribe: { active: false as const, html_footer: '' as const, text_footer: '' as const },
        },
      };
    },
  }),
  ...(['open', 'click'] as const).map((kind) =>
    mailgunRoute({
      ...bound,
      method: 'PUT',
      path: `/domains/{domain}/tracking/${kind}`,
      scope: 'none',
      role: 'admin',
      takesForms: true,
      body: form,
      answer: z.object({
        message: z.string(),
        [kind]: z.object({ active: z.union([z.boolean(), z.literal('htmlonly')]) }),
      }),
      async handle({ db, caller, facts, params, body }) {
        const { id } = await findPathDomain(db, caller, params.domain);
        const asked = readFields(body, ['active']).active;
        const active = readActive(asked);
        const update: DomainUpdate = kind === 'open' ? { openTracking: active } : { clickTracking: active };
        await updateDomain(db, caller, facts, id, update);
        return {
          message: 'Domain tracking settings have been updated',
          [kind]: { active: asked === 'htmlonly' ? ('htmlonly' as const) : active },
        };
      },
    }),
  ),
];

/** All other fields are rejected, except those without an effect. */
function readFields(body: FormBody | undefined, known: string[]): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const { name, value } of body?.texts ?? []) {
    if (known.includes(name)) fields[name] = value;
    else if (name === 'smtp_password')
      throw invalidField(name, 'is not supported: an API key is the password for SMTP');
    else if (!IGNORED.has(name)) throw invalidField(name, UNKNOWN_FIELD);
  }
  return fields;
}

function readActive(value: string | undefined): boolean {
  if (value !== undefined && ['yes', 'true', 'htmlonly'].includes(value)) return true;
  if (value === 'no' || value === 'false') return false;
  throw invalidField('active', 'must be yes, no or htmlonly');
}

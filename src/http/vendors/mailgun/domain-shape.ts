/** A domain as Mailgun shows it. */
import { z } from 'zod';
import type { Domain } from '../../../features/sending/domains/domains.schema.ts';

const record = z.object({
  record_type: z.string(),
  name: z.string(),
  value: z.string(),
  priority: z.string().optional(),
  valid: z.string(),
  is_active: z.boolean(),
  cached: z.array(z.string()),
});
export const shownDomain = z.object({
  id: z.string(),
  name: z.string(),
  state: z.enum(['active', 'unverified']),
  type: z.literal('custom'),
  created_at: z.string(),
  is_disabled: z.boolean(),
  require_tls: z.boolean(),
  skip_verification: z.boolean(),
  smtp_login: z.string(),
  spam_action: z.string(),
  wildcard: z.boolean(),
  web_prefix: z.string(),
  web_scheme: z.string(),
  use_automatic_sender_security: z.boolean(),
});
export const wholeDomain = z.object({
  domain: shownDomain,
  sending_dns_records: z.array(record),
  receiving_dns_records: z.array(record),
  message: z.string().optional(),
});

export function presentDomain(domain: Domain): z.infer<typeof shownDomain> {
  return {
    id: String(domain.id),
    name: domain.name,
    state: domain.status === 'SUCCESS' ? 'active' : 'unverified',
    type: 'custom',
    created_at: new Date(domain.createdAt).toUTCString(),
    is_disabled: false,
    require_tls: false,
    skip_verification: false,
    smtp_login: `postmaster@${domain.name}`,
    spam_action: 'disabled',
    wildcard: false,
    web_prefix: '',
    web_scheme: 'https',
    use_automatic_sender_security: false,
  };
}

export function presentWhole(domain: Domain): z.infer<typeof wholeDomain> {
  const registrable = domain.subdomain === '' ? domain.name : domain.name.slice(domain.subdomain.length + 1);
  const records = domain.dnsRecords.map(({ type, name, value, priority, status }) => ({
    record_type: type,
    name: name === '@' ? registrable : `${name}.${registrable}`,
    value,
    ...(priority === null ? {} : { priority }),
    valid: status === 'SUCCESS' ? 'valid' : 'unknown',
    is_active: status === 'SUCCESS',
    cached: [],
  }));
  // The other MX record belongs to the return path.
  const isReceiving = ({ record_type: type, name }: (typeof records)[number]) =>
    type === 'MX' && name === domain.name;
  return {
    domain: presentDomain(domain),
    sending_dns_records: records.filter((each) => !isReceiving(each)),
    receiving_dns_records: records.filter(isReceiving),
  };
}

/**
 * The DNS records that a sending domain must publish, and the comparison with published ones. Names are
 * relative to the registrable domain, as DNS providers expect them.
 */
import { isIP } from 'node:net';
import { getDomain } from 'tldts';
import { parseDomain } from '../mime/address.ts';
import { bareHost } from '../../platform/network/bare-host.ts';

export type RecordRole = DkimRole | 'bounceMx' | 'spf' | 'dmarc' | 'inboundMx' | HostRole;
type HostRole = 'tracking' | 'trackingCaa' | 'mtaSts' | 'mtaStsHost' | 'tlsReports';
type DkimRole = 'dkim' | 'nextDkim' | 'retiredDkim';

interface DkimPublicKey {
  selector: string;
  /** The SubjectPublicKeyInfo in base64, as in the record. */
  publicKey: string;
}

export interface DomainPublicKeys {
  current: DkimPublicKey;
  /** The key that signs as soon as its record is found. */
  next: DkimPublicKey | null;
  /** The key that signed before. Its record must stay published for a while. */
  retired: DkimPublicKey | null;
}

/** The hosts of a domain that lead to this server. */
export interface DomainHosts {
  trackingSubdomain: string | null;
  /** The name whose CAA records forbid our certificate authority. Null if none do. */
  caa: { host: string; authority: string } | null;
  /** The ID of the MTA-STS policy (RFC 8461 section 3.1). Null without a policy. */
  policyId: string | null;
  /** Where other servers send reports about the domain. Null if they are not asked to. */
  reports: { address: string; url: string } | null;
}

const NO_HOSTS: DomainHosts = { trackingSubdomain: null, caa: null, policyId: null, reports: null };

export const RECORD_TYPES = ['TXT', 'MX', 'CNAME', 'CAA', 'A', 'AAAA'] as const;

export interface DnsRecord {
  role: RecordRole;
  type: (typeof RECORD_TYPES)[number];
  /** Relative to the registrable domain; `@` for the domain itself. */
  name: string;
  /** The full name, for lookups. */
  host: string;
  value: string;
  priority: string | null;
  recommended: boolean;
}

export type RecordFinding = 'right' | 'wrong' | 'absent';

export interface DomainName {
  /** The name in A-labels and lower case. */
  name: string;
  registrable: string;
  /** The labels before the registrable domain; empty for the domain itself. */
  subdomain: string;
}

/** Returns null for a public suffix and for anything that is not a host name. */
export function parseDomainName(text: string): DomainName | null {
  const name = parseDomain(text.trim());
  const registrable = name && getDomain(name, { allowPrivateDomains: false });
  if (!name || !registrable) return null;
  return { name, registrable, subdomain: name.slice(0, -registrable.length).replace(/\.$/, '') };
}

const RECOMMENDED = new Set<RecordRole>([
  'dmarc',
  'inboundMx',
  'nextDkim',
  'retiredDkim',
  'tracking',
  'trackingCaa',
  'mtaSts',
  'mtaStsHost',
  'tlsReports',
]);
const MX_PRIORITY = '10';
const BOUNCE_LABEL = 'bounce';
const POLICY_LABEL = 'mta-sts';

/** The host of the MTA-STS policy (RFC 8461 section 3.3). */
export function policyHostOf(name: string): string {
  return `${POLICY_LABEL}.${name}`;
}

/** Returns the domain of a policy host, or null for any other host. */
export function domainOfPolicyHost(host: string): string | null {
  return host.startsWith(`${POLICY_LABEL}.`) ? host.slice(POLICY_LABEL.length + 1) : null;
}

export function bounceHostOf(name: string): string {
  return `${BOUNCE_LABEL}.${name}`;
}

/** Returns the domain of a bounce host, or null for any other host. */
export function domainOfBounceHost(host: string): string | null {
  return host.startsWith(`${BOUNCE_LABEL}.`) ? host.slice(BOUNCE_LABEL.length + 1) : null;
}

export function recordsOf(
  domain: DomainName,
  keys: DomainPublicKeys,
  mailHost: string,
  hosts: DomainHosts = NO_HOSTS,
): DnsRecord[] {
  const record = (role: RecordRole, type: DnsRecord['type'], label: string, value: string): DnsRecord => ({
    role,
    type,
    name: [label, domain.subdomain].filter(Boolean).join('.') || '@',
    host: [label, domain.name].filter(Boolean).join('.'),
    value,
    priority: type === 'MX' ? MX_PRIORITY : null,
    recommended: RECOMMENDED.has(role),
  });
  const dkimRecord = (role: DkimRole, key: DkimPublicKey | null) =>
    key ? [record(role, 'TXT', `${key.selector}._domainkey`, `v=DKIM1; k=rsa; p=${key.publicKey}`)] : [];
  return [
    ...dkimRecord('dkim', keys.current),
    record('bounceMx', 'MX', BOUNCE_LABEL, mailHost),
    record('spf', 'TXT', BOUNCE_LABEL, `v=spf1 ${spfMechanism(mailHost)} ~all`),
    record(
      'dmarc',
      'TXT',
      '_dmarc',
      `v=DMARC1; p=none;${hosts.reports ? ` rua=mailto:${hosts.reports.address};` : ''}`,
    ),
    record('inboundMx', 'MX', '', mailHost),
    ...dkimRecord('nextDkim', keys.next),
    ...dkimRecord('retiredDkim', keys.retired),
    ...(hosts.trackingSubdomain === null
      ? []
      : [record('tracking', aliasType(mailHost), hosts.trackingSubdomain, bareHost(mailHost))]),
    ...(hosts.caa ? [caaRecord(domain, hosts.caa)] : []),
    ...(hosts.policyId === null
      ? []
      : [
          record('mtaSts', 'TXT', '_mta-sts', `v=STSv1; id=${hosts.policyId}`),
          record('mtaStsHost', aliasType(mailHost), POLICY_LABEL, bareHost(mailHost)),
        ]),
    ...(hosts.reports
      ? [
          record(
            'tlsReports',
            'TXT',
            '_smtp._tls',
            `v=TLSRPTv1; rua=mailto:${hosts.reports.address},${hosts.reports.url}`,
          ),
        ]
      : []),
  ];
}

/** An alias cannot point to an IP address. */
function aliasType(mailHost: string): 'CNAME' | 'A' | 'AAAA' {
  const family = isIP(bareHost(mailHost));
  return family === 0 ? 'CNAME' : family === 4 ? 'A' : 'AAAA';
}

/** RFC 8659 section 4.2. The record must be added where those are that forbid the authority. */
function caaRecord({ registrable }: DomainName, caa: NonNullable<DomainHosts['caa']>): DnsRecord {
  return {
    role: 'trackingCaa',
    type: 'CAA',
    name: caa.host === registrable ? '@' : caa.host.slice(0, -registrable.length - 1),
    host: caa.host,
    value: `0 issue "${caa.authority}"`,
    priority: null,
    recommended: true,
  };
}

export interface ServiceRecord {
  type: 'SRV';
  /** Relative to the registrable domain. */
  name: string;
  value: string;
  ttl: string;
}

/**
 * SRV records by which email apps find the servers of the domain's mailboxes (RFC 6186, RFC 8314, RFC 8620 section
 * 2.2). There are none if the server has no name, because a record cannot point to an IP address.
 */
export function serviceRecordsOf(
  { subdomain }: DomainName,
  server: {
    mailHost: string;
    mailPorts: Record<'imap' | 'imaps' | 'submission' | 'submissions', number>;
    /** The URL of the JMAP server. Only https has a record. */
    baseUrl: string;
  },
): ServiceRecord[] {
  const { mailHost, mailPorts } = server;
  const { protocol, hostname, port: httpsPort } = new URL(server.baseUrl);
  const services = [
    { service: '_imaps', port: mailPorts.imaps, host: mailHost },
    { service: '_imap', port: mailPorts.imap, host: mailHost },
    { service: '_submissions', port: mailPorts.submissions, host: mailHost },
    { service: '_submission', port: mailPorts.submission, host: mailHost },
    ...(protocol === 'https:' ? [{ service: '_jmap', port: Number(httpsPort || 443), host: hostname }] : []),
  ];
  return services
    .filter(({ host }) => isIP(bareHost(host)) === 0)
    .map(({ service, port, host }) => ({
      type: 'SRV',
      name: [`${service}._tcp`, subdomain].filter(Boolean).join('.'),
      value: `0 1 ${port} ${host}`,
      ttl: 'Auto',
    }));
}

function spfMechanism(mailHost: string): string {
  const family = isIP(mailHost);
  return family === 0 ? `a:${mailHost}` : `ip${family}:${mailHost}`;
}

/** Selects the values that concern this record, because a name may have other TXT records. */
export function relevantValues(record: DnsRecord, found: string[]): string[] {
  if (record.type !== 'TXT') return found;
  const tag = TXT_TAGS[record.role] ?? /p=/i;
  return found.filter((value) => tag.test(value.trim()));
}

const TXT_TAGS: Partial<Record<RecordRole, RegExp>> = {
  spf: /^v=spf1(?: |$)/i,
  dmarc: /^v=DMARC1\b/i,
  mtaSts: /^v=STSv1\b/i,
  tlsReports: /^v=TLSRPTv1\b/i,
};

export function compareRecord(record: DnsRecord, found: string[]): RecordFinding {
  const values = relevantValues(record, found);
  if (values.length === 0) return 'absent';
  if (isSingle(record) && new Set(values.map((value) => value.trim())).size > 1) return 'wrong';
  return values.some((value) => matches(record, value)) ? 'right' : 'wrong';
}

/**
 * Of several SPF (RFC 7208 section 4.5) or DMARC records receivers use none. Of several keys they may try each, and two
 * are there while a domain changes from one team to another.
 */
export function isSingle({ role }: DnsRecord): boolean {
  return role === 'spf' || role === 'dmarc' || role === 'mtaSts' || role === 'tlsReports';
}

function matches(record: DnsRecord, value: string): boolean {
  switch (record.role) {
    case 'dkim':
    case 'nextDkim':
    case 'retiredDkim':
      return tagValue(value, 'p') === tagValue(record.value, 'p');
    case 'spf':
      return mechanismsOf(value).includes(mechanismsOf(record.value)[0]!);
    // Reports may go to other addresses as well.
    case 'dmarc':
    case 'tlsReports':
      return true;
    case 'mtaSts':
      return tagValue(value, 'id') === tagValue(record.value, 'id');
    case 'trackingCaa':
      return value === record.value;
    case 'bounceMx':
    case 'inboundMx':
    case 'tracking':
    case 'mtaStsHost':
      return value.toLowerCase().replace(/\.$/, '') === record.value.toLowerCase();
  }
}

/**
 * The mechanisms of an SPF record that are evaluated: nothing after `all` is (RFC 7208 section 5.1). Other senders may
 * share the record with us.
 */
function mechanismsOf(record: string): string[] {
  const [, ...terms] = record.trim().toLowerCase().split(/\s+/);
  const end = terms.findIndex((term) => /^[-+~?]?all$/.test(term));
  return (end === -1 ? terms : terms.slice(0, end)).map((term) => term.replace(/^\+/, ''));
}

/** Returns a tag of a DKIM or MTA-STS record without white space (RFC 6376 section 3.2). */
function tagValue(record: string, tag: string): string | undefined {
  const entry = record.split(';').find((part) => part.trimStart().startsWith(`${tag}=`));
  return entry?.slice(entry.indexOf('=') + 1).replaceAll(/\s+/g, '');
}

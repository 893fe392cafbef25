/**
 * The DNS records that a sending domain must publish, and the comparison with published ones. Names are
 * relative to the registrable domain, as DNS providers expect them.
 */
import { isIP } from 'node:net';
import { getDomain } from 'tldts';
import { parseDomain } from '../mime/address.ts';

export type RecordRole = DkimRole | 'bounceMx' | 'spf' | 'dmarc' | 'inboundMx';
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

export interface DnsRecord {
  role: RecordRole;
  type: 'TXT' | 'MX';
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

const RECOMMENDED = new Set<RecordRole>(['dmarc', 'inboundMx', 'nextDkim', 'retiredDkim']);
const MX_PRIORITY = '10';
const BOUNCE_LABEL = 'bounce';

export function bounceHostOf(name: string): string {
  return `${BOUNCE_LABEL}.${name}`;
}

/** Returns the domain of a bounce host, or null for any other host. */
export function domainOfBounceHost(host: string): string | null {
  return host.startsWith(`${BOUNCE_LABEL}.`) ? host.slice(BOUNCE_LABEL.length + 1) : null;
}

export function recordsOf(domain: DomainName, keys: DomainPublicKeys, mailHost: string): DnsRecord[] {
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
    record('dmarc', 'TXT', '_dmarc', 'v=DMARC1; p=none;'),
    record('inboundMx', 'MX', '', mailHost),
    ...dkimRecord('nextDkim', keys.next),
    ...dkimRecord('retiredDkim', keys.retired),
  ];
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
    .filter(({ host }) => isIP(host.replaceAll(/^\[|\]$/g, '')) === 0)
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
  if (record.type === 'MX') return found;
  const tag = record.role === 'spf' ? /^v=spf1(?: |$)/i : record.role === 'dmarc' ? /^v=DMARC1\b/i : /p=/i;
  return found.filter((value) => tag.test(value.trim()));
}

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
  return role === 'spf' || role === 'dmarc';
}

function matches(record: DnsRecord, value: string): boolean {
  switch (record.role) {
    case 'dkim':
    case 'nextDkim':
    case 'retiredDkim':
      return tagValue(value, 'p') === tagValue(record.value, 'p');
    case 'spf':
      return mechanismsOf(value).includes(mechanismsOf(record.value)[0]!);
    case 'dmarc':
      return true;
    case 'bounceMx':
    case 'inboundMx':
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

/** Returns a tag of a DKIM record without white space (RFC 6376 section 3.2). */
function tagValue(record: string, tag: string): string | undefined {
  const entry = record.split(';').find((part) => part.trimStart().startsWith(`${tag}=`));
  return entry?.slice(entry.indexOf('=') + 1).replaceAll(/\s+/g, '');
}

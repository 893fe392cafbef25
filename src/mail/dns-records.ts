/**
 * The records that a sending domain publishes, and what to think of what was found. Names are relative to the
 * registrable domain, as the forms of DNS providers take them.
 */
import { isIP } from 'node:net';
import { getDomain } from 'tldts';
import { parseDomain } from './address.ts';

export type RecordRole = 'dkim' | 'bounceMx' | 'spf' | 'dmarc' | 'inboundMx';

export interface DnsRecord {
  role: RecordRole;
  type: 'TXT' | 'MX';
  /** Relative to the registrable domain; `@` for itself. */
  name: string;
  /** The whole name, for looking it up. */
  host: string;
  value: string;
  priority: string | null;
  recommended: boolean;
}

export type Finding = 'right' | 'wrong' | 'absent';

export interface DomainName {
  /** In A-labels and lower case. */
  name: string;
  registrable: string;
  /** What stands before the registrable domain; empty for itself. */
  subdomain: string;
}

/** A registrable host name or one below it; null for a public suffix and for what is no host name. */
export function parseDomainName(text: string): DomainName | null {
  const name = parseDomain(text.trim());
  const registrable = name && getDomain(name, { allowPrivateDomains: false });
  if (!name || !registrable) return null;
  return { name, registrable, subdomain: name.slice(0, -registrable.length).replace(/\.$/, '') };
}

export const DKIM_SELECTOR = 'ph1';
const MX_PRIORITY = '10';
const BOUNCE_LABEL = 'bounce';

export function bounceHostOf(name: string): string {
  return `${BOUNCE_LABEL}.${name}`;
}

/** The domain that a bounce host belongs to; null for any other host. */
export function domainOfBounceHost(host: string): string | null {
  return host.startsWith(`${BOUNCE_LABEL}.`) ? host.slice(BOUNCE_LABEL.length + 1) : null;
}

/** `publicKey` is the base64 of the key's SubjectPublicKeyInfo, as it stands in the record. */
export function recordsOf(domain: DomainName, publicKey: string, mailHost: string): DnsRecord[] {
  const record = (role: RecordRole, type: DnsRecord['type'], label: string, value: string): DnsRecord => ({
    role,
    type,
    name: [label, domain.subdomain].filter(Boolean).join('.') || '@',
    host: [label, domain.name].filter(Boolean).join('.'),
    value,
    priority: type === 'MX' ? MX_PRIORITY : null,
    recommended: role === 'dmarc' || role === 'inboundMx',
  });
  return [
    record('dkim', 'TXT', `${DKIM_SELECTOR}._domainkey`, `v=DKIM1; k=rsa; p=${publicKey}`),
    record('bounceMx', 'MX', BOUNCE_LABEL, mailHost),
    record('spf', 'TXT', BOUNCE_LABEL, `v=spf1 ${spfMechanism(mailHost)} ~all`),
    record('dmarc', 'TXT', '_dmarc', 'v=DMARC1; p=none;'),
    record('inboundMx', 'MX', '', mailHost),
  ];
}

function spfMechanism(mailHost: string): string {
  const family = isIP(mailHost);
  return family === 0 ? `a:${mailHost}` : `ip${family}:${mailHost}`;
}

/** Which of the found values are about this record at all: a name may hold other TXT records too. */
export function relevantValues(record: DnsRecord, found: string[]): string[] {
  if (record.type === 'MX') return found;
  const tag = { dkim: /p=/i, spf: /^v=spf1\b/i, dmarc: /^v=DMARC1\b/i }[
    record.role as 'dkim' | 'spf' | 'dmarc'
  ];
  return found.filter((value) => tag.test(value.trim()));
}

export function judgeRecord(record: DnsRecord, found: string[]): Finding {
  const values = relevantValues(record, found);
  if (values.length === 0) return 'absent';
  return values.some((value) => fits(record, value)) ? 'right' : 'wrong';
}

function fits(record: DnsRecord, value: string): boolean {
  switch (record.role) {
    case 'dkim':
      return tagValue(value, 'p') === tagValue(record.value, 'p');
    case 'spf':
      // Others may send for the host too: our own mechanism has to be among theirs.
      return value.toLowerCase().split(/\s+/).includes(record.value.toLowerCase().split(' ')[1]!);
    case 'dmarc':
      return true;
    case 'bounceMx':
    case 'inboundMx':
      return value.toLowerCase().replace(/\.$/, '') === record.value.toLowerCase();
  }
}

/** A tag of a DKIM record without its white space (RFC 6376 section 3.2). */
function tagValue(record: string, tag: string): string | undefined {
  const entry = record.split(';').find((part) => part.trimStart().startsWith(`${tag}=`));
  return entry?.slice(entry.indexOf('=') + 1).replaceAll(/\s+/g, '');
}

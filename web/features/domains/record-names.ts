/** The names and purposes of DNS records, and the zone file that contains all of them. */
import type { Domain } from '../../../src/features/sending/domains/domains.schema.ts';

type DnsRecord = Domain['dnsRecords'][number];
export type AnyRecord = Pick<DnsRecord, 'type' | 'name' | 'value'> | Domain['serviceRecords'][number];
export type Purpose =
  | 'dkim'
  | 'bounceMx'
  | 'spf'
  | 'dmarc'
  | 'inboundMx'
  | 'service'
  | 'tlsReports'
  | 'mtaSts'
  | 'linkHost'
  | 'caa';

const TTL_SECONDS = 3600;
/** A text in a zone file has at most this many bytes; longer ones are written as several (RFC 1035, section 3.3). */
const MAX_TEXT = 255;

/** Returns the zone at the DNS provider: the registered part of the domain. */
export function zoneOfDomain({ name, subdomain }: Pick<Domain, 'name' | 'subdomain'>): string {
  return subdomain === '' ? name : name.slice(subdomain.length + 1);
}

export function fullName(record: { name: string }, zone: string): string {
  return record.name === '@' ? zone : `${record.name}.${zone}`;
}

export function purposeOf({ type, name, value }: AnyRecord): Purpose {
  if (type === 'SRV') return 'service';
  if (type === 'MX') return /^bounce(\.|$)/.test(name) ? 'bounceMx' : 'inboundMx';
  if (type === 'CAA') return 'caa';
  if (type !== 'TXT') return /^mta-sts(\.|$)/.test(name) ? 'mtaSts' : 'linkHost';
  if (value.startsWith('v=TLSRPTv1')) return 'tlsReports';
  if (value.startsWith('v=STSv1')) return 'mtaSts';
  if (/\._domainkey(\.|$)/.test(name)) return 'dkim';
  return value.startsWith('v=DMARC1') ? 'dmarc' : 'spf';
}

/** Returns one line for each record: type, full name, priority and value. */
export function listRecords(domain: Domain): string {
  const zone = zoneOfDomain(domain);
  return [...domain.dnsRecords, ...domain.serviceRecords]
    .map((record) =>
      [record.type, fullName(record, zone), priorityOf(record), record.value].filter(Boolean).join('\t'),
    )
    .join('\n');
}

/** Returns a zone file (RFC 1035, section 5) that providers can import in addition to the existing records. */
export function zoneFile(domain: Domain): string {
  const zone = zoneOfDomain(domain);
  const lines = [...domain.dnsRecords, ...domain.serviceRecords].map((record) => {
    const data = record.type === 'TXT' ? quote(record.value) : absolute(record.value);
    const fields = [`${fullName(record, zone)}.`, TTL_SECONDS, 'IN', record.type, priorityOf(record), data];
    return fields.filter((field) => field !== '').join('\t');
  });
  return [`$ORIGIN ${zone}.`, ...lines, ''].join('\n');
}

function priorityOf(record: AnyRecord | DnsRecord): string {
  return 'priority' in record ? (record.priority ?? '') : '';
}

function quote(text: string): string {
  const parts: string[] = [];
  for (let at = 0; at < text.length; at += MAX_TEXT) parts.push(text.slice(at, at + MAX_TEXT));
  return parts.map((part) => `"${part.replaceAll(/["\\]/g, String.raw`\$&`)}"`).join(' ');
}

/** Adds a dot to the host at the end of a value. Without it, the host would be relative to the zone. */
function absolute(value: string): string {
  return value.endsWith('.') ? value : `${value}.`;
}

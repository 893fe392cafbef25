/** What the checks of a domain need. The route and `posthorn doctor` both provide it. */
import type { Dns } from '../../../mail/auth/dns.ts';
import type { BlocklistZone } from '../../../mail/auth/blocklists.ts';
import type { DnsRecord, DomainName, RecordRole } from '../../../mail/auth/dns-records.ts';
import type { Facts } from '../../instance/facts.ts';
import type { FetchFile } from '../../instance/fetch-file.ts';
import type { Row } from '../../../platform/database/rows.ts';
import type { RecordLookup } from '../../sending/domains/verification.ts';
import type { CheckName, HealthCheck } from './health.schema.ts';

export interface HealthTools {
  dns: Dns;
  fetchFile: FetchFile;
  settings: HealthSettings;
}

export interface HealthSettings extends Pick<
  Facts,
  'mailHost' | 'mailTransport' | 'baseUrl' | 'dkimSign' | 'secret' | 'directAllowPrivate' | 'egresses'
> {
  /** Null if whether it permits reports is not looked at. */
  reportHost: string | null;
  blocklistZones: BlocklistZone[];
  /** The certificate of the mail ports in PEM, with its chain. Null if it cannot be read. */
  certificate: string | null;
}

/** An address, or several, that mail leaves from, and the name with which it introduces itself. */
export interface Egress {
  name: string;
  ehlo: string;
  /** Null if mail leaves through a relay. */
  addresses: string[] | null;
  /** The addresses of its EHLO name in DNS, for EGRESS_<NAME>; null where the addresses come from there. */
  named: string[] | null;
  /** Set if the addresses could not be looked up. */
  unanswered: string | null;
}

export interface HealthSubject {
  domain: DomainName;
  records: DnsRecord[];
  lookups: Partial<Record<RecordRole, RecordLookup>>;
  tracking: { host: string | null; status: Row<'domains'>['tracking_status']; error: string | null };
  mtaSts: Row<'domains'>['mta_sts'];
  hasMailboxes: boolean;
  egresses: Egress[];
}

export type Check = (tools: HealthTools, subject: HealthSubject) => Promise<HealthCheck>;

type Words = Pick<HealthCheck, 'sentence'> & Partial<Pick<HealthCheck, 'found' | 'expected'>>;

export function finding(name: CheckName, status: HealthCheck['status'], words: Words): HealthCheck {
  return {
    name,
    status,
    found: words.found ?? null,
    expected: words.expected ?? null,
    sentence: words.sentence,
  };
}

const MAX_SHOWN = 1_000;

/** Texts from DNS and from other servers are cut. */
export function shown(values: readonly string[]): string | null {
  const text = values.join('\n');
  if (text === '') return null;
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}

export function unanswered(name: CheckName, expected: string | null, reason: string): HealthCheck {
  const sentence = `The DNS server did not respond (${reason.slice(0, 200)}), so this is not known. Look again later.`;
  return finding(name, 'unknown', { expected, sentence });
}

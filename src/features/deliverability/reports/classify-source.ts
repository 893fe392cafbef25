/** Decides who sent the messages of a row of a DMARC report. The functions are pure. */
import { isIPv6 } from 'node:net';
import { getDomain } from 'tldts';
import { bounceHostOf } from '../../../mail/auth/dns-records.ts';
import type { ReportRow } from '../../../mail/reports/dmarc-report-values.ts';
import type { Row } from '../../../platform/database/rows.ts';
import { findService } from './known-services.ts';

export interface MailSource {
  /** The name of a service, a domain, or a network. */
  name: string;
  kind: Row<'dmarc_report_rows'>['kind'];
}

export interface OwnSender {
  /** The domain that the report is about. */
  domain: string;
  /** The selectors of its keys in this instance. */
  selectors: string[];
  /** The name of this server. */
  mailHost: string;
  /** A relay sends for us, from addresses that our SPF record does not have. */
  isRelayed: boolean;
}

/** Reasons of reporters that mean that another server passed the message on. */
const FORWARDED = new Set(['forwarded', 'mailing_list', 'trusted_forwarder']);

export function classifySource(row: ReportRow, own: OwnSender): MailSource {
  const signed = row.dkim.filter(({ result }) => result === 'pass');
  const paths = row.spf.filter(({ result }) => result === 'pass');
  const bounceHost = bounceHostOf(own.domain);
  const isOurPath = paths.some(({ domain }) => domain === bounceHost);
  const isOurKey = signed.some(
    ({ domain, selector }) =>
      domain === own.domain && selector !== null && own.selectors.includes(selector.toLowerCase()),
  );
  if (isOurPath || (isOurKey && own.isRelayed)) return { name: own.mailHost, kind: 'ours' };
  const others = [...paths, ...signed]
    .map(({ domain }) => domain)
    .filter((name) => !isSameSite(name, own.domain));
  const name = others.map(registrableOf)[0] ?? networkOfSource(row.sourceIp);
  if (isOurKey || row.reasons.some(({ type }) => FORWARDED.has(type)))
    return { name: others.map(findService).find((each) => each !== null) ?? name, kind: 'forwarder' };
  const service = others.map(findService).find((each) => each !== null);
  return service ? { name: service, kind: 'service' } : { name, kind: 'other' };
}

function registrableOf(name: string): string {
  return getDomain(name, { allowPrivateDomains: false }) ?? name;
}

function isSameSite(name: string, domain: string): boolean {
  return registrableOf(name) === registrableOf(domain);
}

const IPV4_PARTS = 3;
const IPV6_PARTS = 3;

/** The /24 of an IPv4 address, or the /48 of an IPv6 address. */
function networkOfSource(ip: string): string {
  if (!isIPv6(ip)) return `${ip.split('.').slice(0, IPV4_PARTS).join('.')}.0/24`;
  const [head = ''] = new URL(`http://[${ip}]`).hostname.slice(1, -1).split('::');
  const groups = [...head.split(':'), '0', '0', '0'].slice(0, IPV6_PARTS).map((group) => group || '0');
  return `${groups.join(':')}::/48`;
}

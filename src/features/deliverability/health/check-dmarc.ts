/** DMARC (RFC 9989): which policy receivers find, at the domain or above it. */
import type { Dns } from '../../../mail/auth/dns.ts';
import type { DomainName } from '../../../mail/auth/dns-records.ts';
import { finding, shown, unanswered, type Check } from './health-subject.ts';
import { findReportPermission } from './report-permission.ts';

/** RFC 9989 section 4.10: not more than this many queries. */
const MAX_STEPS = 8;

export interface DmarcPolicy {
  /** The name that has the record. */
  host: string;
  records: string[];
  policy: 'none' | 'quarantine' | 'reject' | null;
  isTest: boolean;
  tags: Map<string, string>;
}

/** Returns the policy for mail from this domain; null if there is none; the reason as text if DNS does not respond. */
export async function findDmarc(dns: Dns, domain: DomainName): Promise<DmarcPolicy | null | string> {
  const labels = domain.name.split('.');
  const last = domain.registrable.split('.').length;
  const steps = Math.min(labels.length - last, MAX_STEPS - 1);
  for (let step = 0; step <= steps; step += 1) {
    const name = step === 0 ? domain.name : labels.slice(labels.length - last - (steps - step)).join('.');
    const answer = await dns.txt(`_dmarc.${name}`);
    if (answer.kind === 'failed') return answer.reason;
    const texts = answer.kind === 'found' ? answer.records : [];
    const records = texts.filter((text) => /^\s*v\s*=\s*DMARC1\s*(?:;|$)/i.test(text));
    if (records.length > 0) return readPolicy(`_dmarc.${name}`, records, step > 0);
  }
  return null;
}

function readPolicy(host: string, records: string[], isAbove: boolean): DmarcPolicy {
  const pairs = records[0]!.split(';').flatMap((part): [string, string][] => {
    const at = part.indexOf('=');
    return at === -1 ? [] : [[part.slice(0, at).trim().toLowerCase(), part.slice(at + 1).trim()]];
  });
  const tags = new Map(pairs);
  const text = ((isAbove ? tags.get('sp') : undefined) ?? tags.get('p') ?? '').toLowerCase();
  const known = (['none', 'quarantine', 'reject'] as const).find((policy) => policy === text);
  // Without a usable policy, a record that asks for reports means "none" (RFC 9989 section 4.7).
  const policy = known ?? (tags.get('rua') ? 'none' : null);
  return { host, records, policy, isTest: tags.get('t')?.toLowerCase() === 'y', tags };
}

export const checkDmarc: Check = async ({ dns, settings }, { domain, records }) => {
  const record = records.find(({ role }) => role === 'dmarc')!;
  const expected = record.value;
  const dmarc = await findDmarc(dns, domain);
  if (typeof dmarc === 'string') return unanswered('dmarc', expected, dmarc);
  if (dmarc === null) {
    const sentence = `There is no DMARC record. Gmail and Yahoo demand one of everyone who sends much. Create the TXT record ${record.host}.`;
    return finding('dmarc', 'bad', { expected, sentence });
  }
  const found = shown(dmarc.records.map((text) => `${dmarc.host}: ${text}`));
  const say = (status: 'good' | 'watch' | 'bad', sentence: string) =>
    finding('dmarc', status, { found, expected, sentence });
  if (dmarc.records.length > 1)
    return say(
      'bad',
      `${dmarc.host} has ${dmarc.records.length} DMARC records, so receivers use none of them. Keep one.`,
    );
  if (dmarc.policy === null)
    return say(
      'bad',
      `The DMARC record ${dmarc.host} has no valid policy (p=none, p=quarantine or p=reject). Add one.`,
    );
  const hasReports = dmarc.tags.has('rua');
  const about = hasReports
    ? ''
    : ' It asks for no reports (rua), so you do not see who else sends as this domain.';
  if (dmarc.tags.has('pct') && dmarc.tags.get('pct') !== '100')
    return say(
      'watch',
      `The DMARC record ${dmarc.host} has pct, which receivers now ignore (RFC 9989). Remove it.`,
    );
  const refused = await findRefusedReports(dns, dmarc, settings.reportHost);
  if (refused !== null) return say('watch', refused);
  if (dmarc.policy === 'none')
    return say(
      'good',
      `Receivers find a DMARC record that only observes (p=none). Others can still send as this domain until the policy is quarantine or reject.${about}`,
    );
  return say(
    'good',
    `Receivers ${dmarc.policy === 'reject' ? 'reject' : 'move to spam'} what others send as this domain.${about}`,
  );
};

/** Returns what is wrong if the record names our host, and our host permits nothing. */
async function findRefusedReports(
  dns: Dns,
  { tags, host }: DmarcPolicy,
  reportHost: string | null,
): Promise<string | null> {
  const isNamed = (tags.get('rua') ?? '').toLowerCase().includes(`@${reportHost?.toLowerCase()}`);
  if (reportHost === null || !isNamed) return null;
  const permission = await findReportPermission(dns, host.slice('_dmarc.'.length), reportHost);
  return permission?.state === 'missing'
    ? `Nobody sends reports about this domain to ${reportHost}, because ${permission.name} has no TXT record v=DMARC1. The operator of this server creates *._report._dmarc.${reportHost} with it once, for all domains.`
    : null;
}

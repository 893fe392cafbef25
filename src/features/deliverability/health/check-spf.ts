/**
 * SPF of the return path, which receivers check, and of the domain itself, which other senders use. Both are limited to
 * 10 look-ups.
 */
import { MOST_LOOK_UPS, readSpf, type SpfReport } from '../../../mail/auth/spf-report.ts';
import { finding, shown, unanswered, type Check } from './health-subject.ts';

export const checkSpf: Check = async ({ dns, settings }, { domain, records, lookups, egresses }) => {
  const record = records.find(({ role }) => role === 'spf')!;
  const lookup = lookups.spf!;
  if (lookup.finding === 'no-answer') return unanswered('spf', record.value, lookup.reason);
  const [bounce, own] = await Promise.all([readSpf(dns, record.host), readSpf(dns, domain.name)]);
  const found = shown([...describe(record.host, bounce), ...describe(domain.name, own)]);
  const say = (status: 'good' | 'watch' | 'bad', sentence: string) =>
    finding('spf', status, { found, expected: record.value, sentence });

  if (lookup.finding === 'absent')
    return say(
      'bad',
      `The TXT record ${record.host} is missing, so SPF fails for mail of this domain. Create it.`,
    );
  if (bounce.fault)
    return say('bad', `Receivers cannot use the SPF record of ${record.host}: ${bounce.fault}`);
  const addresses = egresses.flatMap((egress) => egress.addresses ?? []);
  const excluded = addresses.filter((address) => !bounce.permits(address));
  const isPermitted = settings.mailTransport === 'direct' && addresses.length > 0 && excluded.length === 0;
  if (lookup.finding === 'wrong' && !isPermitted)
    return say('bad', `The SPF record of ${record.host} does not permit this server. Replace its value.`);
  if (settings.mailTransport === 'direct' && excluded.length > 0 && bounce.unanswered === null)
    return say(
      'bad',
      `The SPF record of ${record.host} does not permit ${excluded.join(', ')}, from where mail is sent.`,
    );
  if (bounce.permitsEveryone)
    return say('bad', `The SPF record of ${record.host} permits everyone (+all). End it with ~all.`);
  if (own.fault)
    return say(
      'watch',
      `Other senders of ${domain.name} have a problem with its SPF record: ${own.fault} Remove senders that you do not use.`,
    );
  if (own.permitsEveryone)
    return say('watch', `The SPF record of ${domain.name} permits everyone (+all). End it with ~all.`);
  return say('good', `This server may send for the domain. ${countOf(bounce)}`);
};

function describe(name: string, report: SpfReport): string[] {
  return report.records.map((text) => `${name}: ${text} (${report.lookUps} of ${MOST_LOOK_UPS} look-ups)`);
}

function countOf({ lookUps }: SpfReport): string {
  return `Its SPF record needs ${lookUps} of the ${MOST_LOOK_UPS} look-ups that receivers allow.`;
}

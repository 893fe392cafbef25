/** What other servers look at before they take mail: the name of the sending server, its reverse DNS, blocklists. */
import { isIP } from 'node:net';
import { askBlocklist, type BlocklistZone } from '../../../mail/auth/blocklists.ts';
import type { Dns } from '../../../mail/auth/dns.ts';
import { isPublicAddress } from '../../../platform/network/public-address.ts';
import { finding, shown, unanswered, type Check, type Egress } from './health-subject.ts';
import type { CheckName, HealthCheck } from './health.schema.ts';

const RELAY = 'Mail leaves through a relay, whose operator takes care of this.';

/** Returns a finding if there is no address of our own to check. */
function withoutAddress(name: CheckName, egresses: Egress[]): HealthCheck | null {
  if (egresses.every(({ addresses }) => addresses === null)) return finding(name, 'off', { sentence: RELAY });
  const failed = egresses.find((egress) => egress.unanswered !== null);
  return failed ? unanswered(name, null, failed.unanswered!) : null;
}

export const checkEhlo: Check = async ({ settings }, { egresses }) => {
  const other = withoutAddress('ehlo', egresses);
  if (other) return other;
  const direct = egresses.filter(({ addresses }) => addresses !== null);
  const found = shown(
    direct.map(({ ehlo, addresses }) => `${ehlo} (${addresses!.join(', ') || 'no address'})`),
  );
  const say = (status: HealthCheck['status'], sentence: string) =>
    finding('ehlo', status, {
      found,
      expected: 'A host name with the address that mail is sent from',
      sentence,
    });
  const nameless = direct.find(({ ehlo }) => isIP(ehlo) !== 0 || !ehlo.includes('.'));
  if (nameless && settings.mailTransport === 'sandbox')
    return finding('ehlo', 'off', {
      found,
      sentence: 'The sandbox sends no mail, and MAIL_HOST is not set to a public name.',
    });
  if (nameless)
    return say(
      'bad',
      `The server introduces itself as ${nameless.ehlo}, which other servers reject. Set MAIL_HOST to its public host name.`,
    );
  const lost = direct.find(({ addresses }) => addresses!.length === 0);
  if (lost)
    return say(
      'bad',
      `${lost.ehlo}, as which the server introduces itself, has no address. Create an A record for it.`,
    );
  const astray = direct.find(({ addresses, named }) => named && !named.includes(addresses![0]!));
  if (astray)
    return say(
      'bad',
      `Mail of the egress ${astray.name} leaves from ${astray.addresses![0]!} and introduces itself as ${astray.ehlo}, which ${astray.named!.length === 0 ? 'has no address' : `leads to ${astray.named!.join(', ')}`}. Correct the A record of ${astray.ehlo}.`,
    );
  const hidden = direct.find(({ addresses }) => !addresses!.some(isPublicAddress));
  if (hidden && !settings.directAllowPrivate)
    return say(
      'watch',
      `${hidden.ehlo} leads to ${hidden.addresses!.join(', ')}, which is not a public address.`,
    );
  return say('good', 'The name with which the server introduces itself has an address.');
};

export const checkPtr: Check = async ({ dns, settings }, { egresses }) => {
  const other = withoutAddress('ptr', egresses);
  if (other) return other;
  const direct = egresses.filter(({ addresses }) => addresses !== null);
  const isLocal = direct.every(({ ehlo }) => isIP(ehlo) !== 0 || !ehlo.includes('.'));
  if (settings.mailTransport === 'sandbox' && isLocal)
    return finding('ptr', 'off', {
      sentence: 'The sandbox sends no mail, and MAIL_HOST is not set to a public name.',
    });
  const all = await Promise.all(
    direct.flatMap(({ ehlo, addresses }) => addresses!.map((address) => lookUpNames(dns, address, ehlo))),
  );
  if (all.length === 0)
    return finding('ptr', 'unknown', {
      sentence: 'The address that mail is sent from is not known, because MAIL_HOST has none.',
    });
  const found = shown(all.map(({ address, names }) => `${address} is ${names.join(', ') || 'nobody'}`));
  const expected = shown(all.map(({ address, ehlo }) => `${address} is ${ehlo}`));
  const say = (status: HealthCheck['status'], sentence: string) =>
    finding('ptr', status, { found, expected, sentence });
  const failed = all.find(({ reason }) => reason !== null);
  if (failed) return unanswered('ptr', expected, failed.reason!);
  const nobody = all.find(({ names }) => names.length === 0);
  if (nobody)
    return say(
      'bad',
      `${nobody.address} has no reverse DNS, and large providers reject mail from such addresses. Ask the provider of the address to set it to ${nobody.ehlo}.`,
    );
  const unconfirmed = all.find(({ isConfirmed }) => !isConfirmed);
  if (unconfirmed)
    return say(
      'bad',
      `The reverse DNS of ${unconfirmed.address} is ${unconfirmed.names[0]}, which does not lead back to it. Ask the provider of the address to set it to ${unconfirmed.ehlo}.`,
    );
  const different = all.find(({ names, ehlo }) => !names.includes(ehlo));
  if (different)
    return say(
      'watch',
      `The reverse DNS of ${different.address} is ${different.names[0]}, but the server introduces itself as ${different.ehlo}. Let both be the same.`,
    );
  return say('good', 'The reverse DNS of the server is its name.');
};

const MAX_NAMES = 5;

interface Names {
  address: string;
  ehlo: string;
  names: string[];
  /** One of the names leads back to the address. */
  isConfirmed: boolean;
  reason: string | null;
}

async function lookUpNames(dns: Dns, address: string, ehlo: string): Promise<Names> {
  const answer = await dns.ptr(address);
  const reason = answer.kind === 'failed' ? answer.reason : null;
  const records = answer.kind === 'found' ? answer.records.slice(0, MAX_NAMES) : [];
  const names = records.map((name) => name.toLowerCase().replace(/\.$/, ''));
  const back = await Promise.all(names.map((name) => dns.host(name)));
  const isConfirmed = back.some(
    (each) => each.kind !== 'none' && (each.kind === 'failed' || each.records.includes(address)),
  );
  return { address, ehlo, names, isConfirmed, reason };
}

export const checkBlocklists: Check = async ({ dns, settings }, { domain, egresses }) => {
  const { blocklistZones } = settings;
  if (blocklistZones.length === 0)
    return finding('blocklists', 'off', {
      sentence: 'No blocklists are asked. The setting DNSBL_ZONES names them.',
    });
  const addresses = egresses.flatMap((egress) => egress.addresses ?? []);
  const names = [...new Set([domain.registrable, domain.name])];
  const asked = blocklistZones.flatMap((zone) =>
    (zone.lists === 'addresses' ? addresses : names).map((subject) => ({ zone, subject })),
  );
  const answers = await Promise.all(
    asked.map(async ({ zone, subject }) => ({
      zone,
      subject,
      answer: await askBlocklist(dns, zone, subject),
    })),
  );
  const expected = 'No listing';
  const listings = answers.flatMap(({ zone, subject, answer }) =>
    answer.kind === 'listed' ? { zone: zone.zone, subject, codes: answer.codes } : [],
  );
  if (listings.length > 0) {
    const found = shown(
      listings.map(({ zone, subject, codes }) => `${subject} is on ${zone} (${codes.join(', ')})`),
    );
    const [{ subject, zone }] = listings as [(typeof listings)[0]];
    const sentence = `${subject} is on the blocklist ${zone}, so servers that use it reject your mail. Find out why, then ask the list to remove it.`;
    return finding('blocklists', 'bad', { found, expected, sentence });
  }
  const silent = new Map(
    answers.flatMap(({ zone, answer }) => (answer.kind === 'unusable' ? [[zone.zone, answer.reason]] : [])),
  );
  if (silent.size > 0) {
    const found = shown([...silent].map(([zone, reason]) => `${zone}: ${reason}`));
    const [[zone, reason]] = [...silent] as [[string, string]];
    return finding('blocklists', 'unknown', {
      found,
      expected,
      sentence: `The blocklist ${zone} cannot be asked: ${reason}.`,
    });
  }
  const found = shown(blocklistZones.map(({ zone }: BlocklistZone) => `Not on ${zone}`));
  return finding('blocklists', 'good', {
    found,
    expected,
    sentence: 'No blocklist has this server or this domain.',
  });
};

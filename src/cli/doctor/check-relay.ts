/** Connects and authenticates to each relay, as the relay transport does. */
import { isIP } from 'node:net';
import type { Config } from '../../config.ts';
import { readRelayUrl } from '../../features/delivery/relay-transport.ts';
import type { Dns } from '../../mail/auth/dns.ts';
import { openSession } from '../../mail/smtp/client.ts';
import type { SmtpFailure } from '../../mail/smtp/failure.ts';
import { failure, passed, type Finding } from './finding.ts';

const TIMEOUTS = { connectMs: 4_000, greetingMs: 4_000, commandMs: 4_000 };
/** Each of them may take the whole time limit of a connection. */
const MAX_ADDRESSES = 2;

export async function checkRelays(config: Config, dns: Dns): Promise<Finding[]> {
  if (config.mailTransport !== 'relay') return [];
  const relays = Object.entries(config.relayUrls).map<[setting: string, url: string]>(([region, url]) => [
    `RELAY_URL_${region.toUpperCase().replaceAll('-', '_')}`,
    url,
  ]);
  if (config.relayUrl) relays.unshift(['RELAY_URL', config.relayUrl]);
  return Promise.all(relays.map(([setting, url]) => checkRelay(setting, url, config.mailHost, dns)));
}

async function checkRelay(setting: string, url: string, mailHost: string, dns: Dns): Promise<Finding> {
  const { target, options } = readRelayUrl(url, mailHost);
  const where = `${target.host}:${target.port}`;
  const found = isIP(target.host)
    ? { kind: 'found' as const, records: [target.host] }
    : await dns.host(target.host);
  if (found.kind !== 'found') {
    const reason = found.kind === 'failed' ? found.reason : 'the name does not exist';
    return failure(
      setting,
      `${target.host} cannot be looked up: ${reason}`,
      `Correct ${setting} or DNS_SERVERS.`,
    );
  }
  let problem: SmtpFailure | null = null;
  for (const address of found.records.slice(0, MAX_ADDRESSES)) {
    const { session, failure: failed } = await openSession(
      { ...target, host: address },
      { ...options, timeouts: TIMEOUTS },
    );
    if (session) {
      const how = [
        session.isSecured ? 'with TLS' : 'without TLS',
        target.auth ? 'signed in' : 'no password set',
      ];
      await session.close();
      return passed(setting, `${where} accepts mail (${how.join(', ')})`);
    }
    problem ??= failed;
  }
  return failure(setting, `${where} cannot be used: ${problem!.cause}`, adviceFor(setting, problem!));
}

function adviceFor(setting: string, { stage, reply }: SmtpFailure): string {
  if (stage === 'auth' && reply) return `Correct the user and password in ${setting}.`;
  if (stage === 'auth' || stage === 'tls')
    return `The relay needs TLS with a certificate that is valid for the host in ${setting}; ?tls=unverified accepts any.`;
  return `Start the relay, correct ${setting}, or allow connections from this machine in the firewall.`;
}

/**
 * Connects and authenticates to each relay, as the relay transport does, and checks whether it accepts mail from the
 * verified domains. Many relays reject senders that are not registered with them.
 */
import { isIP } from 'node:net';
import type { Config } from '../../config.ts';
import { readRelayUrl } from '../../features/delivery/transports/relay-transport.ts';
import type { Dns } from '../../mail/auth/dns.ts';
import { openSession } from '../../mail/smtp/client.ts';
import type { SmtpFailure } from '../../mail/smtp/failure.ts';
import type { SmtpSession } from '../../mail/smtp/session.ts';
import { bounceHostOf } from '../../mail/auth/dns-records.ts';
import type { StoredDomain } from './check-domains.ts';
import { failure, passed, type DoctorFinding } from './finding.ts';

const TIMEOUTS = { connectMs: 4_000, greetingMs: 4_000, commandMs: 4_000 };
/** Each address may take the whole time limit of a connection. */
const MAX_ADDRESSES = 2;
const MAX_SENDERS = 3;

interface Relay {
  setting: string;
  url: string;
  /** The verified domains whose mail goes through this relay. */
  senders: string[];
}

export async function checkRelays(
  { mailTransport, mailHost, relayUrl, relayUrls }: Config,
  dns: Dns,
  domains: StoredDomain[],
): Promise<DoctorFinding[]> {
  if (mailTransport !== 'relay') return [];
  const verified = domains.filter(({ isVerified }) => isVerified);
  const relays = Object.entries(relayUrls).map<Relay>(([region, url]) => ({
    setting: `RELAY_URL_${region.toUpperCase().replaceAll('-', '_')}`,
    url,
    senders: verified.filter((domain) => domain.region === region).map(({ name }) => name),
  }));
  const others = verified.filter(({ region }) => !Object.hasOwn(relayUrls, region)).map(({ name }) => name);
  if (relayUrl) relays.unshift({ setting: 'RELAY_URL', url: relayUrl, senders: others });
  const findings = await Promise.all(relays.map((relay) => checkRelay(relay, mailHost, dns)));
  if (relayUrl || others.length === 0) return findings;
  const words = `no relay is set for ${others.join(', ')}, so email from there cannot leave`;
  return [...findings, failure('RELAY_URL', words, 'Set RELAY_URL, or change the region of these domains.')];
}

async function checkRelay(
  { setting, url, senders }: Relay,
  mailHost: string,
  dns: Dns,
): Promise<DoctorFinding> {
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
      const refusal = await trySenders(session, senders);
      await session.close();
      if (refusal)
        return failure(
          setting,
          `${where} does not accept mail from ${refusal.sender}: ${refusal.failed.cause}`,
          'Register the domain with the relay, allow this sender there, or use an account that may send from it.',
        );
      return passed(setting, `${where} accepts mail (${how.join(', ')})`);
    }
    problem ??= failed;
  }
  return failure(setting, `${where} cannot be used: ${problem!.cause}`, adviceFor(setting, problem!));
}

/** Tries the return paths that real envelopes have. No message follows, so no mail is delivered. */
async function trySenders(
  session: SmtpSession,
  senders: string[],
): Promise<{ sender: string; failed: SmtpFailure } | null> {
  for (const sender of senders.slice(0, MAX_SENDERS)) {
    const failed = await session.tryEnvelope(`doctor@${bounceHostOf(sender)}`, `postmaster@${sender}`);
    if (failed) return { sender, failed };
  }
  return null;
}

function adviceFor(setting: string, { stage, reply }: SmtpFailure): string {
  if (stage === 'auth' && reply) return `Correct the user and password in ${setting}.`;
  if (stage === 'auth' || stage === 'tls')
    return `The relay needs TLS with a certificate that is valid for the host in ${setting}; ?tls=unverified accepts any.`;
  return `Start the relay, correct ${setting}, or allow connections from this machine in the firewall.`;
}

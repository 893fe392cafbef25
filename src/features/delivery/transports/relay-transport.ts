/** Sends everything through a relay: one for all mail, or one for each region of sending domains. */
import { isIP } from 'node:net';
import type { Dns } from '../../../mail/auth/dns.ts';
import {
  openSession,
  type OpenResult,
  type SmtpOptions,
  type SmtpTarget,
} from '../../../mail/smtp/client.ts';
import { connectionFailure, type SmtpFailure } from '../../../mail/smtp/failure.ts';
import { BEFORE_MESSAGE } from '../../../mail/smtp/reply.ts';
import type { Db } from '../../../platform/database/database.ts';
import type { Log } from '../../../platform/log.ts';
import { watchRelays, type WatchedRelay } from './relay-health.ts';
import { createSessionPool, type SessionPool } from './session-pool.ts';
import type { Transport } from './transport.ts';
import { withoutTlsRetries } from './required-tls.ts';

const SESSIONS_PER_RELAY = 20;

export interface RelayRoutes {
  default: string | null;
  byRegion: Record<string, string>;
}

export function createRelayTransport(
  routes: RelayRoutes,
  localName: string,
  { db, log, dns }: { db: Db; log: Log; dns: Dns },
): Transport {
  const relays = listRelays(routes, localName, dns);
  const health = watchRelays(db, log, [...relays.values()]);
  const pools = new Map<string, SessionPool>();
  const verifiedPools = new Map<string, SessionPool>();

  /** For messages that require TLS. Their failures say nothing about the relay. */
  function verifiedPoolFor(url: string): SessionPool {
    let pool = verifiedPools.get(url);
    if (!pool) {
      const { target, options } = readRelayUrl(url, localName);
      const open = () => openRelay(dns, requireVerified(target), options).then(withoutTlsRetries);
      pool = createSessionPool(open, SESSIONS_PER_RELAY);
      verifiedPools.set(url, pool);
    }
    return pool;
  }

  function poolFor(url: string): SessionPool {
    let pool = pools.get(url);
    if (!pool) {
      const relay = relays.get(url)!;
      pool = createSessionPool(relay.open, SESSIONS_PER_RELAY, {
        report(failure) {
          if (!failure) health.worked(relay);
          else if (isReported(failure)) health.failed(relay, failure);
        },
      });
      pools.set(url, pool);
    }
    return pool;
  }
  return {
    // With several relays the available ones continue. Deliveries for a relay that is backing off are deferred
    // one by one.
    unavailableTo() {
      const all = [...pools.values()];
      return all.length > 0 && all.every((pool) => pool.isBackingOff()) ? 'all' : [];
    },
    async attempt(message, isWanted) {
      const url = routes.byRegion[message.region] ?? routes.default;
      if (url) return (message.tls === 'required' ? verifiedPoolFor : poolFor)(url).send(message, isWanted);
      const reason = `No relay is configured for the region "${message.region}".`;
      return { outcome: 'deferred', reply: null, reason, wholeSession: false };
    },
    async close() {
      await health.close();
      await Promise.all([...pools.values(), ...verifiedPools.values()].map((pool) => pool.close()));
    },
  };
}

/**
 * True when no mail can be sent: the relay cannot be reached, rejects the login, or requires one. Other failures may
 * concern one sender or end with the connection.
 */
function isReported({ stage, reply }: SmtpFailure): boolean {
  const wantsLogin = stage === 'mail' && reply !== null && reply.code >= 530 && reply.code <= 538;
  return wantsLogin || BEFORE_MESSAGE.has(stage);
}

/** Returns the relays by URL. Several regions may share one. */
function listRelays(routes: RelayRoutes, localName: string, dns: Dns): Map<string, WatchedRelay> {
  const urls = new Set([routes.default, ...Object.values(routes.byRegion)].filter((url) => url !== null));
  return new Map(
    [...urls].map((url) => {
      const { target, options } = readRelayUrl(url, localName);
      const regions = Object.keys(routes.byRegion).filter((region) => routes.byRegion[region] === url);
      const watched: WatchedRelay = {
        relay: withoutPassword(url),
        regions: url === routes.default ? null : regions,
        open: () => openRelay(dns, target, options),
      };
      return [url, watched];
    }),
  );
}

function requireVerified(target: SmtpTarget): SmtpTarget {
  const tls = target.tls === 'implicit' ? 'implicit' : 'starttls-required';
  return { ...target, tls, verifyCertificate: true };
}

function withoutPassword(text: string): string {
  const url = new URL(text);
  url.password = '';
  return url.href;
}

/** Resolves the name with DNS_SERVERS, and tries its addresses until one accepts a connection. */
async function openRelay(dns: Dns, target: SmtpTarget, options: SmtpOptions): Promise<OpenResult> {
  if (isIP(target.host) !== 0) return openSession(target, options);
  const found = await dns.host(target.host);
  if (found.kind !== 'found') {
    const cause = found.kind === 'none' ? 'the name of the relay does not exist' : found.reason;
    return { session: null, failure: { ...connectionFailure('connect', cause), host: target.host } };
  }
  let opened: OpenResult | undefined;
  for (const host of found.records) {
    opened = await openSession({ ...target, host }, options);
    if (opened.session || opened.failure.stage !== 'connect') break;
  }
  return opened!;
}

export function readRelayUrl(text: string, localName: string): { target: SmtpTarget; options: SmtpOptions } {
  const url = new URL(text);
  const implicit = url.protocol === 'smtps:';
  const allowUnverified = url.searchParams.get('tls') === 'unverified';
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const target: SmtpTarget = {
    host,
    port: Number(url.port) || (implicit ? 465 : 25),
    tls: implicit ? 'implicit' : 'starttls-if-offered',
    servername: host,
    // A smtp:// relay is often on the same network with a self-signed certificate. That is acceptable unless a
    // password would be sent.
    verifyCertificate: implicit && !allowUnverified,
    auth: url.username
      ? { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) }
      : null,
    localName,
  };
  return { target, options: { allowUnverifiedAuth: allowUnverified } };
}

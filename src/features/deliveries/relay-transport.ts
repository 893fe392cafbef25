/** Everything goes to a relay: one for all, or one for each region of sending domains. */
import { openSession, type SmtpOptions, type SmtpTarget } from '../../mail/smtp-client.ts';
import { createSessionPool, type SessionPool } from './session-pool.ts';
import type { Transport } from './transport.ts';

const SESSIONS_PER_RELAY = 20;

export interface RelayRoutes {
  default: string | null;
  byRegion: Record<string, string>;
}

export function createRelayTransport(routes: RelayRoutes, localName: string): Transport {
  const pools = new Map<string, SessionPool>();
  function poolFor(url: string): SessionPool {
    let pool = pools.get(url);
    if (!pool) {
      const { target, options } = readRelayUrl(url, localName);
      pool = createSessionPool(() => openSession(target, options), SESSIONS_PER_RELAY);
      pools.set(url, pool);
    }
    return pool;
  }
  return {
    // With several relays the others go on; what is for the one that rests is put off one by one.
    closedTo() {
      const all = [...pools.values()];
      return all.length > 0 && all.every((pool) => pool.isResting()) ? 'all' : [];
    },
    async attempt(letter, isWanted) {
      const url = routes.byRegion[letter.region] ?? routes.default;
      if (url) return poolFor(url).send(letter, isWanted);
      const reason = `No relay is set for the region "${letter.region}".`;
      return { outcome: 'deferred', reply: null, reason, wholeSession: false };
    },
    async close() {
      await Promise.all([...pools.values()].map((pool) => pool.close()));
    },
  };
}

function readRelayUrl(text: string, localName: string): { target: SmtpTarget; options: SmtpOptions } {
  const url = new URL(text);
  const implicit = url.protocol === 'smtps:';
  const allowUnverified = url.searchParams.get('tls') === 'unverified';
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const target: SmtpTarget = {
    host,
    port: Number(url.port) || (implicit ? 465 : 25),
    tls: implicit ? 'implicit' : 'starttls-if-offered',
    servername: host,
    // With smtp:// the relay is often on the same network, with a certificate of its own making: it does where there
    // is no password to lose.
    verifyCertificate: implicit && !allowUnverified,
    auth: url.username
      ? { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) }
      : null,
    localName,
  };
  return { target, options: { allowUnverifiedAuth: allowUnverified } };
}

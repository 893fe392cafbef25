/**
 * Sends directly to the recipient's mail servers, found by MX, and honours MTA-STS policies. Mail for our own
 * mailboxes is delivered locally, without SMTP.
 * Anyone can publish any address as their MX, so we connect only to public addresses unless
 * DIRECT_ALLOW_PRIVATE is set. The address that is checked is the one that is connected to, not a name that
 * could resolve differently.
 */
import type { Dns } from '../../mail/auth/dns.ts';
import { createMtaSts, secureHost, type MtaSts } from '../../mail/smtp/mta-sts.ts';
import { findHosts } from '../../mail/smtp/next-hop.ts';
import { openSession, type OpenResult } from '../../mail/smtp/client.ts';
import { connectionFailure, refusedLocally } from '../../mail/smtp/failure.ts';
import type { SmtpFailure } from '../../mail/smtp/failure.ts';
import { isPublicAddress } from '../../platform/public-address.ts';
import { findDestination } from '../mailboxes/mailboxes/find-mailbox.ts';
import { deliverLocally, type LocalDelivery } from './deliver-locally.ts';
import { createSessionPool, type SessionPool } from './session-pool.ts';
import type { WireMessage, Transport } from './transport.ts';

const SESSIONS_PER_DOMAIN = 5;
const MAX_POOLS = 1_000;
const SMTP_PORT = 25;

const UNREACHABLE = {
  'refuses-mail': 'does not accept email (null MX)',
  'no-such-domain': 'does not exist',
  ourselves: 'is hosted on this server, and this address does not exist here',
  'no-public-address': 'has no mail server with a public address (5.4.4)',
};

export interface DirectOptions {
  localName: string;
  /** Set by DIRECT_ALLOW_PRIVATE. */
  allowPrivate: boolean;
}

export function createDirectTransport(dns: Dns, options: DirectOptions, local: LocalDelivery): Transport {
  const { localName } = options;
  const mayConnect = options.allowPrivate ? () => true : isPublicAddress;
  const mtaSts = createMtaSts(dns, { mayConnect });
  const pools = new Map<string, SessionPool>();

  function poolFor(domain: string): SessionPool {
    const known = pools.get(domain);
    if (known) return known;
    if (pools.size >= MAX_POOLS) dropIdle(pools);
    const pool = createSessionPool(
      () => openForDomain({ dns, mtaSts, localName, mayConnect }, domain),
      SESSIONS_PER_DOMAIN,
    );
    pools.set(domain, pool);
    return pool;
  }

  async function isLocal({ recipient, recipientDomain }: WireMessage): Promise<boolean> {
    if (!(await findDestination(local.db, recipient))) return false;
    const hop = await findHosts(dns, recipientDomain, { ownNames: [localName] });
    return hop.kind === 'ourselves';
  }

  return {
    unavailableTo: ({ isUrgent }) =>
      [...pools].filter(([, pool]) => pool.isFull(isUrgent) || pool.isBackingOff()).map(([domain]) => domain),
    async attempt(message, isWanted) {
      const delivered = (await isLocal(message)) && isWanted() && (await deliverLocally(local, message));
      return delivered || poolFor(message.recipientDomain).send(message, isWanted);
    },
    async close() {
      await Promise.all([...pools.values()].map((pool) => pool.close()));
    },
  };
}

function dropIdle(pools: Map<string, SessionPool>): void {
  for (const [domain, pool] of pools) {
    if (!pool.isIdle()) continue;
    pools.delete(domain);
    void pool.close();
  }
}

interface Tools {
  dns: Dns;
  mtaSts: MtaSts;
  localName: string;
  mayConnect: (address: string) => boolean;
}

/** Connects to the first host that accepts a connection, in MX preference order. */
async function openForDomain(tools: Tools, domain: string): Promise<OpenResult> {
  const { dns, mtaSts, localName, mayConnect } = tools;
  const hop = await findHosts(dns, domain, { ownNames: [localName], mayConnect });
  if (hop.kind === 'failed') return failed(connectionFailure('connect', hop.reason));
  if (hop.kind !== 'hosts')
    return failed(refusedLocally('connect', `The domain ${domain} ${UNREACHABLE[hop.kind]}.`));
  const policy = await mtaSts.findPolicy(domain);
  let last: SmtpFailure = connectionFailure(
    'connect',
    `No mail server of ${domain} matches its MTA-STS policy.`,
  );
  for (const host of hop.hosts) {
    const security = secureHost(policy, host.name);
    if (!security) continue;
    for (const address of host.addresses) {
      const opened = await openSession({
        host: address,
        port: SMTP_PORT,
        auth: null,
        localName,
        ...security,
      });
      if (opened.session) return opened;
      last = opened.failure;
    }
  }
  return failed(last);
}

function failed(failure: SmtpFailure): OpenResult {
  return { session: null, failure };
}

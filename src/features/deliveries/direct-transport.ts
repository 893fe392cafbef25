/**
 * Straight to the recipient's own mail servers, found by MX, with MTA-STS held to where it is published. Where that
 * server is this one, its mailboxes get their mail without a wire.
 *
 * Anybody can publish any address as their MX, so we connect only to public addresses unless DIRECT_ALLOW_PRIVATE is
 * set. The check is on the address itself: the one that was checked is the one that is connected to.
 */
import type { Dns } from '../../mail/dns.ts';
import { createMtaSts, secureHost, type MtaSts } from '../../mail/mta-sts.ts';
import { findHosts } from '../../mail/next-hop.ts';
import { openSession, type OpenResult } from '../../mail/smtp-client.ts';
import { brokenAt, unfitAt } from '../../mail/smtp-failure.ts';
import type { SmtpFailure } from '../../mail/smtp-failure.ts';
import { isPublicAddress } from '../../platform/public-address.ts';
import { findDestination } from '../mailboxes/find-mailbox.ts';
import { deliverInside, type Inside } from './inside.ts';
import { createSessionPool, type SessionPool } from './session-pool.ts';
import type { Letter, Transport } from './transport.ts';

const SESSIONS_PER_DOMAIN = 5;
const MAX_POOLS = 1_000;
const SMTP_PORT = 25;

const UNREACHABLE = {
  'refuses-mail': 'takes no mail (null MX)',
  'no-such-domain': 'does not exist',
  ourselves: 'has its mail sent to us, and there is no such address here',
  'no-public-address': 'has no mail server with a public address (5.4.4)',
};

export interface DirectOptions {
  localName: string;
  /** DIRECT_ALLOW_PRIVATE. */
  allowPrivate: boolean;
}

export function createDirectTransport(dns: Dns, options: DirectOptions, inside: Inside): Transport {
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

  async function isForUs({ recipient, recipientDomain }: Letter): Promise<boolean> {
    if (!(await findDestination(inside.db, recipient))) return false;
    const hop = await findHosts(dns, recipientDomain, { ownNames: [localName] });
    return hop.kind === 'ourselves';
  }

  return {
    closedTo: ({ isUrgent }) =>
      [...pools].filter(([, pool]) => pool.isFull(isUrgent) || pool.isResting()).map(([domain]) => domain),
    async attempt(letter, isWanted) {
      const delivered = (await isForUs(letter)) && isWanted() && (await deliverInside(inside, letter));
      return delivered || poolFor(letter.recipientDomain).send(letter, isWanted);
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

/** The first host that lets us in, in the order of its preference. */
async function openForDomain(tools: Tools, domain: string): Promise<OpenResult> {
  const { dns, mtaSts, localName, mayConnect } = tools;
  const hop = await findHosts(dns, domain, { ownNames: [localName], mayConnect });
  if (hop.kind === 'failed') return failed(brokenAt('connect', hop.reason));
  if (hop.kind !== 'hosts')
    return failed(unfitAt('connect', `The domain ${domain} ${UNREACHABLE[hop.kind]}.`));
  const policy = await mtaSts.findPolicy(domain);
  let last: SmtpFailure = brokenAt('connect', `No host of ${domain} fits its MTA-STS policy.`);
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

/**
 * Sends directly to the recipient's mail servers, found by MX, and honours DANE and MTA-STS policies. Mail for our own
 * mailboxes is delivered locally, without SMTP.
 * Anyone can publish any address as their MX, so we connect only to public addresses unless DIRECT_ALLOW_PRIVATE is
 * set. We connect to the address that was checked, not to a name, which could resolve differently.
 */
import { isIP } from 'node:net';
import type { Dns } from '../../../mail/auth/dns.ts';
import { createMtaSts } from '../../../mail/smtp/mta-sts.ts';
import type { Dane } from '../../../mail/smtp/dane.ts';
import { findHosts } from '../../../mail/smtp/next-hop.ts';
import { openSession, type OpenResult } from '../../../mail/smtp/client.ts';
import { connectionFailure, refusedLocally } from '../../../mail/smtp/failure.ts';
import type { SmtpFailure } from '../../../mail/smtp/failure.ts';
import type { LeaseHolder } from '../../../platform/due/lease-holder.ts';
import type { Log } from '../../../platform/log.ts';
import { isPublicAddress } from '../../../platform/network/public-address.ts';
import { findDestination } from '../../mailboxes/mailboxes/find-mailbox.ts';
import { deliverLocally, type LocalDelivery } from './deliver-locally.ts';
import { createDestinationGate, type DestinationGate } from './destination-gate.ts';
import { createDestinationSlots } from './destination-slots.ts';
import { findHostSecurity, type SecurityTools } from './host-security.ts';
import { withoutTlsRetries } from './required-tls.ts';
import { createTlsCounter, type TlsCounter } from './tls-counter.ts';
import { readTlsResult } from './tls-results.ts';
import { createSessionPool, type SessionPool } from './session-pool.ts';
import { mostSessions } from './session-pool-state.ts';
import type { WireMessage, Transport } from './transport.ts';

/** The limit for all processes together. */
const SESSIONS_PER_DOMAIN = 5;
const MAX_POOLS = 1_000;
const SMTP_PORT = 25;

const UNREACHABLE = {
  'refuses-mail': 'does not accept email (null MX)',
  'no-such-domain': 'does not exist',
  ourselves: 'is hosted on this server, and this address does not exist here',
  'no-public-address':
    'has no mail server with a public address (5.4.4). The setting DIRECT_ALLOW_PRIVATE allows others',
};

export interface DirectOptions {
  localName: string;
  /** Other names of this server. */
  ownNames?: string[];
  /** Connects from this address of the machine. Mail servers with addresses of the other family are left out. */
  localAddress?: string;
  /** Set by DIRECT_ALLOW_PRIVATE. */
  allowPrivate: boolean;
  /** Null if the resolver is not trusted with DNSSEC. */
  dane: Dane | null;
}

export function createDirectTransport(
  dns: Dns,
  options: DirectOptions,
  local: LocalDelivery,
  { leases, log }: { leases: LeaseHolder; log: Log },
): Transport {
  const { localName, localAddress, dane } = options;
  const ownNames = [localName, ...(options.ownNames ?? [])];
  const isOfFamily = (address: string) => !localAddress || isIP(address) === isIP(localAddress);
  const mayConnect = (address: string) =>
    isOfFamily(address) && (options.allowPrivate || isPublicAddress(address));
  const mtaSts = createMtaSts(dns, { mayConnect });
  const tlsCounter = createTlsCounter(local.db, log);
  const tools = { dns, dane, mtaSts, localName, localAddress, ownNames, mayConnect, tlsCounter };
  const slots = createDestinationSlots(local.db, leases, log);
  const destinations = new Map<string, Destination>();

  function destinationOf(domain: string, tls: WireMessage['tls']): Destination {
    // Messages that need other connections than usual have a pool of their own.
    const name = tls === 'usual' ? domain : `${domain} ${tls}`;
    const known = destinations.get(name);
    if (known) return known;
    if (destinations.size >= MAX_POOLS) dropIdle(destinations);
    const gate = createDestinationGate(slots, domain, (isUrgent) =>
      mostSessions(SESSIONS_PER_DOMAIN, isUrgent),
    );
    async function open(isUrgent: boolean): Promise<OpenResult | 'taken'> {
      const slot = await gate.enter(isUrgent);
      if (!slot) return 'taken';
      let opened: OpenResult | undefined;
      try {
        opened = await openForDomain(tools, domain, tls);
        return opened;
      } finally {
        if (opened?.session) opened.session.onClosed = () => slots.release(slot);
        else slots.release(slot);
      }
    }
    const pool = createSessionPool(open, SESSIONS_PER_DOMAIN, { onTaken: gate.shut });
    const destination = { pool, gate };
    destinations.set(name, destination);
    return destination;
  }

  async function isLocal({ recipient, recipientDomain }: WireMessage): Promise<boolean> {
    if (!(await findDestination(local.db, recipient))) return false;
    const hop = await findHosts(dns, recipientDomain, { ownNames });
    return hop.kind === 'ourselves';
  }

  return {
    unavailableTo: ({ isUrgent }) =>
      [...destinations]
        .filter(([, { pool, gate }]) => pool.isFull(isUrgent) || pool.isBackingOff() || gate.isShut(isUrgent))
        .map(([domain]) => domain),
    takenElsewhere: ({ isUrgent }) =>
      [...destinations].filter(([, { gate }]) => gate.isShut(isUrgent)).map(([domain]) => domain),
    async attempt(message, isWanted) {
      const delivered = (await isLocal(message)) && isWanted() && (await deliverLocally(local, message));
      return delivered || destinationOf(message.recipientDomain, message.tls).pool.send(message, isWanted);
    },
    async close() {
      await Promise.all([...destinations.values()].map(({ pool }) => pool.close()));
      await slots.close();
      await tlsCounter.close();
    },
  };
}

interface Destination {
  pool: SessionPool;
  gate: DestinationGate;
}

function dropIdle(destinations: Map<string, Destination>): void {
  for (const [domain, { pool, gate }] of destinations) {
    if (!pool.isIdle()) continue;
    destinations.delete(domain);
    gate.close();
    void pool.close();
  }
}

interface Tools extends SecurityTools {
  tlsCounter: TlsCounter;
  dns: Dns;
  localName: string;
  localAddress: string | undefined;
  ownNames: string[];
  mayConnect: (address: string) => boolean;
}

/** Connects to the first host that accepts a connection, in MX preference order. */
async function openForDomain(tools: Tools, domain: string, tls: WireMessage['tls']): Promise<OpenResult> {
  const { dns, localName, localAddress, ownNames, mayConnect, tlsCounter } = tools;
  const hop = await findHosts(dns, domain, { ownNames, mayConnect });
  if (hop.kind === 'failed') return failed(connectionFailure('connect', hop.reason));
  if (hop.kind !== 'hosts')
    return failed(refusedLocally('connect', `The domain ${domain} ${UNREACHABLE[hop.kind]}.`));
  const secure = await findHostSecurity(tools, domain, tls);
  if ('failure' in secure) return failed(secure.failure);
  let last: SmtpFailure = connectionFailure(
    'connect',
    `No mail server of ${domain} matches its MTA-STS policy.`,
  );
  for (const host of hop.hosts) {
    const secured = await secure.of(host.name);
    if (!secured) continue;
    if ('failure' in secured) {
      last = secured.failure;
      continue;
    }
    for (const address of host.addresses) {
      const opened = await openSession({
        host: address,
        port: SMTP_PORT,
        auth: null,
        localName,
        localAddress,
        ...secured.security,
      });
      const result = readTlsResult(opened, host.name, secured.policy);
      if (result) tlsCounter.count({ domain, policy: secured.policy, mx: host.name, ip: address, result });
      if (opened.session) return opened;
      last = opened.failure;
    }
  }
  return tls === 'required' ? withoutTlsRetries(failed(last)) : failed(last);
}

function failed(failure: SmtpFailure): OpenResult {
  return { session: null, failure };
}

/** Turns a claimed delivery into a message that is signed for its domain and has its own return path. */
import type { DsnRequest } from '../../mail/smtp/envelope.ts';
import { createDkimSigner, type DkimSigner } from '../../mail/auth/dkim.ts';
import { isAscii } from 'node:buffer';
import type { Db } from '../../platform/database/database.ts';
import { AppError } from '../../platform/errors.ts';
import type { Facts } from '../instance/facts.ts';
import { openDomainKey } from '../sending/domains/domain-keys.ts';
import { presentPools, type Pools } from '../sending/egress/choose-egress.ts';
import { isUrgent, type ClaimedDelivery, type ClaimedEnvelope } from './claim.ts';
import type { DeliveryMetrics } from './delivery-metrics.ts';
import { createReturnPaths } from './reports/return-paths.ts';
import type { WireMessage } from './transports/transport.ts';

/** RFC 8689 section 5. */
const TLS_OPTIONAL = /^TLS-Required:[ \t]*No[ \t]*\r?$/im;

interface SendingDomain {
  name: string;
  region: string;
  pools: Pools;
  selector: string;
  signer: DkimSigner;
}

interface CachedDomain {
  domain: Promise<SendingDomain | null>;
  freshUntilMs: number;
}

/** How long a worker may use a cached domain. A deleted domain stops sending within this time. */
export const DOMAIN_FRESH_MS = 1_000;

export interface DeliverySigner {
  /** Returns null when the domain was deleted. */
  sign(delivery: ClaimedDelivery, raw: Buffer): Promise<WireMessage | null>;
}

type FindDomain = (teamId: number, id: number) => Promise<SendingDomain | null>;

function createDomainFinder(db: Db, secret: Buffer): FindDomain {
  const domains = new Map<number, CachedDomain>();

  function find(teamId: number, id: number): Promise<SendingDomain | null> {
    const cached = domains.get(id);
    if (cached && performance.now() < cached.freshUntilMs) return cached.domain;
    const domain = reload(teamId, id, cached);
    domains.set(id, { domain, freshUntilMs: performance.now() + DOMAIN_FRESH_MS });
    return domain;
  }

  async function reload(teamId: number, id: number, cached?: CachedDomain): Promise<SendingDomain | null> {
    const previous = await cached?.domain.catch(() => undefined);
    try {
      return await load(teamId, id, previous ?? null);
    } catch (error) {
      // While the database is unavailable, claimed deliveries use the cached domain.
      if (previous !== undefined) return previous;
      domains.delete(id);
      throw error;
    }
  }

  async function load(
    teamId: number,
    id: number,
    previous: SendingDomain | null,
  ): Promise<SendingDomain | null> {
    const row = await db
      .selectFrom('domains')
      .select(['name', 'region', 'pools', 'dkim_selector', 'private_key'])
      .where('team_id', '=', teamId)
      .where('id', '=', id)
      .executeTakeFirst();
    // The name and region of a domain never change, and each of its keys has a different selector.
    if (!row) return null;
    const pools = presentPools(row.pools);
    if (previous && row.dkim_selector === previous.selector) return { ...previous, pools };
    const { name, region, dkim_selector: selector } = row;
    const privateKey = openKey(secret, row.private_key);
    const signer = createDkimSigner({ domain: name, selector, privateKey });
    return { name, region, pools, selector, signer };
  }

  return find;
}

export function createDeliverySigner(
  db: Db,
  { secret, dkimSign }: Pick<Facts, 'secret' | 'dkimSign'>,
  metrics: Pick<DeliveryMetrics, 'observeSigning'>,
): DeliverySigner {
  const find = createDomainFinder(db, secret);
  const returnPaths = createReturnPaths(secret);

  async function signTimed({ signer }: SendingDomain, raw: Buffer): Promise<Buffer> {
    const startedAt = performance.now();
    const signature = await signer.sign(raw);
    metrics.observeSigning((performance.now() - startedAt) / 1000);
    return signature;
  }

  return {
    async sign(delivery, raw) {
      const { domainId, teamId, envelope } = delivery;
      const domain = await find(teamId, domainId);
      if (!domain) return null;
      const headerEnd = raw.indexOf('\r\n\r\n');
      const header = headerEnd < 0 ? raw : raw.subarray(0, headerEnd);
      const { emailId, recipientNo, recipient, recipientDomain, attempts, campaignId } = delivery;
      // Listed one by one, because spreading objects takes several microseconds for each message.
      return {
        teamId,
        emailId,
        recipientNo,
        recipient,
        recipientDomain,
        attempts,
        isOfCampaign: campaignId !== null,
        pools: domain.pools,
        region: domain.region,
        // RFC 3464 section 2: nobody reports about a report.
        mailFrom: envelope?.isReport ? '' : returnPaths.make(delivery, domain.name),
        chunks: dkimSign ? [await signTimed(domain, raw), raw] : [raw],
        smtpUtf8: !isAscii(header),
        // The header of a campaign is ours.
        tls: campaignId === null ? chooseTls(envelope, header) : 'usual',
        dsn: envelope && toDsn(envelope),
        isUrgent: isUrgent(delivery),
      };
    },
  };
}

function openKey(secret: Buffer, encrypted: Buffer): ReturnType<typeof openDomainKey> {
  try {
    return openDomainKey(secret, encrypted);
  } catch (cause) {
    throw new AppError('INTERNAL', 'Cannot decrypt the DKIM key: wrong instance secret.', { cause });
  }
}

/** REQUIRETLS of the client comes before the header of the message (RFC 8689 section 4.1). */
function chooseTls(envelope: ClaimedEnvelope | null, header: Buffer): WireMessage['tls'] {
  if (envelope?.requiresTls) return 'required';
  return TLS_OPTIONAL.test(header.toString('latin1')) ? 'optional' : 'usual';
}

function toDsn({ ret, envid, notify, orcpt }: ClaimedEnvelope): DsnRequest | null {
  return ret || envid || notify || orcpt ? { ret, envid, notify, orcpt } : null;
}

/** A claimed delivery becomes a letter: signed for its domain, with a return path of its own. */
import { createDkimSigner, type DkimSigner } from '../../mail/dkim.ts';
import { DKIM_SELECTOR } from '../../mail/dns-records.ts';
import { isAscii } from 'node:buffer';
import type { Db } from '../../platform/database.ts';
import type { Facts } from '../../platform/facts.ts';
import { openDomainKey } from '../domains/domain-keys.ts';
import { isUrgent, type Parcel } from './claim.ts';
import { createReturnPaths } from './return-paths.ts';
import type { Letter } from './transport.ts';

interface SendingDomain {
  name: string;
  region: string;
  signer: DkimSigner;
}

interface Known {
  domain: Promise<SendingDomain | null>;
  freshUntilMs: number;
}

/** Within so long every courier knows that a domain was deleted. */
const FRESH_MS = 1_000;

export interface LetterSealer {
  /** Null when the domain was deleted. */
  seal(parcel: Parcel, raw: Buffer): Promise<Letter | null>;
}

export function createLetterSealer(
  db: Db,
  { secret, dkimSign }: Pick<Facts, 'secret' | 'dkimSign'>,
): LetterSealer {
  const domains = new Map<number, Known>();
  const returnPaths = createReturnPaths(secret);

  function find(teamId: number, id: number): Promise<SendingDomain | null> {
    const known = domains.get(id);
    if (known && performance.now() < known.freshUntilMs) return known.domain;
    const domain = lookAgain(teamId, id, known);
    domains.set(id, { domain, freshUntilMs: performance.now() + FRESH_MS });
    return domain;
  }

  async function lookAgain(teamId: number, id: number, known?: Known): Promise<SendingDomain | null> {
    const before = await known?.domain.catch(() => undefined);
    try {
      return await load(teamId, id, before ?? null);
    } catch (error) {
      // While the database is away, what is claimed goes out by what was known last.
      if (before !== undefined) return before;
      domains.delete(id);
      throw error;
    }
  }

  async function load(
    teamId: number,
    id: number,
    before: SendingDomain | null,
  ): Promise<SendingDomain | null> {
    const row = await db
      .selectFrom('domains')
      .select(['name', 'region', 'private_key'])
      .where('team_id', '=', teamId)
      .where('id', '=', id)
      .executeTakeFirst();
    // Nothing of it ever changes but that it is there.
    if (!row || before) return row ? before : null;
    const privateKey = openDomainKey(secret, row.private_key);
    const signer = createDkimSigner({ domain: row.name, selector: DKIM_SELECTOR, privateKey });
    return { name: row.name, region: row.region, signer };
  }

  return {
    async seal(parcel, raw) {
      const { domainId, teamId, emailId } = parcel;
      const domain = await find(teamId, domainId);
      if (!domain) return null;
      const headerEnd = raw.indexOf('\r\n\r\n');
      const header = headerEnd < 0 ? raw : raw.subarray(0, headerEnd);
      return {
        teamId,
        emailId,
        recipient: parcel.recipient,
        recipientDomain: parcel.recipientDomain,
        region: domain.region,
        mailFrom: returnPaths.make(parcel, domain.name),
        chunks: dkimSign ? [await domain.signer.sign(raw), raw] : [raw],
        smtpUtf8: !isAscii(header),
        isUrgent: isUrgent(parcel),
      };
    },
  };
}

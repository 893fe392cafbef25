/** A claimed delivery becomes a letter: signed for its domain, with a return path of its own. */
import { createDkimSigner, type DkimSigner } from '../../mail/dkim.ts';
import { DKIM_SELECTOR } from '../../mail/dns-records.ts';
import { isAscii } from 'node:buffer';
import type { Db } from '../../platform/database.ts';
import type { Facts } from '../../platform/facts.ts';
import { openDomainKey } from '../domains/domain-keys.ts';
import type { Parcel } from './claim.ts';
import { createReturnPaths } from './return-paths.ts';
import type { Letter } from './transport.ts';

interface SendingDomain {
  name: string;
  region: string;
  signer: DkimSigner;
}

export interface LetterSealer {
  /** Null when the domain was deleted. */
  seal(parcel: Parcel, raw: Buffer): Promise<Letter | null>;
}

export function createLetterSealer(
  db: Db,
  { secret, dkimSign }: Pick<Facts, 'secret' | 'dkimSign'>,
): LetterSealer {
  const domains = new Map<number, Promise<SendingDomain | null>>();
  const returnPaths = createReturnPaths(secret);

  async function load(teamId: number, id: number): Promise<SendingDomain | null> {
    const row = await db
      .selectFrom('domains')
      .select(['name', 'region', 'private_key'])
      .where('team_id', '=', teamId)
      .where('id', '=', id)
      .executeTakeFirst();
    if (!row) return null;
    const privateKey = openDomainKey(secret, row.private_key);
    const signer = createDkimSigner({ domain: row.name, selector: DKIM_SELECTOR, privateKey });
    return { name: row.name, region: row.region, signer };
  }

  return {
    async seal(parcel, raw) {
      const { domainId, teamId, emailId } = parcel;
      const known = domains.get(domainId) ?? load(teamId, domainId);
      domains.set(domainId, known);
      const domain = await known.catch((error: unknown) => {
        domains.delete(domainId);
        throw error;
      });
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
      };
    },
  };
}

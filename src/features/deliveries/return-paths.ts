/** The addresses that reports come back to: made for every letter, and found again in the envelope of a report. */
import { sql } from 'kysely';
import { parseAddress } from '../../mail/address.ts';
import { bounceHostOf, domainOfBounceHost } from '../../mail/dns-records.ts';
import { makeReturnPath, readReturnPath } from '../../mail/verp.ts';
import { createMac, deriveKey } from '../../platform/crypto.ts';
import type { Db } from '../../platform/database.ts';
import type { EmailKey } from './settle.ts';

/** One recipient of one email. */
export interface SentTo extends EmailKey {
  recipientNo: number;
}

export interface ReturnPaths {
  make(letter: SentTo, domain: string): string;
  /** Null for an address that we did not sign, and for an email that is not there any more. */
  find(db: Db, address: string): Promise<SentTo | null>;
}

export function createReturnPaths(secret: Buffer): ReturnPaths {
  const mac = createMac(deriveKey(secret, 'return paths'));
  return {
    make: ({ emailId, recipientNo }, domain) =>
      makeReturnPath({ id: emailId, recipient: recipientNo, bounceHost: bounceHostOf(domain), mac }),

    async find(db, address) {
      const parsed = parseAddress(address);
      const domain = parsed && domainOfBounceHost(parsed.domain);
      const signed = parsed && readReturnPath(parsed.email.slice(0, parsed.email.lastIndexOf('@')), mac);
      if (!domain || !signed) return null;
      // Through the domain, because the address does not name the team; two teams may have claimed the same name.
      const { rows } = await sql<SentTo>`
        select r.team_id as "teamId", r.email_id as "emailId", r.no as "recipientNo"
        from domains d
        join emails e on e.team_id = d.team_id and e.id = ${signed.id} and e.domain_id = d.id
        join email_recipients r on r.team_id = e.team_id and r.email_id = e.id and r.no = ${signed.recipient}
        where d.name = ${domain}
      `.execute(db);
      return rows[0] ?? null;
    },
  };
}

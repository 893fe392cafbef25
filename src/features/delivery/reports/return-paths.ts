/** The signed addresses to which other servers send reports: one for every message and recipient. */
import { sql } from 'kysely';
import { parseAddress } from '../../../mail/mime/address.ts';
import { bounceHostOf, domainOfBounceHost } from '../../../mail/auth/dns-records.ts';
import { makeReturnPath, readReturnPath, type ReturnPathIds } from '../../../mail/bounces/return-path.ts';
import type { Db } from '../../../platform/database/database.ts';
import type { Row } from '../../../platform/database/rows.ts';
import type { EmailKey } from '../../sending/email-events/record-results.ts';
import { findOnceRecorded } from '../../sending/ledger/await-outcome.ts';
import { returnPathMac } from '../../content/links/links.ts';

export interface SentTo extends EmailKey {
  recipientNo: Row<'email_recipients'>['no'];
}

export interface ReturnPaths {
  make(message: SentTo, domain: string): string;
  /** Returns null when the address has no valid signature or the email was deleted. */
  find(db: Db, address: string): Promise<SentTo | null>;
  /** Finds the first valid return path in the text of a report, which quotes it in one of several fields. */
  findQuoted(db: Db, text: string): Promise<SentTo | null>;
}

const QUOTED = /(?<![0-9a-z])b-[0-9a-hjkmnp-tv-z]{48}@[0-9a-z.-]{1,253}[0-9a-z]/gi;
/** A report quotes one message, so further addresses are ignored. */
const MOST_QUOTED = 5;

export function createReturnPaths(secret: Buffer): ReturnPaths {
  const mac = returnPathMac(secret);
  async function find(db: Db, address: string): Promise<SentTo | null> {
    const parsed = parseAddress(address);
    const domain = parsed && domainOfBounceHost(parsed.domain);
    const signed = parsed && readReturnPath(parsed.email.slice(0, parsed.email.lastIndexOf('@')), mac);
    if (!domain || !signed) return null;
    return findOnceRecorded(db, signed.id, () => findSent(db, domain, signed));
  }

  return {
    make: ({ emailId, recipientNo }, domain) =>
      makeReturnPath({ id: emailId, recipient: recipientNo, bounceHost: bounceHostOf(domain), mac }),

    find,

    async findQuoted(db, text) {
      const quoted = new Set(text.match(QUOTED));
      for (const address of [...quoted].slice(0, MOST_QUOTED)) {
        const sentTo = await find(db, address);
        if (sentTo) return sentTo;
      }
      return null;
    },
  };
}

/** The address does not name the team, and two teams may have added the same domain, so this looks through domains. */
async function findSent(db: Db, domain: string, { id, recipient }: ReturnPathIds): Promise<SentTo | null> {
  const { rows } = await sql<SentTo>`
    select r.team_id as "teamId", r.email_id as "emailId", r.no as "recipientNo"
    from domains d
    join all_emails e on e.team_id = d.team_id and e.id = ${id} and e.domain_id = d.id
    join all_email_recipients r on r.team_id = e.team_id and r.email_id = e.id and r.no = ${recipient}
    where d.name = ${domain}
  `.execute(db);
  return rows[0] ?? null;
}

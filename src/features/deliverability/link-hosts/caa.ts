/** Tells whether CAA records permit our certificate authority for a host (RFC 8659). */
import type { Dns } from '../../../mail/auth/dns.ts';

export interface CaaBlock {
  /** The name whose records forbid the authority. */
  host: string;
  authority: string;
}

const ISSUE = /^\d+ issue "([^";]*)/;
/** The authority must not issue if it does not know a property with the highest bit in its flags. */
const CRITICAL = 128;

/** Returns null if the authority may issue, or if the DNS server does not respond: then the authority decides. */
export async function findCaaBlock(dns: Dns, host: string, authority: string): Promise<CaaBlock | null> {
  const labels = host.split('.');
  for (let at = 0; at < labels.length; at += 1) {
    const name = labels.slice(at).join('.');
    const answer = await dns.caa(name);
    if (answer.kind === 'failed') return null;
    // Records of a name count for all names below it that have none of their own.
    if (answer.kind === 'found') return permits(answer.records, authority) ? null : { host: name, authority };
  }
  return null;
}

function permits(records: string[], authority: string): boolean {
  const unknown = records.some(
    (record) =>
      Number.parseInt(record) >= CRITICAL && !/^\d+ (?:issue|issuewild|iodef|issuemail) /.test(record),
  );
  if (unknown) return false;
  const permitted = records.flatMap((record) => ISSUE.exec(record)?.[1]?.trim().toLowerCase() ?? []);
  const hasIssue = records.some((record) => ISSUE.test(record));
  return !hasIssue || permitted.includes(authority);
}

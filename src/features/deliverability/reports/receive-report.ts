/** Reads a report that another server mailed to the report address of a domain, and stores it. */
import { findReport, kindOf } from '../../../mail/reports/find-report.ts';
import { readDmarcReport } from '../../../mail/reports/dmarc-report.ts';
import { readTlsReport } from '../../../mail/reports/tls-report.ts';
import { ReportProblem } from '../../../mail/reports/report-problem.ts';
import { unpackReport } from '../../../mail/reports/unpack-report.ts';
import type { ReceivedHeaders } from '../../../mail/mime/parse/raw-headers.ts';
import type { Db } from '../../../platform/database/database.ts';
import type { ReportedDomain } from './report-address.ts';
import { storeDmarcReport, type ReportFacts, type ReportSender } from './store-dmarc-report.ts';
import { storeTlsReport } from './store-tls-report.ts';

/** Throws a ReportProblem if the message has no report that can be read. */
export async function receiveReport(
  db: Db,
  facts: ReportFacts,
  domains: ReportedDomain[],
  sender: ReportSender,
  { raw, section }: { raw: Buffer; section: ReceivedHeaders },
): Promise<void> {
  const packed = findReport(raw, section);
  if (!packed) throw new ReportProblem('The message has no report.');
  const { kind, pieces } = await openReport(packed);
  if (kind === 'dmarc') {
    const report = await readDmarcReport(pieces);
    for (const domain of domains) await storeDmarcReport(db, facts, domain, sender, report);
  } else {
    const report = await readTlsReport(pieces);
    for (const domain of domains) await storeTlsReport(db, domain, { ...sender, by: 'mail' }, report);
  }
}

/** The same for a TLS report that was posted over HTTPS. */
export async function receivePostedReport(db: Db, domain: ReportedDomain, packed: Buffer): Promise<void> {
  const { kind, pieces } = await openReport(packed);
  if (kind !== 'tls') throw new ReportProblem('Only TLS reports (RFC 8460) can be posted.');
  const sender = { isVerified: true, domain: null, by: 'https' } as const;
  await storeTlsReport(db, domain, sender, await readTlsReport(pieces));
}

async function openReport(packed: Buffer) {
  const pieces = await unpackReport(packed);
  const first = await pieces.next();
  const kind = first.done ? null : kindOf(first.value);
  if (first.done || kind === null) throw new ReportProblem('This is no report that is known here.');
  return { kind, pieces: withFirst(first.value, pieces) };
}

async function* withFirst(first: Buffer, rest: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  yield first;
  yield* rest;
}

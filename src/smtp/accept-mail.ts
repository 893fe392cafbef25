/** Accepts a complete message for mailboxes: parses it, checks its sender (SPF, DKIM, DMARC), and stores it. */
import type { Destination } from '../features/mailboxes/mailboxes/find-mailbox.ts';
import { receiveReport } from '../features/deliverability/reports/receive-report.ts';
import type { ReportedDomain } from '../features/deliverability/reports/report-address.ts';
import { ReportProblem } from '../mail/reports/report-problem.ts';
import { receiveMessage } from '../features/mailboxes/receiving/receive.ts';
import { startSpamCheck, type SpamTools } from '../features/mailboxes/spam/judge-arrival.ts';
import type { CheckSender, SenderCheck } from '../mail/auth/check-sender.ts';
import { formatDate, toOneLine } from '../mail/mime/header-encoding.ts';
import { LARGE_BYTES, parseMessage } from '../mail/offload/parse-message.ts';
import type { ParsedMessage } from '../mail/mime/parse/parse-message.ts';
import { withoutMailboxLine } from '../mail/mime/compose/prepare-raw.ts';
import {
  readAnyHeaders,
  removeHeaders,
  toRegularMessage,
  type ReceivedHeaders,
} from '../mail/mime/parse/raw-headers.ts';
import type { Db } from '../platform/database/database.ts';
import type { Facts } from '../features/instance/facts.ts';
import { isReply, reply } from './protocol/error-reply.ts';
import type { Budget } from '../platform/memory/budget.ts';

export interface AcceptTools extends Pick<Facts, 'mailHost' | 'mailTransport' | 'dmarcReject'> {
  db: Db;
  checkSender: CheckSender;
  /** Null: nothing but DMARC decides what is spam. */
  spam: SpamTools | null;
  /** Parsing and storing a message takes a few times its size in memory, so large messages wait for each other. */
  withinBudget: Budget;
}

/** The SMTP transaction of a received message. */
export interface ReceivedTransaction {
  /** The ID of the transaction, which appears in the sender's log and in ours. */
  id: string;
  ip: string;
  helo: string;
  /** The transmission type, as in RFC 3848. */
  protocol: string;
  /** The address without angle brackets; empty for the null sender of a report. */
  mailFrom: string;
  destinations: Destination[];
  /** Domains whose report addresses the message was sent to. */
  reportedDomains: ReportedDomain[];
}

export type InboundFolder = 'inbox' | 'spam' | 'reports';

/** Loop detection (RFC 5321 section 6.3): a message with more Received fields is in a loop. */
const MAX_HOPS = 50;
const MAX_SENDER_LENGTH = 320;

/** Returns the folder that the message was stored in. */
export async function acceptMail(
  tools: AcceptTools,
  transaction: ReceivedTransaction,
  received: Buffer,
): Promise<InboundFolder> {
  const { checkSender, withinBudget, mailHost: mta } = tools;
  const { raw, section } = readReceived(received, mta);
  const { ip, helo } = transaction;
  const mailFrom = toOneLine(transaction.mailFrom).slice(0, MAX_SENDER_LENGTH);
  const checking = checkSender(raw, section, { ip, helo, mailFrom, mta });
  const cleaned = { ...transaction, mailFrom };
  if (transaction.reportedDomains.length > 0 && transaction.destinations.length === 0) {
    const check = await checking;
    await withinBudget(raw.length, () => acceptReport(tools, cleaned, { raw, section }, check));
    return 'reports';
  }
  const folder = await acceptForMailboxes(tools, cleaned, { raw, section }, checking);
  // The message is stored already, so it cannot be rejected because it is no report.
  if (transaction.reportedDomains.length > 0)
    await acceptReport(tools, cleaned, { raw, section }, await checking).catch(ignoreReply);
  return folder;
}

interface ReceivedMail {
  raw: Buffer;
  section: ReceivedHeaders;
}

function ignoreReply(error: unknown): void {
  if (!isReply(error)) throw error;
}

/** Reports of servers about our mail. What cannot be read is rejected with the reason. */
async function acceptReport(
  tools: AcceptTools,
  { reportedDomains }: ReceivedTransaction,
  mail: ReceivedMail,
  check: SenderCheck,
): Promise<void> {
  const sender = { domain: check.authorDomain, isVerified: check.dmarc === 'pass' };
  try {
    await receiveReport(tools.db, tools, reportedDomains, sender, mail);
  } catch (error) {
    throw error instanceof ReportProblem ? reply('554 5.6.0', error.message) : error;
  }
}

async function acceptForMailboxes(
  tools: AcceptTools,
  transaction: ReceivedTransaction,
  { raw, section }: ReceivedMail,
  checking: Promise<SenderCheck>,
): Promise<'inbox' | 'spam'> {
  const judge = tools.spam && startSpamCheck(tools.spam, { ...transaction, mta: tools.mailHost, raw });
  if (raw.length <= LARGE_BYTES) {
    const [parsed, check] = await Promise.all([parseMessage(raw, section), checking]);
    return store(tools, transaction, { raw, parsed, check, judge });
  }
  // Wait for DNS before taking the budget, so that a slow DNS server does not block other messages.
  const check = await checking;
  return tools.withinBudget(raw.length, async () =>
    store(tools, transaction, { raw, parsed: await parseMessage(raw, section), check, judge }),
  );
}

interface CheckedMail {
  raw: Buffer;
  parsed: ParsedMessage;
  check: SenderCheck;
  judge: ReturnType<typeof startSpamCheck> | null;
}

async function store(
  { db, mailHost: mta, dmarcReject }: AcceptTools,
  transaction: ReceivedTransaction,
  { raw, parsed, check, judge }: CheckedMail,
): Promise<'inbox' | 'spam'> {
  const { destinations, mailFrom } = transaction;
  if (parsed.receivedCount > MAX_HOPS) throw reply('554 5.4.6', 'Mail loop detected');
  const isUnwanted = check.dmarcPolicy !== null && check.dmarcPolicy !== 'none' && check.dmarc === 'fail';
  if (isUnwanted && check.dmarcPolicy === 'reject' && dmarcReject === 'refuse')
    throw reply('550 5.7.26', 'Rejected by the DMARC policy of the From domain');
  const { spf, dkim, dmarc, arc } = check;
  const judgeSpam = judge?.({ parsed, check, isUnwanted });
  let isSpam = isUnwanted;
  const isStored = await receiveMessage(db, {
    destinations,
    ...(judgeSpam
      ? {
          async judgeSpam(reader: Db, mailboxes: readonly Destination[]) {
            const verdicts = await judgeSpam(reader, mailboxes);
            isSpam ||= verdicts.size > 0 && [...verdicts.values()].every((verdict) => verdict.isSpam);
            return verdicts;
          },
        }
      : {}),
    raw,
    trace: writeTraceFields(transaction, mta, check),
    parsed,
    mailFrom,
    authentication: { spf, dkim, dmarc, arc },
    isSpam: isUnwanted,
    signedFields: check.signedFields,
  });
  if (!isStored) throw reply('550 5.1.1', 'This address no longer exists');
  return isSpam ? 'spam' : 'inbox';
}

/** Returns the trace fields of RFC 5321 section 4.4 and RFC 8601. */
function writeTraceFields(transaction: ReceivedTransaction, mta: string, check: SenderCheck): string {
  const helo = toOneLine(transaction.helo || 'unknown')
    .replaceAll(/[()<>;]/g, '')
    .slice(0, 255);
  return [
    `Return-Path: <${transaction.mailFrom}>`,
    `Received: from ${helo} ([${transaction.ip}])`,
    `\tby ${mta} with ${transaction.protocol} id ${transaction.id};`,
    `\t${formatDate(new Date())}`,
    `Authentication-Results: ${toOneLine(check.authenticationResults)}`,
    '',
  ].join('\r\n');
}

/**
 * Parses the headers of a received message; later steps use the result. An irregular message is rewritten, so that email
 * apps find the same author and body in it as we do. Removes Authentication-Results fields that claim to be ours (RFC
 * 8601 section 5).
 */
function readReceived(received: Buffer, mta: string): { raw: Buffer; section: ReceivedHeaders } {
  const { raw, section } = readRegular(withoutMailboxLine(received));
  const forged = section.headers.filter(
    ({ name, value }) =>
      name.toLowerCase() === 'authentication-results' && value.toLowerCase().startsWith(mta.toLowerCase()),
  );
  return removeHeaders(raw, section, new Set(forged));
}

function readRegular(received: Buffer): { raw: Buffer; section: ReceivedHeaders } {
  const section = readAnyHeaders(received);
  if (section.isRegular) return { raw: received, section };
  const raw = toRegularMessage(received, section);
  return { raw, section: readAnyHeaders(raw) };
}

/** A whole message for mailboxes: read, held against what its sender publishes, and stored. */
import type { Destination } from '../features/mailboxes/find-mailbox.ts';
import { receiveMessage } from '../features/threads/receive.ts';
import type { CheckSender, SenderCheck } from '../mail/check-sender.ts';
import { formatDate, toOneLine } from '../mail/header-encoding.ts';
import { LARGE_BYTES, parseMessage, type ParsedMessage } from '../mail/parse-message.ts';
import { withoutMailboxLine } from '../mail/prepare-raw.ts';
import { readHeaders } from '../mail/raw-headers.ts';
import type { Db } from '../platform/database.ts';
import type { Facts } from '../platform/facts.ts';
import { reply } from './error-reply.ts';
import { createRoom } from '../platform/room.ts';

export interface AcceptTools extends Pick<Facts, 'mailHost' | 'dmarcReject'> {
  db: Db;
  checkSender: CheckSender;
}

/** What is known of a message besides its bytes. */
export interface Handover {
  /** Our name for this delivery, for their log and ours. */
  id: string;
  ip: string;
  helo: string;
  /** As RFC 3848 names it. */
  protocol: string;
  /** Without angle brackets; empty for a report. */
  mailFrom: string;
  destinations: Destination[];
}

/** RFC 5321 section 6.3: who has come by so many servers goes round in circles. */
const MAX_HOPS = 50;
const MAX_SENDER_LENGTH = 320;
/** Read and stored, a message takes a few times its size: large ones wait for each other. */
const inRoom = createRoom(32 * 1024 * 1024);

export async function acceptMail(tools: AcceptTools, handover: Handover, received: Buffer): Promise<void> {
  const { checkSender, mailHost: mta } = tools;
  const raw = withoutForgedResults(withoutMailboxLine(received), mta);
  const { ip, helo } = handover;
  const mailFrom = toOneLine(handover.mailFrom).slice(0, MAX_SENDER_LENGTH);
  const checking = checkSender(raw, { ip, helo, mailFrom, mta });
  const way = { ...handover, mailFrom };
  if (raw.length <= LARGE_BYTES) {
    const [parsed, check] = await Promise.all([parseMessage(raw), checking]);
    return store(tools, way, raw, parsed, check);
  }
  // Nobody waits for what a stranger's DNS takes.
  const check = await checking;
  await inRoom(raw.length, async () => store(tools, way, raw, await parseMessage(raw), check));
}

async function store(
  { db, mailHost: mta, dmarcReject }: AcceptTools,
  handover: Handover,
  raw: Buffer,
  parsed: ParsedMessage,
  check: SenderCheck,
): Promise<void> {
  const { destinations, mailFrom } = handover;
  if (parsed.receivedCount > MAX_HOPS) throw reply('554 5.4.6', 'This message goes round in circles');
  const isUnwanted = check.dmarcPolicy !== null && check.dmarcPolicy !== 'none' && isUnproven(check.dmarc);
  if (isUnwanted && check.dmarcPolicy === 'reject' && dmarcReject === 'refuse')
    throw reply('550 5.7.26', 'The domain of From asks to refuse what it did not send (DMARC)');
  const { spf, dkim, dmarc, arc } = check;
  const isStored = await receiveMessage(db, {
    destinations,
    raw,
    trace: describeWay(handover, mta, check),
    parsed,
    mailFrom,
    authentication: { spf, dkim, dmarc, arc },
    isSpam: isUnwanted,
  });
  if (!isStored) throw reply('550 5.1.1', 'There is no such address here any more');
}

/** Nor does anybody answer for a message with several authors, or with none that a checker can read. */
function isUnproven(dmarc: SenderCheck['dmarc']): boolean {
  return dmarc === 'fail' || dmarc === 'permerror';
}

/** RFC 5321 section 4.4, RFC 8601. */
function describeWay(handover: Handover, mta: string, check: SenderCheck): string {
  const helo = toOneLine(handover.helo || 'unknown')
    .replaceAll(/[()<>;]/g, '')
    .slice(0, 255);
  return [
    `Return-Path: <${handover.mailFrom}>`,
    `Received: from ${helo} ([${handover.ip}])`,
    `\tby ${mta} with ${handover.protocol} id ${handover.id};`,
    `\t${formatDate(new Date())}`,
    `Authentication-Results: ${toOneLine(check.authenticationResults)}`,
    '',
  ].join('\r\n');
}

/** What says it found out about the sender in our name, and is not from us (RFC 8601 section 5). */
function withoutForgedResults(raw: Buffer, mta: string): Buffer {
  const forged = (readHeaders(raw)?.headers ?? []).filter(
    ({ name, value }) =>
      name.toLowerCase() === 'authentication-results' && value.toLowerCase().startsWith(mta.toLowerCase()),
  );
  let start = 0;
  const parts: Buffer[] = [];
  for (const header of forged) {
    parts.push(raw.subarray(start, header.start));
    start = header.end;
  }
  return forged.length === 0 ? raw : Buffer.concat([...parts, raw.subarray(start)]);
}

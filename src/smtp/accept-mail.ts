/** A whole message for mailboxes: read, held against what its sender publishes, and stored. */
import type { SMTPServerSession } from 'smtp-server';
import type { Destination } from '../features/mailboxes/find-mailbox.ts';
import { receiveMessage } from '../features/threads/receive.ts';
import { checkSender, type SenderCheck } from '../mail/check-sender.ts';
import { formatDate, toOneLine } from '../mail/header-encoding.ts';
import { parseMessage } from '../mail/parse-message.ts';
import { readHeaders } from '../mail/raw-headers.ts';
import { reply } from './error-reply.ts';
import type { InboundTools } from './inbound.ts';

/** RFC 5321 section 6.3: who has come by so many servers goes round in circles. */
const MAX_HOPS = 50;

/** Returns our name for this delivery, for their log and ours. */
export async function acceptMail(
  { db, dns, facts }: InboundTools,
  session: SMTPServerSession,
  destinations: Destination[],
  received: Buffer,
): Promise<string> {
  const mta = facts.mailHost;
  const raw = withoutForgedResults(received, mta);
  const mailFrom = toOneLine(session.envelope.mailFrom ? session.envelope.mailFrom.address : '').slice(
    0,
    320,
  );
  const ip = session.remoteAddress;
  const helo = session.hostNameAppearsAs || '';
  const [parsed, check] = await Promise.all([
    parseMessage(raw),
    checkSender(raw, { ip, helo, mailFrom, mta }, dns),
  ]);
  if (parsed.receivedCount > MAX_HOPS) throw reply('554 5.4.6', 'This message goes round in circles');
  const isUnwanted = check.dmarc === 'fail' && check.dmarcPolicy !== null && check.dmarcPolicy !== 'none';
  if (isUnwanted && check.dmarcPolicy === 'reject' && facts.dmarcReject === 'refuse')
    throw reply('550 5.7.26', 'The domain of From asks to refuse what it did not send (DMARC)');
  const { spf, dkim, dmarc, arc } = check;
  const isStored = await receiveMessage(db, {
    destinations,
    raw,
    trace: describeWay(session, mta, mailFrom, check),
    parsed,
    mailFrom,
    authentication: { spf, dkim, dmarc, arc },
    isSpam: isUnwanted,
  });
  if (!isStored) throw reply('550 5.1.1', 'There is no such address here any more');
  facts.hintMail();
  return session.id;
}

/** RFC 5321 section 4.4, RFC 8601. */
function describeWay(session: SMTPServerSession, mta: string, mailFrom: string, check: SenderCheck): string {
  const helo = toOneLine(session.hostNameAppearsAs || 'unknown')
    .replaceAll(/[()<>;]/g, '')
    .slice(0, 255);
  return [
    `Return-Path: <${mailFrom}>`,
    `Received: from ${helo} ([${session.remoteAddress}])`,
    `\tby ${mta} with ${session.transmissionType} id ${session.id};`,
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

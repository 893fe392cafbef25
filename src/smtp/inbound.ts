/**
 * The port that other servers deliver to. It knows the mailboxes of the instance, return paths, each signed by us for
 * one recipient of one email, and the addresses that unsubscribe one; everybody else is unknown at RCPT. What comes to
 * a return path is never refused for what it says: a bounce that bounces would go round for ever. Mail is accepted only
 * once it is stored.
 */
import type { SMTPServerAddress, SMTPServerDataStream, SMTPServerSession } from 'smtp-server';
import { recordReport } from '../features/deliveries/reports.ts';
import { createReturnPaths, type SentTo } from '../features/deliveries/return-paths.ts';
import {
  findDestination,
  findPostmaster,
  isPostmaster,
  type Destination,
} from '../features/mailboxes/find-mailbox.ts';
import { findUnsubscribeAddress, unsubscribe } from '../features/subscriptions/unsubscribe.ts';
import type { UnsubscribeLink } from '../features/tracking/links.ts';
import { createMemory } from '../mail/remember.ts';
import type { Db } from '../platform/database.ts';
import type { Facts } from '../platform/facts.ts';
import { encodeId } from '../platform/ids.ts';
import { closingReply, reply } from './error-reply.ts';
import { createIntake } from './intake.ts';
import type { Receiver } from './receiver.ts';
import { answer, openSmtpServer, type Endpoint, type SmtpServer } from './server.ts';
import { createSenderLimits, TOO_MANY_CONNECTIONS } from './sender-limits.ts';

/** A report stands before the message that it returns: of a large one the beginning is enough. */
const REPORT_BYTES = 1024 * 1024;
const MAX_REPORT_BYTES = 64 * REPORT_BYTES;
const SIZE_BYTES = 50 * 1024 * 1024;
/** All that is being read, checked and stored at one time. A large message takes a few times its size. */
const MAX_HELD_BYTES = 3 * SIZE_BYTES;
/** RFC 5321 section 4.5.3.1.8. */
const MAX_RECIPIENTS = 100;

export interface InboundTools {
  db: Db;
  facts: Facts;
  receiver: Receiver;
}

type Known =
  | { kind: 'report'; sentTo: SentTo }
  | { kind: 'leaving'; leaving: UnsubscribeLink }
  | { kind: 'mailbox'; destination: Destination };

export function openInbound(endpoint: Endpoint, tools: InboundTools): Promise<SmtpServer> {
  const { db, facts, receiver } = tools;
  const { log } = endpoint;
  const returnPaths = createReturnPaths(facts.secret);
  const reports = createIntake({ messageBytes: REPORT_BYTES, totalBytes: MAX_REPORT_BYTES });
  const mail = createIntake({ messageBytes: SIZE_BYTES, totalBytes: MAX_HELD_BYTES });
  const limits = createSenderLimits(facts.inboundLimits);
  // A mailbox that is gone by then is missed when the message is stored.
  const rememberDestination = createMemory<Destination | null>();
  const known = new WeakMap<SMTPServerAddress, Known>();

  async function find(recipient: SMTPServerAddress, session: SMTPServerSession): Promise<void> {
    const { address } = recipient;
    const leaving = await findUnsubscribeAddress(db, facts.secret, address);
    if (leaving) return void known.set(recipient, { kind: 'leaving', leaving });
    const sentTo = await returnPaths.find(db, address);
    if (sentTo) return void known.set(recipient, { kind: 'report', sentTo });
    const destination = await rememberDestination(
      address,
      async () =>
        (await findDestination(db, address)) ??
        (isPostmaster(address, facts.mailHost) ? findPostmaster(db, null) : null),
    );
    if (!destination) {
      // Who tries out addresses gets no further than who sends mail.
      if (!limits.allowMessage(session.remoteAddress)) throw tooManyMessages();
      throw reply('550 5.1.1', 'There is no such address here');
    }
    if (!limits.allowMessage(session.remoteAddress, destination.mailboxId))
      throw reply('450 4.2.1', 'This address gets too much mail right now. Try again in a minute');
    known.set(recipient, { kind: 'mailbox', destination });
  }

  async function take(stream: SMTPServerDataStream, session: SMTPServerSession): Promise<string> {
    const recipients = session.envelope.rcptTo.flatMap((recipient) => known.get(recipient) ?? []);
    const destinations = recipients.flatMap((each) => (each.kind === 'mailbox' ? [each.destination] : []));
    if (destinations.length === 0) return record(recipients, await reports.readStart(stream));
    const { id, remoteAddress, hostNameAppearsAs, transmissionType, envelope } = session;
    return mail.holdWhole(stream, async (raw) => {
      const isAllMail = destinations.length === recipients.length;
      const start = isAllMail ? Buffer.alloc(0) : Buffer.from(raw.subarray(0, REPORT_BYTES));
      await receiver.accept(raw, {
        id,
        ip: remoteAddress,
        helo: hostNameAppearsAs || '',
        protocol: transmissionType,
        mailFrom: envelope.mailFrom ? envelope.mailFrom.address : '',
        destinations,
      });
      facts.hintMail();
      await record(recipients, start);
      return `Stored as ${id}`;
    });
  }

  async function record(recipients: Known[], raw: Buffer): Promise<string> {
    for (const each of recipients) {
      if (each.kind === 'report' && !(await recordReport(db, each.sentTo, raw)))
        log.info({ emailId: encodeId('eml', each.sentTo.emailId) }, 'smtp: too many reports, one dropped');
      if (each.kind === 'leaving') await unsubscribe(db, each.leaving, 'link');
    }
    return 'Thank you';
  }

  return openSmtpServer(endpoint, {
    size: SIZE_BYTES,
    disabledCommands: ['AUTH'],
    // Telephones of Japan have two dots in a row, printers an underscore: who they are decides the check of the sender.
    lenientAddressParsing: true,
    authOptional: true,
    maxRecipients: MAX_RECIPIENTS,
    onConnect(session, callback) {
      callback(limits.connect(session) ? null : closingReply(TOO_MANY_CONNECTIONS));
    },
    onClose: (session) => limits.disconnect(session),
    onMailFrom(_address, session, callback) {
      callback(limits.allowMessage(session.remoteAddress) ? null : tooManyMessages());
    },
    onRcptTo: (address, session, callback) =>
      void answer(log, find(address, session), (error) => callback(error)),
    onData: (stream, session, callback) => void answer(log, take(stream, session), callback),
  });
}

function tooManyMessages(): Error {
  return reply('450 4.7.1', 'Too many messages from your address. Try again in a minute');
}

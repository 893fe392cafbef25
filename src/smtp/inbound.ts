/**
 * The port for mail from other servers. Valid recipients are the mailboxes of the instance, signed return paths (one
 * per recipient of an email), addresses that unsubscribe a contact, addresses for reports about a domain, and role
 * addresses such as postmaster. All others
 * are rejected at RCPT. Mail to a return path is never rejected because of its content, to avoid bounces of bounces.
 * Mail is accepted only after it is stored.
 */
import type { SMTPServerAddress, SMTPServerDataStream, SMTPServerSession } from 'smtp-server';
import { findReportAddress, type ReportedDomain } from '../features/deliverability/reports/report-address.ts';
import { recordQuotedReport, recordReport } from '../features/delivery/reports/reports.ts';
import {
  createReturnPaths,
  type ReturnPaths,
  type SentTo,
} from '../features/delivery/reports/return-paths.ts';
import {
  findDestination,
  findPostmaster,
  isRoleAddress,
  type Destination,
} from '../features/mailboxes/mailboxes/find-mailbox.ts';
import { findBlock, readArrival } from '../features/mailboxes/rules/arrival.ts';
import { findUnsubscribeAddress, unsubscribe } from '../features/audience/subscriptions/unsubscribe.ts';
import type { UnsubscribeLink } from '../features/content/links/links.ts';
import { networkOf } from '../platform/network/client-network.ts';
import { createMemoizer } from '../platform/concurrency/memoize.ts';
import type { Db } from '../platform/database/database.ts';
import type { Facts } from '../features/instance/facts.ts';
import type { Log } from '../platform/log.ts';
import type { DiskSpace } from '../platform/disk-space.ts';
import type { MemoryBudget } from '../platform/memory/memory-budget.ts';
import { encodeId } from '../platform/ids.ts';
import type { ReceivedTransaction } from './accept-mail.ts';
import { closingReply, reply, requireDiskSpace } from './protocol/error-reply.ts';
import { createDataReader, declaredSize } from './data-reader.ts';
import { rememberPatientNetwork } from './protocol/greeting.ts';
import type { Receiver } from './receiver.ts';
import { answer, mailParametersOf, openSmtpServer, type Endpoint, type SmtpServer } from './server.ts';
import type { SmtpMetrics } from './smtp-metrics.ts';
import { createSenderLimits, TOO_MANY_CONNECTIONS, type SenderLimits } from './sender-limits.ts';

/** A report precedes the returned message, so the beginning of the data is enough. */
const REPORT_BYTES = 1024 * 1024;

export interface InboundTools {
  db: Db;
  facts: Facts;
  receiver: Receiver;
  metrics: Pick<SmtpMetrics, 'countInbound'>;
  memory: MemoryBudget;
  disk: DiskSpace;
}

type Recipient =
  | { kind: 'report'; sentTo: SentTo }
  | { kind: 'unsubscribe'; link: UnsubscribeLink }
  | { kind: 'domain-report'; domain: ReportedDomain }
  | { kind: 'mailbox'; destination: Destination };

export function openInbound(endpoint: Endpoint, tools: InboundTools): Promise<SmtpServer> {
  const { db, facts, receiver, metrics, memory, disk } = tools;
  const { inboundMessageBytes, smtpRecipients } = facts.mailLimits;
  const { log } = endpoint;
  const returnPaths = createReturnPaths(facts.secret);
  const reports = createDataReader(REPORT_BYTES, memory.unauthenticated);
  const mail = createDataReader(inboundMessageBytes, memory.unauthenticated);
  const limits = createSenderLimits(facts.inboundLimits);
  const findRecipient = createRecipientFinder(tools, returnPaths, limits);
  const recipientAt = new WeakMap<SMTPServerAddress, Recipient>();

  async function checkRecipient(given: SMTPServerAddress, session: SMTPServerSession): Promise<void> {
    const recipient = await findRecipient(given.address, session.remoteAddress);
    if (recipient.kind === 'mailbox') {
      const room = await facts.storage.look(recipient.destination.teamId);
      if (!room.fits(declaredSize(session) ?? 0))
        throw reply('452 4.2.2', 'This mailbox is full. Try again later');
      const sender = session.envelope.mailFrom ? session.envelope.mailFrom.address : null;
      if (findBlock(await readArrival(db, recipient.destination), sender) === 'reject')
        throw reply('550 5.7.1', 'The recipient does not accept mail from you');
    }
    recipientAt.set(given, recipient);
  }

  async function acceptData(stream: SMTPServerDataStream, session: SMTPServerSession): Promise<string> {
    const recipients = session.envelope.rcptTo.flatMap((given) => recipientAt.get(given) ?? []);
    const destinations = recipients.flatMap((each) => (each.kind === 'mailbox' ? [each.destination] : []));
    const reportedDomains = recipients.flatMap((each) =>
      each.kind === 'domain-report' ? [each.domain] : [],
    );
    const client = networkOf(session.remoteAddress);
    if (destinations.length === 0 && reportedDomains.length === 0) {
      await recordOthers({ db, log }, recipients, await reports.readStart(stream, client));
      metrics.countInbound('reports');
      return 'Report accepted';
    }
    return mail.holdWhole(stream, { client, declaredBytes: declaredSize(session) }, async (raw) => {
      const isForRole =
        reportedDomains.length === 0 &&
        session.envelope.rcptTo.every(({ address }) => isRoleAddress(address));
      if (isForRole && (await recordQuotedReport(db, returnPaths, raw.subarray(0, REPORT_BYTES)))) {
        metrics.countInbound('reports');
        return 'Report accepted';
      }
      const isAllMail = destinations.length + reportedDomains.length === recipients.length;
      const start = isAllMail ? Buffer.alloc(0) : Buffer.from(raw.subarray(0, REPORT_BYTES));
      const bytes = raw.length;
      const folder = await receiver.accept(raw, toTransaction(session, { destinations, reportedDomains }));
      for (const teamId of new Set(destinations.map((each) => each.teamId)))
        (await facts.storage.look(teamId)).add(bytes);
      metrics.countInbound(folder);
      facts.hintMail();
      await recordOthers({ db, log }, recipients, start);
      return `Stored as ${session.id}`;
    });
  }

  return openSmtpServer(endpoint, {
    size: inboundMessageBytes,
    disabledCommands: ['AUTH'],
    // Some Japanese mobile addresses have consecutive dots, and printers send host names with underscores. The sender
    // checks decide whether such mail is accepted.
    lenientAddressParsing: true,
    authOptional: true,
    maxRecipients: smtpRecipients,
    onConnect(session, callback) {
      callback(limits.connect(session) ? null : closingReply(TOO_MANY_CONNECTIONS));
    },
    onClose: (session) => limits.disconnect(session),
    onMailFrom(_address, session, callback) {
      rememberPatientNetwork(session.remoteAddress);
      if (!limits.allowMessage(session.remoteAddress)) return callback(tooManyMessages());
      void answer(log, requireDiskSpace(disk), (error) => callback(error));
    },
    onRcptTo: (address, session, callback) =>
      void answer(log, checkRecipient(address, session), (error) => callback(error)),
    onData: (stream, session, callback) => void answer(log, acceptData(stream, session), callback),
  });
}

/** The returned function throws the reply for an address that takes no mail. */
function createRecipientFinder(
  { db, facts }: InboundTools,
  returnPaths: ReturnPaths,
  limits: SenderLimits,
): (address: string, ip: string) => Promise<Recipient> {
  // If the mailbox is deleted meanwhile, storing the message fails.
  const memoizeDestination = createMemoizer<Destination | null>();
  return async (address, ip) => {
    const link = await findUnsubscribeAddress(db, facts.secret, address);
    if (link) return { kind: 'unsubscribe', link };
    const sentTo = await returnPaths.find(db, address);
    if (sentTo) return { kind: 'report', sentTo };
    const domain = await findReportAddress(db, address, facts.reportHost);
    if (domain) {
      if (!limits.allowMessage(ip, `reports ${domain.domainId}`)) throw tooManyMessages();
      return { kind: 'domain-report', domain };
    }
    const destination = await memoizeDestination(address, () => findAny(db, address, facts.mailHost));
    if (!destination) {
      // Probing for addresses counts against the same limit as sending mail.
      if (!limits.allowMessage(ip)) throw tooManyMessages();
      throw reply('550 5.1.1', 'No such address');
    }
    if (!limits.allowMessage(ip, countedAs(destination)))
      throw reply('450 4.2.1', 'This address is receiving too many messages. Try again in a minute');
    return { kind: 'mailbox', destination };
  };
}

/** Finds the mailbox for an address of a team, or for a role address of this server. */
async function findAny(db: Db, address: string, mailHost: string): Promise<Destination | null> {
  const found = await findDestination(db, address);
  return found ?? (isRoleAddress(address, mailHost) ? findPostmaster(db, null) : null);
}

function toTransaction(
  session: SMTPServerSession,
  recipients: Pick<ReceivedTransaction, 'destinations' | 'reportedDomains'>,
): ReceivedTransaction {
  const { id, remoteAddress, hostNameAppearsAs, transmissionType, envelope } = session;
  return {
    id,
    ip: remoteAddress,
    helo: hostNameAppearsAs || '',
    // RFC 6531 section 3.7.3.
    protocol: mailParametersOf(session).smtpUtf8
      ? transmissionType.replace(/^ESMTP/, 'UTF8SMTP')
      : transmissionType,
    mailFrom: envelope.mailFrom ? envelope.mailFrom.address : '',
    ...recipients,
  };
}

/** Records reports and unsubscribes. Mailboxes have their mail already. */
async function recordOthers(
  { db, log }: { db: Db; log: Log },
  recipients: Recipient[],
  raw: Buffer,
): Promise<void> {
  for (const each of recipients) {
    if (each.kind === 'report' && !(await recordReport(db, each.sentTo, raw)))
      log.info({ emailId: encodeId('eml', each.sentTo.emailId) }, 'smtp: too many reports, one dropped');
    if (each.kind === 'unsubscribe') await unsubscribe(db, each.link, 'link');
  }
}

/** A mailbox that does not exist yet gets a new ID at every lookup. */
function countedAs({ isMissing, addressKey, mailboxId }: Destination): string {
  return isMissing ? addressKey : mailboxId;
}

function tooManyMessages(): Error {
  return reply('450 4.7.1', 'Too many messages from your IP address. Try again in a minute');
}

/**
 * The submission port (RFC 6409). Applications submit complete messages with an API key as the password, and email
 * apps with the address of a mailbox and an app password. The envelope names the recipients, and the From field
 * decides whether the message may be sent: a key sends for its domains, an app password only as its mailbox. The reply
 * is 250 only after the message is stored.
 */
import type { SMTPServerOptions, SMTPServerSession } from 'smtp-server';
import type { ApiKeyCache } from '../features/identity/api-keys/api-key-cache.ts';
import type { AppPasswordCache } from '../features/identity/app-passwords/app-password-cache.ts';
import { sendRaw } from '../features/mailboxes/writing/send-raw.ts';
import { idOf, submitForOutcome } from '../features/sending/emails/submit.ts';
import { parseAddress } from '../mail/mime/address.ts';
import type { Db } from '../platform/database/database.ts';
import type { Facts } from '../features/instance/facts.ts';
import type { DiskSpace } from '../platform/disk-space.ts';
import type { MemoryBudget } from '../platform/memory/memory-budget.ts';
import { closingReply, reply, requireDiskSpace } from './protocol/error-reply.ts';
import { createDataReader, declaredSize } from './data-reader.ts';
import { createSenderLimits, TOO_MANY_CONNECTIONS } from './sender-limits.ts';
import { createSubmissionLogin, type SubmissionSender } from './submission-login.ts';
import { readEnvelope } from './submitted-envelope.ts';
import { answer, openSmtpServer, type Endpoint, type SmtpServer } from './server.ts';

export interface SubmissionTools {
  db: Db;
  apiKeys: ApiKeyCache;
  appPasswords: AppPasswordCache;
  facts: Facts;
  memory: MemoryBudget;
  disk: DiskSpace;
}

/** All ports that the returned function opens share their limits and memory budget. */
export function createSubmission(
  endpoint: Omit<Endpoint, 'port' | 'setting'>,
  tools: SubmissionTools,
): (options: { port: number; setting: string; isTls: boolean }) => Promise<SmtpServer> {
  const { db, apiKeys, appPasswords, facts, memory, disk } = tools;
  const { messageBytes, smtpRecipients } = facts.mailLimits;
  const { log } = endpoint;
  const dataReader = createDataReader(messageBytes, memory.authenticated);
  /** The team that began the current message. */
  const teamOf = new WeakMap<SMTPServerSession, number>();
  const login = createSubmissionLogin({ apiKeys, appPasswords }, log);
  // Authenticated clients may have any number of connections.
  const unauthenticated = createSenderLimits(facts.inboundLimits);

  async function identify(session: SMTPServerSession): Promise<SubmissionSender> {
    const sender = await login.identify(session);
    teamOf.set(session, sender.teamId);
    return sender;
  }

  async function accept(raw: Buffer, session: SMTPServerSession): Promise<string> {
    const sender = await identify(session);
    const recipients = session.envelope.rcptTo.map(({ address }) => parseAddress(address)!);
    const content = { kind: 'raw' as const, raw, recipients, ...readEnvelope(session) };
    const submitMessage = () =>
      sender.kind === 'key'
        ? submitForOutcome(db, { source: 'smtp', caller: sender.caller, content })
        : sendRaw(db, sender.mailbox, content);
    (await facts.storage.look(sender.teamId)).require(raw.length);
    const send = () => memory.work(sender.teamId, raw.length, submitMessage);
    const outcome = await (facts.tracer?.trace({ name: 'smtp.submission', kind: 'server' }, send) ?? send());
    facts.wakeDeliveryWorkers();
    if (sender.kind === 'mailbox') facts.hintMail();
    const emailId = idOf(outcome);
    return outcome.status === 'held'
      ? `Held as ${emailId} until a person approves it (${outcome.approvalId})`
      : `Queued as ${emailId}`;
  }

  const options: SMTPServerOptions = {
    size: messageBytes,
    rejectOversized: true,
    authMethods: ['PLAIN', 'LOGIN'],
    allowInsecureAuth: true,
    authRequiredMessage: 'Authentication required. Use an API key or an app password',
    maxRecipients: smtpRecipients,
    onConnect(session, callback) {
      callback(unauthenticated.connect(session) ? null : closingReply(TOO_MANY_CONNECTIONS));
    },
    onClose: (session) => unauthenticated.disconnect(session),
    onAuth(auth, session, callback) {
      const authenticated = login.authenticate(auth, session).then((user) => {
        unauthenticated.disconnect(session);
        return user;
      });
      void answer(log, authenticated, callback);
    },
    onMailFrom: (_address, session, callback) =>
      void answer(log, Promise.all([identify(session), requireDiskSpace(disk)]), (error) => callback(error)),
    onRcptTo({ address }, _session, callback) {
      callback(parseAddress(address) ? null : reply('553 5.1.3', 'Invalid recipient address'));
    },
    onData(stream, session, callback) {
      const sender = { client: String(teamOf.get(session)), declaredBytes: declaredSize(session) };
      const accepted = dataReader.holdWhole(stream, sender, (raw) => accept(raw, session));
      void answer(log, accepted, callback);
    },
  };
  return ({ isTls, ...address }) =>
    openSmtpServer({ ...endpoint, ...address }, { ...options, secure: isTls });
}

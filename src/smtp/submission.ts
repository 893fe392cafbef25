/**
 * The submission port (RFC 6409): programs hand over whole messages, with an API key as the password. The envelope
 * says who gets it, the From field who may send it; 250 is said only once it is stored.
 */
import type { SMTPServerAuthentication, SMTPServerSession } from 'smtp-server';
import type { Keyring } from '../features/api-keys/keyring.ts';
import { MAX_CONTENT_BYTES, MAX_RECIPIENTS } from '../features/emails/emails.schema.ts';
import { submit } from '../features/emails/submit.ts';
import { parseAddress } from '../mail/address.ts';
import type { Db } from '../platform/database.ts';
import type { Facts } from '../platform/facts.ts';
import { isNearby } from '../platform/near-address.ts';
import type { Caller } from '../platform/route.ts';
import { closingReply, reply } from './error-reply.ts';
import { createIntake } from './intake.ts';
import { createSenderLimits, TOO_MANY_CONNECTIONS } from './sender-limits.ts';
import { answer, openSmtpServer, type Endpoint, type SmtpServer } from './server.ts';

export interface SubmissionTools {
  db: Db;
  keyring: Keyring;
  facts: Facts;
}

const MAX_HELD_BYTES = 8 * MAX_CONTENT_BYTES;
const MAX_WRONG_KEYS = 3;

export function openSubmission(endpoint: Endpoint, tools: SubmissionTools): Promise<SmtpServer> {
  const { db, keyring, facts } = tools;
  const { log } = endpoint;
  const intake = createIntake({ messageBytes: MAX_CONTENT_BYTES, totalBytes: MAX_HELD_BYTES });
  const wrongKeys = new WeakMap<SMTPServerSession, number>();
  // Who has shown a key may have as many connections as he likes.
  const strangers = createSenderLimits(facts.inboundLimits);

  async function authenticate(
    { password }: SMTPServerAuthentication,
    session: SMTPServerSession,
  ): Promise<{ user: string }> {
    const key = password ?? '';
    // A key that goes over a network of others in the clear is a key that others have.
    if (!session.secure && !isNearby(session.remoteAddress))
      throw reply('538 5.7.11', 'Say STARTTLS before you send a key over a network.');
    const caller = await keyring.identify(key).catch((error: unknown) => {
      log.error({ err: error }, 'smtp: keys cannot be looked up');
      throw reply('454 4.7.0', 'The key cannot be checked right now. Try again in a moment.');
    });
    if (caller) {
      strangers.disconnect(session);
      return { user: key };
    }
    const wrong = (wrongKeys.get(session) ?? 0) + 1;
    wrongKeys.set(session, wrong);
    if (wrong >= MAX_WRONG_KEYS) throw closingReply('Too many wrong keys');
    throw wrongKey();
  }

  /** For each message again: a session may outlive its key. */
  async function identify(session: SMTPServerSession): Promise<Caller> {
    const caller = await keyring.identify(session.user as string);
    if (!caller) throw wrongKey();
    return caller;
  }

  async function accept(raw: Buffer, session: SMTPServerSession): Promise<string> {
    const caller = await identify(session);
    const recipients = session.envelope.rcptTo.map(({ address }) => parseAddress(address)!);
    const emailId = await submit(db, { source: 'smtp', caller, content: { kind: 'raw', raw, recipients } });
    facts.wakeCouriers();
    return `Queued as ${emailId}`;
  }

  return openSmtpServer(endpoint, {
    size: MAX_CONTENT_BYTES,
    rejectOversized: true,
    authMethods: ['PLAIN', 'LOGIN'],
    allowInsecureAuth: true,
    authRequiredMessage: 'Log in first, with an API key as the password',
    maxRecipients: MAX_RECIPIENTS,
    onConnect(session, callback) {
      callback(strangers.connect(session) ? null : closingReply(TOO_MANY_CONNECTIONS));
    },
    onClose: (session) => strangers.disconnect(session),
    onAuth: (auth, session, callback) => void answer(log, authenticate(auth, session), callback),
    onMailFrom: (_address, session, callback) =>
      void answer(log, identify(session), (error) => callback(error)),
    onRcptTo({ address }, _session, callback) {
      callback(
        parseAddress(address) ? null : reply('553 5.1.3', 'This is no address that mail can be sent to'),
      );
    },
    onData(stream, session, callback) {
      const accepted = intake.readWhole(stream).then((raw) => accept(raw, session));
      void answer(log, accepted, callback);
    },
  });
}

function wrongKey(): Error {
  return reply('535 5.7.8', 'The password must be an API key that is known and not revoked');
}

/** Writes one line for each rejected connection, login, rejected command, and accepted or rejected message. */
import type { SMTPServerAuthentication, SMTPServerDataStream, SMTPServerSession } from 'smtp-server';
import type { Log } from '../platform/log.ts';
import type { Reply } from './protocol/error-reply.ts';

export type SmtpPort = 'inbound' | 'submission';

export interface HandledCommand {
  /** The name of the handler, e.g. `onData`. */
  handler: string;
  /** The first argument of the handler: the login, the address or the message. */
  subject: unknown;
  session: SMTPServerSession;
  error: Reply | null;
  /** The text of the reply to an accepted message. */
  result: unknown;
}

/** Addresses and names come from the client, so their length is limited. */
const MAX_LENGTH = 320;
const MAX_RECIPIENTS = 10;

export function logCommand(mailLog: Log, port: SmtpPort, command: HandledCommand): void {
  const { handler, subject, session, error } = command;
  const client = { port, ip: session.remoteAddress, reply: describe(error) };
  if (handler === 'onConnect' && error) return mailLog.info(client, 'smtp: connection refused');
  if (handler === 'onAuth') {
    const login = { ...client, user: shorten((subject as SMTPServerAuthentication).username) };
    if (error) return mailLog.warn(login, 'smtp: login failed');
    return mailLog.info(login, 'smtp: login');
  }
  if ((handler === 'onMailFrom' || handler === 'onRcptTo') && error) {
    const { address } = subject as { address: string };
    const refused = { ...client, ...describeSession(session), id: session.id };
    return mailLog.info(
      { ...refused, command: handler.slice(2), address: shorten(address) },
      'mail: refused',
    );
  }
  if (handler !== 'onData') return;
  const message = {
    ...client,
    ...describeSession(session),
    id: session.id,
    bytes: (subject as SMTPServerDataStream).byteLength,
  };
  if (error) mailLog.info(message, 'mail: refused');
  else mailLog.info({ ...message, reply: String(command.result) }, 'mail: accepted');
}

function describeSession({ hostNameAppearsAs, envelope }: SMTPServerSession) {
  const recipients = envelope?.rcptTo ?? [];
  return {
    helo: shorten(hostNameAppearsAs || ''),
    from: envelope?.mailFrom ? shorten(envelope.mailFrom.address) : '',
    to: recipients.slice(0, MAX_RECIPIENTS).map(({ address }) => shorten(address)),
    recipients: recipients.length,
  };
}

function describe(error: Reply | null): string | undefined {
  return error ? `${error.responseCode} ${error.message}` : undefined;
}

function shorten(text: string | undefined): string {
  return (text ?? '').slice(0, MAX_LENGTH);
}

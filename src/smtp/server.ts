/** Opens an SMTP port with the settings that both ports share. Closing it lets messages in transfer finish. */
import type { AddressInfo, Socket } from 'node:net';
import {
  SMTPServer,
  type SMTPServerAddress,
  type SMTPServerOptions,
  type SMTPServerSession,
} from 'smtp-server';
import type { Certificate } from '../platform/certificates/certificate.ts';
import { toAppError } from '../platform/database/database-errors.ts';
import { needsLogging } from '../platform/errors.ts';
import type { Log } from '../platform/log.ts';
import { listenOn, type ListenAddress } from '../platform/network/listen.ts';
import type { UnexpectedErrors } from '../platform/telemetry/unexpected-errors.ts';
import { isReply, toErrorReply, type Reply } from './protocol/error-reply.ts';
import { ClientGone } from './data-reader.ts';
import { logCommand, type HandledCommand, type SmtpPort } from './mail-log.ts';
import type { SmtpMetrics } from './smtp-metrics.ts';
import { replaceGreetingDelay } from './protocol/greeting.ts';
import { givenParameters, replaceParameterReader } from './protocol/address-commands.ts';
import { addChunking } from './protocol/chunking.ts';
import { addKeywords } from './protocol/keywords.ts';
import {
  checkMail,
  checkRcpt,
  type OfferedExtensions,
  type MailParameters,
  type RcptParameters,
} from './protocol/parameters.ts';
import { replaceDataReader } from './protocol/unstuff-data.ts';

export interface SmtpServer {
  port: number;
  /** Accepts no new connections or commands, lets messages in transfer finish for `graceMs`, then closes the rest. */
  close(graceMs: number): Promise<void>;
}

export interface Endpoint extends ListenAddress {
  /** The host name in the greeting. */
  name: string;
  /** Returns the current certificate: the same object until it is renewed. */
  certificate(): Certificate;
  log: Log;
  mailLog: Log;
  /** Which of our ports this is, for the mail log. */
  kind: SmtpPort;
  errors: UnexpectedErrors;
  metrics: Pick<SmtpMetrics, 'countCommand'>;
  /** What EHLO offers. */
  extensions: OfferedExtensions;
}

const MAX_CLIENTS = 200;
const IDLE_MS = 120_000;
const MAX_COMMANDS_BEFORE_AUTH = 20;
const MAX_COMMAND_LENGTH = 4_096;
const SWEEP_MS = 50;

export async function openSmtpServer(endpoint: Endpoint, options: SMTPServerOptions): Promise<SmtpServer> {
  replaceDataReader();
  replaceGreetingDelay();
  replaceParameterReader();
  addChunking();
  let current = endpoint.certificate();
  const server = new SMTPServer({
    ...current,
    name: endpoint.name,
    banner: 'Posthorn',
    minVersion: 'TLSv1.2',
    hideENHANCEDSTATUSCODES: false,
    // A reverse DNS lookup can take seconds, and nothing here depends on it.
    disableReverseLookup: true,
    logger: false,
    maxClients: MAX_CLIENTS,
    socketTimeout: IDLE_MS,
    maxAllowedUnauthenticatedCommands: MAX_COMMANDS_BEFORE_AUTH,
    maxCommandLength: MAX_COMMAND_LENGTH,
    ...guardHandlers(
      checkParameters(options, endpoint.extensions),
      (command) => {
        logCommand(endpoint.mailLog, endpoint.kind, command);
        endpoint.metrics.countCommand(endpoint.kind, command);
      },
      (session, error) => {
        endpoint.errors.report('smtp', error);
        closeConnection(server, session);
      },
    ),
  });
  addKeywords(server, endpoint.extensions);
  // smtp-server emits the errors of connections and of the listening socket here.
  server.on('error', (error: NodeJS.ErrnoException) => {
    if (error.syscall === 'accept')
      endpoint.log.warn({ reason: error.message }, 'smtp: a connection was not accepted');
    else endpoint.log.debug({ err: error }, 'smtp: connection');
  });
  server.server.on('connection', (socket: Socket) => {
    // smtp-server adds its error listener one event loop turn later; a client may reset the connection before that.
    socket.on('error', (error) => endpoint.log.debug({ err: error }, 'smtp: connection'));
    try {
      updateCertificate();
    } catch (error) {
      endpoint.errors.report('smtp', error);
    }
  });
  function updateCertificate(): void {
    const certificate = endpoint.certificate();
    if (certificate === current) return;
    server.updateSecureContext({ ...certificate });
    current = certificate;
  }
  await listenOn('smtp', server.server, endpoint, () => server.listen(endpoint.port, endpoint.host));
  return {
    port: (server.server.address() as AddressInfo).port,
    async close(graceMs) {
      server.options.closeTimeout = graceMs;
      const sweep = setInterval(() => disconnectIdle(server), SWEEP_MS);
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        disconnectIdle(server);
      });
      clearInterval(sweep);
    },
  };
}

/** A connection in the middle of a message has a sender in its envelope until the reply is sent. */
function disconnectIdle(server: SMTPServer): void {
  for (const connection of server.connections) {
    if (!connection.session.envelope?.mailFrom)
      connection.send(421, 'The server is shutting down. Try again in a moment');
  }
}

const mailParameters = new WeakMap<SMTPServerAddress, MailParameters>();
const rcptParameters = new WeakMap<SMTPServerAddress, RcptParameters>();

/** The parameters of the MAIL command of the current message. */
export function mailParametersOf({ envelope }: SMTPServerSession): MailParameters {
  return mailParameters.get(envelope.mailFrom as SMTPServerAddress)!;
}

/** The parameters of the RCPT command of an accepted recipient. */
export function rcptParametersOf(recipient: SMTPServerAddress): RcptParameters {
  return rcptParameters.get(recipient)!;
}

/** Rejects commands with parameters that are not offered or not valid, before the handlers of the port. */
function checkParameters(options: SMTPServerOptions, extensions: OfferedExtensions): SMTPServerOptions {
  const { onMailFrom, onRcptTo } = options;
  return {
    ...options,
    onMailFrom(address, session, callback) {
      const problem = attempt(() => {
        mailParameters.set(address, checkMail(givenParameters(address), extensions, session));
      });
      if (problem || !onMailFrom) return callback(problem);
      onMailFrom(address, session, callback);
    },
    onRcptTo(address, session, callback) {
      const problem = attempt(() => {
        const mail = mailParametersOf(session);
        rcptParameters.set(address, checkRcpt(givenParameters(address), extensions, session, mail));
      });
      if (problem || !onRcptTo) return callback(problem);
      onRcptTo(address, session, callback);
    },
  };
}

/** Returns the reply that the check throws, or null. */
function attempt(check: () => void): Reply | null {
  try {
    check();
    return null;
  } catch (error) {
    if (isReply(error)) return error;
    throw error;
  }
}

const HANDLERS = ['onConnect', 'onSecure', 'onAuth', 'onMailFrom', 'onRcptTo', 'onData', 'onClose'] as const;

/**
 * smtp-server calls handlers from sockets and timers, where a thrown error would end the process. Here the error is
 * reported, the client gets 451 if possible, and its connection is closed.
 */
function guardHandlers(
  options: SMTPServerOptions,
  onHandled: (command: HandledCommand) => void,
  onError: (session: SMTPServerSession, error: unknown) => void,
): SMTPServerOptions {
  const guarded: Record<string, unknown> = { ...options };
  for (const name of HANDLERS) {
    const handler = options[name] as ((...args: unknown[]) => void) | undefined;
    if (!handler) continue;
    guarded[name] = (...args: unknown[]) => {
      // The last two arguments of every handler are the session and the callback.
      const callback = args.pop() as (...answer: unknown[]) => void;
      const session = args.at(-1) as SMTPServerSession;
      const callBack = (...answer: unknown[]) => {
        try {
          const [error = null, result] = answer as [Reply | null | undefined, unknown];
          if (name !== 'onClose') onHandled({ handler: name, subject: args[0], session, error, result });
          callback(...answer);
        } catch (error) {
          onError(session, error);
        }
      };
      try {
        handler(...args, callBack);
      } catch (error) {
        callBack(toErrorReply(error));
        onError(session, error);
      }
    };
  }
  return guarded;
}

function closeConnection(server: SMTPServer, session: SMTPServerSession): void {
  for (const connection of server.connections) if (connection.session === session) connection.close();
}

/** Calls the callback with the result of the work, or with the reply for its error. */
export async function answer<Result>(
  log: Log,
  work: Promise<Result>,
  callback: (error: Reply | null, result?: Result) => void,
): Promise<void> {
  let result: Result;
  try {
    result = await work;
  } catch (error) {
    return callback(toReply(log, error));
  }
  callback(null, result);
}

function toReply(log: Log, error: unknown): Reply {
  if (isReply(error)) return error;
  if (needsLogging(toAppError(error)) && !(error instanceof ClientGone))
    log.error({ err: error }, 'smtp: a message or command failed');
  return toErrorReply(error);
}

/** Opens one SMTP port with the manners that both have, and closes it so that nobody is cut off before his answer. */
import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { SMTPServer, type SMTPServerOptions, type SMTPServerSession } from 'smtp-server';
import type { Certificate } from '../platform/certificate.ts';
import { toAppError } from '../platform/database-errors.ts';
import { isOurs } from '../platform/errors.ts';
import type { Log } from '../platform/log.ts';
import type { UnexpectedErrors } from '../platform/unexpected-errors.ts';
import { isReply, toErrorReply, type Reply } from './error-reply.ts';
import { ClientGone } from './intake.ts';
import { replaceDataReader } from './unstuff-data.ts';

export interface SmtpServer {
  port: number;
  /** Takes no new connection or command, lets messages on the wire finish for so long, then cuts what is left. */
  close(graceMs: number): Promise<void>;
}

export interface Endpoint {
  host: string;
  port: number;
  /** Our name in the greeting. */
  name: string;
  /** The same until there is a new one. */
  certificate(): Certificate;
  log: Log;
  errors: UnexpectedErrors;
}

const MAX_CLIENTS = 200;
const IDLE_MS = 120_000;
const MAX_COMMANDS_BEFORE_AUTH = 20;
const MAX_COMMAND_LENGTH = 4_096;
const SWEEP_MS = 50;

export async function openSmtpServer(endpoint: Endpoint, options: SMTPServerOptions): Promise<SmtpServer> {
  replaceDataReader();
  let shown = endpoint.certificate();
  const server = new SMTPServer({
    ...shown,
    name: endpoint.name,
    banner: 'Posthorn',
    minVersion: 'TLSv1.2',
    hideENHANCEDSTATUSCODES: false,
    // The name behind an address can take seconds to find, and nothing here depends on it.
    disableReverseLookup: true,
    logger: false,
    maxClients: MAX_CLIENTS,
    socketTimeout: IDLE_MS,
    maxAllowedUnauthenticatedCommands: MAX_COMMANDS_BEFORE_AUTH,
    maxCommandLength: MAX_COMMAND_LENGTH,
    ...guardHandlers(options, (session, error) => {
      endpoint.errors.report('smtp', error);
      closeConnection(server, session);
    }),
  });
  // The library emits the errors of its connections and of the listening socket here.
  server.on('error', (error: NodeJS.ErrnoException) => {
    if (error.syscall === 'accept')
      endpoint.log.warn({ reason: error.message }, 'smtp: a connection was not accepted');
    else endpoint.log.debug({ err: error }, 'smtp: connection');
  });
  server.server.on('connection', (socket: Socket) => {
    // The library listens for errors of a socket one turn later; a client may reset it before that.
    socket.on('error', (error) => endpoint.log.debug({ err: error }, 'smtp: connection'));
    try {
      showCurrentCertificate();
    } catch (error) {
      endpoint.errors.report('smtp', error);
    }
  });
  function showCurrentCertificate(): void {
    const certificate = endpoint.certificate();
    if (certificate === shown) return;
    server.updateSecureContext({ ...certificate });
    shown = certificate;
  }
  server.listen(endpoint.port, endpoint.host);
  await once(server.server, 'listening');
  return {
    port: (server.server.address() as AddressInfo).port,
    async close(graceMs) {
      server.options.closeTimeout = graceMs;
      const sweep = setInterval(() => dismissIdle(server), SWEEP_MS);
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        dismissIdle(server);
      });
      clearInterval(sweep);
    },
  };
}

/** Whoever has begun a message keeps its sender in the envelope until he was answered. */
function dismissIdle(server: SMTPServer): void {
  for (const connection of server.connections) {
    if (!connection.session.envelope?.mailFrom) connection.send(421, 'Closing; come back in a moment');
  }
}

const HANDLERS = ['onConnect', 'onSecure', 'onAuth', 'onMailFrom', 'onRcptTo', 'onData', 'onClose'] as const;

/**
 * The library calls handlers from sockets and timers, where an error that is thrown would end the process. Here it is
 * reported, and the client gets 451 or, when even that fails, loses its connection.
 */
function guardHandlers(
  options: SMTPServerOptions,
  onError: (session: SMTPServerSession, error: unknown) => void,
): SMTPServerOptions {
  const guarded: Record<string, unknown> = { ...options };
  for (const name of HANDLERS) {
    const handler = options[name] as ((...args: unknown[]) => void) | undefined;
    if (!handler) continue;
    guarded[name] = (...args: unknown[]) => {
      // Whatever else a handler gets, the session and the callback are the last two.
      const callback = args.pop() as (...answer: unknown[]) => void;
      const session = args.at(-1) as SMTPServerSession;
      const callBack = (...answer: unknown[]) => {
        try {
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

/** Answers for a handler: with what it returns, or with the reply that its error stands for. */
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
  if (isOurs(toAppError(error)) && !(error instanceof ClientGone))
    log.error({ err: error }, 'smtp: not accepted');
  return toErrorReply(error);
}

/** The keywords of EHLO that smtp-server does not know. */
import type { SMTPServer } from 'smtp-server';
import { SMTPConnection } from 'smtp-server/lib/smtp-connection.js';
import type { OfferedExtensions } from './parameters.ts';

/** The members of smtp-server's connection that are used here. */
interface Connection {
  secure: boolean;
  _server: SMTPServer;
  send(code: number | string, text: string | string[], context?: string | false): void;
  handler_EHLO(command: Buffer, callback: () => void): void;
}

const connectionPrototype = SMTPConnection.prototype as unknown as Connection;
const { handler_EHLO: handleEhlo, send } = connectionPrototype;

const offeredBy = new WeakMap<SMTPServer, OfferedExtensions>();

function listKeywords({ _server: server, secure }: Connection): string[] {
  const offered = offeredBy.get(server);
  if (!offered) return [];
  const { dsn, mostHeldSeconds, requireTls } = offered;
  return [
    'CHUNKING',
    ...(dsn ? ['DSN'] : []),
    ...(mostHeldSeconds === null
      ? []
      : [`FUTURERELEASE ${mostHeldSeconds} ${latestRelease(mostHeldSeconds)}`]),
    ...(requireTls && secure ? ['REQUIRETLS'] : []),
  ];
}

/** RFC 4865 section 3: the latest time of HOLDUNTIL, without fractions of a second. */
function latestRelease(mostHeldSeconds: number): string {
  return `${new Date(Date.now() + mostHeldSeconds * 1_000).toISOString().slice(0, 19)}Z`;
}

function handleEhloWithKeywords(this: Connection, command: Buffer, callback: () => void): void {
  this.send = (code, text, context) =>
    send.call(this, code, Array.isArray(text) ? [...text, ...listKeywords(this)] : text, context);
  try {
    handleEhlo.call(this, command, callback);
  } finally {
    // The method of the prototype is back.
    delete (this as Partial<Connection>).send;
  }
}

/** Replaces the method of smtp-server's connection for all connections. */
export function addKeywords(server: SMTPServer, offered: OfferedExtensions): void {
  offeredBy.set(server, offered);
  connectionPrototype.handler_EHLO = handleEhloWithKeywords;
}

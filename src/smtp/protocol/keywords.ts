/** The keywords of EHLO that smtp-server does not know. */
import { SMTPConnection } from 'smtp-server/lib/smtp-connection.js';

/** The members of smtp-server's connection that are used here. */
interface Connection {
  send(code: number | string, text: string | string[], context?: string | false): void;
  handler_EHLO(command: Buffer, callback: () => void): void;
}

const connectionPrototype = SMTPConnection.prototype as unknown as Connection;
const { handler_EHLO: handleEhlo, send } = connectionPrototype;

function handleEhloWithKeywords(this: Connection, command: Buffer, callback: () => void): void {
  this.send = (code, text, context) =>
    send.call(this, code, Array.isArray(text) ? [...text, 'CHUNKING'] : text, context);
  try {
    handleEhlo.call(this, command, callback);
  } finally {
    // The method of the prototype is back.
    delete (this as Partial<Connection>).send;
  }
}

/** Replaces the method of smtp-server's connection for all connections. */
export function addKeywords(): void {
  connectionPrototype.handler_EHLO = handleEhloWithKeywords;
}

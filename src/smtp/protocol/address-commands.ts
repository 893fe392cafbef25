/**
 * Reads the parameters of MAIL and RCPT from the command itself. smtp-server accepts unknown parameters, decodes the
 * values, and shows a domain in Unicode however it was sent. It still gets SIZE, to reject large messages early.
 */
import type { SMTPServerAddress } from 'smtp-server';
import { SMTPConnection } from 'smtp-server/lib/smtp-connection.js';
import { readParameters, type CommandParameters } from './parameters.ts';

/** The members of smtp-server's connection that are used here. */
interface Connection {
  _parseAddressCommand(name: string, command: Buffer): SMTPServerAddress | false;
}

const parametersOf = new WeakMap<SMTPServerAddress, CommandParameters>();

/** `address` is what a handler of MAIL or RCPT gets. */
export function givenParameters(address: SMTPServerAddress): CommandParameters {
  return parametersOf.get(address) ?? { list: [], hasUtf8Address: false };
}

const connectionPrototype = SMTPConnection.prototype as unknown as Connection;
const parseWithParameters = connectionPrototype._parseAddressCommand;

function parseAddressCommand(this: Connection, name: string, command: Buffer): SMTPServerAddress | false {
  const text = command.toString();
  const given = readParameters(text);
  const size = given.list?.find((each) => each.name === 'SIZE' && /^\d{1,20}$/.test(each.value ?? ''));
  const bare = /^[^:]*:\s*\S*/.exec(text)?.[0] ?? text;
  const shortened = size ? `${bare} SIZE=${size.value}` : bare;
  const parsed = parseWithParameters.call(this, name, Buffer.from(shortened));
  if (parsed) parametersOf.set(parsed, given);
  return parsed;
}

/** Replaces the method of smtp-server's connection for all connections. */
export function replaceParameterReader(): void {
  connectionPrototype._parseAddressCommand = parseAddressCommand;
}

/** The commands that go before a message, fitted to what the server offers. */
import { isAscii } from 'node:buffer';
import { domainToASCII } from 'node:url';
import { unfitAt, type SmtpFailure } from './smtp-failure.ts';

export interface OutgoingMessage {
  /** The return path; '' for mail that must never bounce (RFC 5321 section 4.5.5). */
  mailFrom: string;
  recipients: readonly string[];
  /** The message in any number of pieces: CRLF line ends, not dot-stuffed. */
  chunks: readonly Buffer[];
  /** It has UTF-8 in its headers or addresses that only RFC 6531 allows. */
  smtpUtf8: boolean;
  /** The bytes of all chunks together. */
  size: number;
}

/** Keyword in capitals → its parameters, as EHLO listed them. */
export type Extensions = ReadonlyMap<string, string>;

export interface Envelope {
  mail: string;
  /** One command for each recipient, in their order. */
  rcpts: string[];
}

// Anything of this in an address would end the command and begin another one.
// oxlint-disable-next-line no-control-regex
const UNSENDABLE = /[\u0000-\u0020\u007f<>]/;
// oxlint-disable-next-line no-control-regex
const NOT_ASCII = /[^\u0000-\u007f]/;

/** `lines` as they came in answer to EHLO, with their codes. */
export function readExtensions(lines: readonly string[]): Extensions {
  const extensions = new Map<string, string>();
  // The first line is the server's name and a greeting. Old servers write `AUTH=LOGIN`.
  for (const line of lines.slice(1)) {
    const [, keyword, parameters] = /^\d{3}[ -]([^\s=]+)(?:[\s=](.*))?$/s.exec(line) ?? [];
    if (keyword) extensions.set(keyword.toUpperCase(), (parameters ?? '').trim());
  }
  return extensions;
}

export function prepareEnvelope(
  message: OutgoingMessage,
  extensions: Extensions,
): { envelope: Envelope; failure: null } | { envelope: null; failure: SmtpFailure } {
  const mailFrom = toWire(message.mailFrom);
  const recipients = message.recipients.map(toWire);
  const addresses = [mailFrom, ...recipients];
  if (recipients.length === 0) return unfit('no recipients');
  if (addresses.some((address) => UNSENDABLE.test(address)) || recipients.includes(''))
    return unfit('an address that cannot be sent');

  const needsUtf8 = message.smtpUtf8 || addresses.some((address) => NOT_ASCII.test(address));
  if (needsUtf8 && !extensions.has('SMTPUTF8'))
    return unfit('the server does not take internationalised mail (SMTPUTF8)');

  const limit = Number(extensions.get('SIZE') || 0);
  if (limit > 0 && message.size > limit)
    return unfit(`the message has ${message.size} bytes, the server takes ${limit}`);

  let mail = `MAIL FROM:<${mailFrom}>`;
  if (extensions.has('SIZE')) mail += ` SIZE=${message.size}`;
  // Without the extension 8-bit mail is sent all the same, as everyone does: to recode it would break its signature.
  if (extensions.has('8BITMIME') && !message.chunks.every((chunk) => isAscii(chunk)))
    mail += ' BODY=8BITMIME';
  if (needsUtf8) mail += ' SMTPUTF8';
  const rcpts = recipients.map((recipient) => `RCPT TO:<${recipient}>\r\n`);
  return { envelope: { mail: `${mail}\r\n`, rcpts }, failure: null };
}

/** A domain in other letters has a spelling that every server knows; the part before the @ has none. */
function toWire(address: string): string {
  if (!NOT_ASCII.test(address)) return address;
  const at = address.lastIndexOf('@');
  const domain = domainToASCII(address.slice(at + 1));
  return domain === '' ? address : `${address.slice(0, at + 1)}${domain}`;
}

function unfit(cause: string): { envelope: null; failure: SmtpFailure } {
  return { envelope: null, failure: unfitAt('mail', cause) };
}

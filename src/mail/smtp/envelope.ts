/** Builds the commands before a message, depending on the extensions of the server. */
import { isAscii } from 'node:buffer';
import { domainToASCII } from 'node:url';
import { refusedLocally, type SmtpFailure } from './failure.ts';

export interface OutgoingMessage {
  /** The return path. Empty for mail that must never bounce (RFC 5321 section 4.5.5). */
  mailFrom: string;
  recipients: readonly string[];
  /** The message in any number of pieces, with CRLF line ends and without dot-stuffing. */
  chunks: readonly Buffer[];
  /** True when headers or addresses contain UTF-8 that requires RFC 6531. */
  smtpUtf8: boolean;
  /** Total size of the chunks in bytes. */
  size: number;
  /** RFC 8689: only a server with a verified certificate that offers REQUIRETLS may get the message. */
  requiresTls?: boolean;
  /** What the sender asked for (RFC 3461), for a server that offers DSN. For a message with one recipient. */
  dsn?: DsnRequest | null;
}

/** The values of the parameters as they are sent. */
export interface DsnRequest {
  ret: string | null;
  envid: string | null;
  notify: string | null;
  orcpt: string | null;
}

/** Maps a keyword in upper case to its parameters, from the reply to EHLO. */
export type Extensions = ReadonlyMap<string, string>;

export interface Envelope {
  mail: string;
  /** One command per recipient, in order. */
  rcpts: string[];
}

// These characters in an address would end the command.
// oxlint-disable-next-line no-control-regex
const UNSENDABLE = /[\u0000-\u0020\u007f<>]/;
// oxlint-disable-next-line no-control-regex
const NOT_ASCII = /[^\u0000-\u007f]/;

/** Expects the lines of the reply to EHLO, with their codes. */
export function readExtensions(lines: readonly string[]): Extensions {
  const extensions = new Map<string, string>();
  // The first line has the server's name. Old servers write `AUTH=LOGIN`.
  for (const line of lines.slice(1)) {
    const [, keyword, parameters] = /^\d{3}[ -]([^\s=]+)(?:[\s=](.*))?$/s.exec(line) ?? [];
    if (keyword) extensions.set(keyword.toUpperCase(), (parameters ?? '').trim());
  }
  return extensions;
}

export function prepareEnvelope(
  message: OutgoingMessage,
  extensions: Extensions,
  isVerified = false,
): { envelope: Envelope; failure: null } | { envelope: null; failure: SmtpFailure } {
  const mailFrom = toWire(message.mailFrom);
  const recipients = message.recipients.map(toWire);
  const addresses = [mailFrom, ...recipients];
  if (recipients.length === 0) return unsendable('no recipients');
  if (addresses.some((address) => UNSENDABLE.test(address)) || recipients.includes(''))
    return unsendable('an address is not valid for SMTP');

  const needsUtf8 = message.smtpUtf8 || addresses.some((address) => NOT_ASCII.test(address));
  if (needsUtf8 && !extensions.has('SMTPUTF8'))
    return unsendable('the server does not support internationalised email (SMTPUTF8)', '5.6.7');
  if (message.requiresTls && !(isVerified && extensions.has('REQUIRETLS')))
    return unsendable('the server does not offer REQUIRETLS, which the sender asked for', '5.7.30');

  const limit = Number(extensions.get('SIZE') || 0);
  if (limit > 0 && message.size > limit)
    return unsendable(
      `the message has ${message.size} bytes, but the server accepts at most ${limit}`,
      '5.3.4',
    );

  let mail = `MAIL FROM:<${mailFrom}>`;
  if (extensions.has('SIZE')) mail += ` SIZE=${message.size}`;
  // 8-bit mail is sent even without the extension, as other servers do. Re-encoding it would break its
  // signature.
  if (extensions.has('8BITMIME') && !message.chunks.every((chunk) => isAscii(chunk)))
    mail += ' BODY=8BITMIME';
  if (needsUtf8) mail += ' SMTPUTF8';
  if (message.requiresTls) mail += ' REQUIRETLS';
  const dsn = extensions.has('DSN') && message.dsn ? message.dsn : null;
  if (dsn) mail += writeParameters({ RET: dsn.ret, ENVID: dsn.envid });
  const asked = dsn ? writeParameters({ NOTIFY: dsn.notify, ORCPT: dsn.orcpt }) : '';
  const rcpts = recipients.map((recipient) => `RCPT TO:<${recipient}>${asked}\r\n`);
  return { envelope: { mail: `${mail}\r\n`, rcpts }, failure: null };
}

function writeParameters(values: Record<string, string | null | undefined>): string {
  const given = Object.entries(values).filter(([, value]) => (value ?? null) !== null);
  return given.map(([name, value]) => ` ${name}=${value}`).join('');
}

/** An internationalised domain has an ASCII form that every server accepts; the local part has none. */
function toWire(address: string): string {
  if (!NOT_ASCII.test(address)) return address;
  const at = address.lastIndexOf('@');
  const domain = domainToASCII(address.slice(at + 1));
  return domain === '' ? address : `${address.slice(0, at + 1)}${domain}`;
}

function unsendable(cause: string, enhanced?: string): { envelope: null; failure: SmtpFailure } {
  return { envelope: null, failure: refusedLocally('mail', cause, enhanced) };
}

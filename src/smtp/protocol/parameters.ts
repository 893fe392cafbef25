/**
 * The parameters of MAIL and RCPT (RFC 5321 section 4.1.1.11). What EHLO did not offer is rejected with 555, a bad value
 * of an offered parameter with 501. Nothing is ignored: a client that asks for later delivery or for TLS on the whole
 * way must not believe that it gets it.
 */
import type { SMTPServerSession } from 'smtp-server';
import { reply, type Reply } from './error-reply.ts';

/** What a port offers beside SIZE, 8BITMIME and SMTPUTF8. */
export interface OfferedExtensions {
  /** RFC 4954: AUTH= names who wrote the message. It is accepted and not used. */
  auth: boolean;
}

export const INBOUND_EXTENSIONS: OfferedExtensions = { auth: false };
export const SUBMISSION_EXTENSIONS: OfferedExtensions = { auth: true };

interface Parameter {
  /** In upper case. */
  name: string;
  /** Null without `=`. */
  value: string | null;
}

/** The parameters of one command. */
export interface CommandParameters {
  /** Null if they cannot be parsed. */
  list: Parameter[] | null;
  /** The address contains characters outside ASCII, also in its domain. */
  hasUtf8Address: boolean;
}

export interface MailParameters {
  smtpUtf8: boolean;
}

interface Rule {
  isOffered(extensions: OfferedExtensions, session: SMTPServerSession, value: string | null): boolean;
  isValid(value: string | null): boolean;
}

const ALWAYS = () => true;
/** RFC 3461 section 4. */
const XTEXT = /^(?:[!-*,-<>-~]|\+[0-9A-F]{2})+$/;

const MAIL_RULES: Record<string, Rule> = {
  SIZE: { isOffered: ALWAYS, isValid: (value) => /^\d{1,20}$/.test(value ?? '') },
  BODY: {
    // BINARYMIME is not offered.
    isOffered: (_extensions, _session, value) => value?.toUpperCase() !== 'BINARYMIME',
    isValid: (value) => /^(?:7BIT|8BITMIME)$/i.test(value ?? ''),
  },
  SMTPUTF8: { isOffered: ALWAYS, isValid: isBare },
  AUTH: {
    isOffered: ({ auth }) => auth,
    isValid: (value) => value !== null && (value === '<>' || XTEXT.test(value)),
  },
};

const RCPT_RULES: Record<string, Rule> = {};

function isBare(value: string | null): boolean {
  return value === null;
}

/** RFC 5321 section 4.1.2, with the values of RFC 6531 section 3.3. */
const PARAMETER = /^([A-Za-z0-9][A-Za-z0-9-]*)(?:=([!-<>-~\u0080-\u{10ffff}]+))?$/u;
/** Only AUTH has a value with `<` and `>`, and none contains `=`. */
const MOST_PARAMETERS = 20;

/** Expects the command as it was received: `MAIL FROM:<ada@example.org> SIZE=42`. */
export function readParameters(command: string): CommandParameters {
  const [address = '', ...words] = command
    .slice(command.indexOf(':') + 1)
    .trim()
    .split(/[ \t]+/);
  // oxlint-disable-next-line no-control-regex
  const hasUtf8Address = /[^\u0000-\u007f]/.test(address);
  if (words.length > MOST_PARAMETERS) return { list: null, hasUtf8Address };
  const matches = words.map((word) => PARAMETER.exec(word));
  const list = matches.flatMap((match) =>
    match ? [{ name: match[1]!.toUpperCase(), value: match[2] ?? null }] : [],
  );
  return { list: list.length === words.length ? list : null, hasUtf8Address };
}

/** Throws the reply if the command must be rejected. */
export function checkMail(
  given: CommandParameters,
  extensions: OfferedExtensions,
  session: SMTPServerSession,
): MailParameters {
  const values = check(given, MAIL_RULES, extensions, session);
  const smtpUtf8 = values.has('SMTPUTF8');
  if (given.hasUtf8Address && !smtpUtf8) throw needsUtf8();
  return { smtpUtf8 };
}

/** Throws the reply if the command must be rejected. `mail` are the parameters of MAIL. */
export function checkRcpt(
  given: CommandParameters,
  extensions: OfferedExtensions,
  session: SMTPServerSession,
  mail: MailParameters,
): void {
  check(given, RCPT_RULES, extensions, session);
  if (given.hasUtf8Address && !mail.smtpUtf8) throw needsUtf8();
}

function check(
  { list }: CommandParameters,
  rules: Record<string, Rule>,
  extensions: OfferedExtensions,
  session: SMTPServerSession,
): Map<string, string | null> {
  if (!list) throw reply('501 5.5.4', 'The parameters cannot be parsed');
  const values = new Map<string, string | null>();
  for (const { name, value } of list) {
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
    // A client that said HELO was offered nothing.
    const isOffered = rule && session.openingCommand !== 'HELO' && rule.isOffered(extensions, session, value);
    if (!isOffered) throw reply('555 5.5.4', `${describe(name, value)} is not offered here`);
    if (values.has(name)) throw reply('501 5.5.4', `${name} is given twice`);
    if (!rule.isValid(value)) throw reply('501 5.5.4', `The value of ${name} is not valid`);
    values.set(name, value);
  }
  return values;
}

function describe(name: string, value: string | null): string {
  return name === 'BODY' ? `BODY=${value}` : `The parameter ${name.slice(0, 40)}`;
}

/** RFC 6531 section 3.5. */
function needsUtf8(): Reply {
  return reply('553 5.6.7', 'An address outside ASCII needs the parameter SMTPUTF8 of MAIL');
}

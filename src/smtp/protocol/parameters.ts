/**
 * The parameters of MAIL and RCPT (RFC 5321 section 4.1.1.11). What EHLO did not offer is rejected with 555, a bad value
 * of an offered parameter with 501. Nothing is ignored: a client that asks for later delivery or for TLS on the whole
 * way must not believe that it gets it.
 */
import type { SMTPServerSession } from 'smtp-server';
import { reply, type Reply } from './error-reply.ts';

/** What a port offers beside SIZE, 8BITMIME, SMTPUTF8 and CHUNKING. */
export interface OfferedExtensions {
  /** RFC 4954: AUTH= names who wrote the message. It is accepted and not used. */
  auth: boolean;
  /** RFC 3461. */
  dsn: boolean;
  /** RFC 4865: how many seconds a message can be held, or null. */
  mostHeldSeconds: number | null;
  /** RFC 8689, offered under TLS. */
  requireTls: boolean;
}

/** Received messages go to mailboxes, so nothing is held and nobody is notified. */
export const INBOUND_EXTENSIONS: OfferedExtensions = {
  auth: false,
  dsn: false,
  mostHeldSeconds: null,
  requireTls: true,
};

const YEAR_SECONDS = 365 * 24 * 60 * 60;

export const SUBMISSION_EXTENSIONS: OfferedExtensions = {
  auth: true,
  dsn: true,
  mostHeldSeconds: YEAR_SECONDS,
  requireTls: true,
};

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
  requireTls: boolean;
  ret: 'FULL' | 'HDRS' | null;
  /** As it was sent, in xtext. */
  envid: string | null;
  /** Null to send now. */
  holdUntil: Date | null;
}

export interface RcptParameters {
  /** `NEVER`, or some of `SUCCESS,FAILURE,DELAY`. */
  notify: string | null;
  /** As it was sent, in xtext: `rfc822;ada@example.org`. */
  orcpt: string | null;
}

interface Rule {
  isOffered(extensions: OfferedExtensions, session: SMTPServerSession, value: string | null): boolean;
  isValid(value: string | null): boolean;
}

const ALWAYS = () => true;
/** RFC 3461 section 5.4. */
const MAX_ENVID_LENGTH = 100;
/** The time that a command may take, so that HOLDUNTIL can be a moment in the past. */
const PAST_COUNTS_AS_NOW_MS = 60_000;
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
  RET: { isOffered: offersDsn, isValid: (value) => /^(?:FULL|HDRS)$/i.test(value ?? '') },
  ENVID: {
    isOffered: offersDsn,
    isValid: (value) => value !== null && value.length <= MAX_ENVID_LENGTH && XTEXT.test(value),
  },
  HOLDFOR: { isOffered: offersHolding, isValid: (value) => /^\d{1,9}$/.test(value ?? '') },
  HOLDUNTIL: { isOffered: offersHolding, isValid: (value) => readTime(value) !== null },
  REQUIRETLS: { isOffered: ({ requireTls }, { secure }) => requireTls && secure, isValid: isBare },
};

const RCPT_RULES: Record<string, Rule> = {
  NOTIFY: {
    isOffered: offersDsn,
    isValid: (value) =>
      /^(?:NEVER|(?:SUCCESS|FAILURE|DELAY)(?:,(?:SUCCESS|FAILURE|DELAY)){0,2})$/i.test(value ?? ''),
  },
  ORCPT: { isOffered: offersDsn, isValid: isOriginalRecipient },
};

function offersDsn({ dsn }: OfferedExtensions): boolean {
  return dsn;
}

function offersHolding({ mostHeldSeconds }: OfferedExtensions): boolean {
  return mostHeldSeconds !== null;
}

/** RFC 3461 section 4.2, and RFC 6533 section 3 for `utf-8;`. */
function isOriginalRecipient(value: string | null): boolean {
  const [, type, address] = /^([A-Za-z0-9-]{1,40});(.{1,500})$/.exec(value ?? '') ?? [];
  if (type === undefined || address === undefined) return false;
  return type.toLowerCase() === 'utf-8' || XTEXT.test(address);
}

/** RFC 4865 section 4: a time in UTC. Null if it is none. */
function readTime(value: string | null): Date | null {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/i.test(value ?? '')) return null;
  const time = new Date(value!);
  return Number.isNaN(time.getTime()) ? null : time;
}

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
  const ret = values.get('RET')?.toUpperCase();
  return {
    smtpUtf8,
    requireTls: values.has('REQUIRETLS'),
    ret: ret === 'FULL' || ret === 'HDRS' ? ret : null,
    envid: values.get('ENVID') ?? null,
    holdUntil: readHold(values, extensions.mostHeldSeconds ?? 0),
  };
}

/** RFC 4865 section 5. */
function readHold(values: Map<string, string | null>, mostSeconds: number): Date | null {
  const seconds = values.get('HOLDFOR') ?? null;
  const until = values.get('HOLDUNTIL') ?? null;
  if (seconds === null && until === null) return null;
  if (seconds !== null && until !== null)
    throw reply('501 5.5.4', 'HOLDFOR and HOLDUNTIL exclude each other');
  const now = Date.now();
  const at = seconds === null ? readTime(until)! : new Date(now + Number(seconds) * 1_000);
  if (at.getTime() > now + mostSeconds * 1_000)
    throw reply('501 5.5.4', `A message can be held for at most ${mostSeconds} seconds`);
  if (at.getTime() < now - PAST_COUNTS_AS_NOW_MS) throw reply('501 5.5.4', 'HOLDUNTIL is in the past');
  return at.getTime() > now ? at : null;
}

/** Throws the reply if the command must be rejected. `mail` are the parameters of MAIL. */
export function checkRcpt(
  given: CommandParameters,
  extensions: OfferedExtensions,
  session: SMTPServerSession,
  mail: MailParameters,
): RcptParameters {
  const values = check(given, RCPT_RULES, extensions, session);
  if (given.hasUtf8Address && !mail.smtpUtf8) throw needsUtf8();
  return { notify: values.get('NOTIFY')?.toUpperCase() ?? null, orcpt: values.get('ORCPT') ?? null };
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

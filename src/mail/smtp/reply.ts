/**
 * Parses and classifies SMTP replies: whether the message was accepted, whether it should be retried, who caused a
 * failure, and whether the address must be suppressed. An address is suppressed only when the server says that it does
 * not exist: 5.1.1, 5.1.2, 5.1.3, 5.1.6, 5.1.10 (RFC 3463 section 3.2, RFC 7505), or a 550 that says so in words
 * without a more specific code. Policy (5.7.x), content (5.6.x) and disabled or full mailboxes never suppress. A full
 * mailbox with a 5xx (5.2.2) bounces, because the server asked not to retry (RFC 5321 section 4.2.1), but later
 * messages may be accepted. A 5xx before MAIL rejects no message, because the server has not seen one. The message is
 * deferred, until the operator corrects the relay's password or a blocklist entry expires.
 */

export interface SmtpReply {
  code: number;
  /** RFC 3463, such as `5.1.1`. */
  enhanced: string | null;
  /** The text of all lines, without the codes. */
  text: string;
}

export type SmtpStage =
  | 'connect'
  | 'greeting'
  | 'ehlo'
  | 'tls'
  | 'auth'
  | 'reset'
  | 'mail'
  | 'rcpt'
  | 'data'
  /** The stage from the first byte of the message to the reply after the final dot. */
  | 'body';

type Outcome = 'accepted' | 'deferred' | 'bounced';
type Fault = 'recipient' | 'message' | 'sender' | 'server' | 'network';

export interface ReplyClass {
  outcome: Outcome;
  /** Null when the message was accepted. */
  fault: Fault | null;
  /** The scope of the reply. Only `session` means that the whole server needs a backoff. */
  scope: 'recipient' | 'message' | 'session';
  /** True when the address does not exist and must not be used again. */
  suppress: boolean;
}

const LINE = /^([2-5]\d\d)(?:([ -])(.*))?$/;
const ENHANCED = /^([245]\.\d{1,3}\.\d{1,3})(?= |$)/;
const MAX_TEXT_LENGTH = 1_000;

/** The stages in which the server has not seen a message. */
export const BEFORE_MESSAGE: ReadonlySet<SmtpStage> = new Set([
  'connect',
  'greeting',
  'ehlo',
  'tls',
  'auth',
  'reset',
]);
// RFC 4954 sections 4 and 6, RFC 3207 section 4: authentication or encryption is required first. 503 means a
// wrong order of commands. A new session or the operator can solve these; changing the message cannot.
const SESSION_CODES = new Set([421, 503, 530, 534, 535, 538]);

const BAD_ADDRESS = new Set(['5.1.1', '5.1.2', '5.1.3', '5.1.6', '5.1.10']);
// These codes add nothing to the reply code, so the text decides.
const UNSPECIFIC = new Set(['5.0.0', '5.1.0']);
const UNKNOWN_USER = new RegExp(
  [
    'user unknown',
    'unknown (?:user|recipient|mailbox|address|local)',
    '(?:no such|invalid|unknown|bad) (?:local )?(?:user|recipient|mailbox|account|address)',
    'no (?:user|mailbox|account)(?: here)? (?:by|with) that name',
    '(?:user|recipient|mailbox|account|address)[^.]{0,60} (?:not found|unknown|(?:does not|doesn.?t) exist|is invalid)',
    'not (?:a )?(?:valid|known) (?:user|recipient|mailbox)',
  ].join('|'),
  'i',
);
// Words that show that the reply is about the sender after all.
const POLICY =
  /spam|block|black ?list|deny|denied|policy|reputation|spf|dkim|dmarc|sender|relay|authenticat|greylist|rate limit|spamhaus|rbl/i;

/** Expects the lines of one reply without line ends. Returns null when they are not a valid reply. */
export function parseReply(lines: string[]): SmtpReply | null {
  const texts: string[] = [];
  let code: string | null = null;
  let enhanced: string | null = null;
  for (const [index, line] of lines.entries()) {
    const match = LINE.exec(line);
    const isLast = index === lines.length - 1;
    if (!match || (code !== null && match[1] !== code) || isLast !== (match[2] !== '-')) return null;
    code = match[1]!;
    const text = match[3] ?? '';
    const found = ENHANCED.exec(text);
    enhanced ??= found?.[1] ?? null;
    texts.push(found ? text.slice(found[0].length).trimStart() : text);
  }
  if (code === null) return null;
  const text = texts.map((line) => line.replaceAll(/\p{Cc}/gu, ' ')).join('\n');
  return { code: Number(code), enhanced, text: text.slice(0, MAX_TEXT_LENGTH) };
}

export function classifyReply(reply: SmtpReply, stage: SmtpStage): ReplyClass {
  const { code } = reply;
  if (code >= 200 && code < 400)
    return { outcome: 'accepted', fault: null, scope: 'message', suppress: false };
  const isPermanent = code >= 500;
  if (isAboutSession(reply, stage)) {
    const isOurs = stage === 'auth' || (code >= 530 && code <= 538);
    return { outcome: 'deferred', fault: isOurs ? 'sender' : 'server', scope: 'session', suppress: false };
  }
  return {
    outcome: isPermanent ? 'bounced' : 'deferred',
    fault: findFault(reply, stage),
    scope: stage === 'rcpt' ? 'recipient' : 'message',
    suppress: isPermanent && stage !== 'mail' && isBadAddress(reply),
  };
}

function isAboutSession({ code, enhanced }: SmtpReply, stage: SmtpStage): boolean {
  if (BEFORE_MESSAGE.has(stage) || SESSION_CODES.has(code)) return true;
  if (code >= 500) return code > 599;
  // A server that is out of disk space or shutting down tells every client. At RCPT the problem may concern a
  // single mailbox, which must not delay the whole provider.
  return stage === 'mail' || code < 400 || (stage !== 'rcpt' && enhanced?.startsWith('4.3.') === true);
}

function isBadAddress({ code, enhanced, text }: SmtpReply): boolean {
  if (enhanced !== null && BAD_ADDRESS.has(enhanced)) return true;
  if (enhanced !== null && !UNSPECIFIC.has(enhanced)) return false;
  return code === 550 && mentionsUnknownUser(text);
}

function mentionsUnknownUser(text: string): boolean {
  const words = plainWords(text);
  return UNKNOWN_USER.test(words) && !POLICY.test(words);
}

/** Removes addresses, because they can contain any word. */
function plainWords(text: string): string {
  return text
    .slice(0, MAX_TEXT_LENGTH)
    .replaceAll(/<[^<>]*>/g, ' ')
    .split(/\s+/)
    .filter((word) => !word.includes('@'))
    .join(' ');
}

function findFault(reply: SmtpReply, stage: SmtpStage): Fault {
  const [, subject, detail] = (reply.enhanced ?? '').split('.').map(Number);
  switch (subject) {
    case 1:
      if (detail === 7 || detail === 8 || stage === 'mail') return 'sender';
      return detail === 9 ? 'server' : 'recipient';
    case 2:
      // 2.3: the message is too long for this mailbox. 2.4: a mailing list does not expand.
      if (detail === 3) return 'message';
      return detail === 4 ? 'server' : 'recipient';
    case 3:
      return detail === 4 ? 'message' : 'server';
    case 4:
    case 5:
      return 'server';
    case 6:
      return 'message';
    case 7:
      // RFC 7293: the owner of the mailbox or domain has changed.
      if (detail === 17 || detail === 18) return 'recipient';
      return stage === 'data' || stage === 'body' ? 'message' : 'sender';
    default:
      return findFaultByCode(reply, stage);
  }
}

function findFaultByCode({ code, text }: SmtpReply, stage: SmtpStage): Fault {
  if (stage === 'mail') return code === 552 ? 'message' : 'sender';
  if (code < 500) return code === 450 && stage === 'rcpt' ? 'recipient' : 'server';
  if (mentionsUnknownUser(text)) return 'recipient';
  if (stage !== 'rcpt') return 'message';
  return POLICY.test(plainWords(text)) ? 'sender' : 'recipient';
}

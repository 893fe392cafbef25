/**
 * What a mail server answered, and what follows from it: is the message there, is it worth another try, whose fault
 * is it, and may we ever write to this address again.
 *
 * An address is suppressed only when the server says that it does not exist: 5.1.1, 5.1.2, 5.1.3, 5.1.6, 5.1.10
 * (RFC 3463 section 3.2, RFC 7505), or a 550 that says so in words where no code says more. Never for policy (5.7.x),
 * content (5.6.x) or a mailbox that is disabled or full. A full mailbox with a 5xx (5.2.2) bounces, since the server
 * asked not to be tried again (RFC 5321 section 4.2.1), but the next message may find room.
 *
 * A 5xx before MAIL condemns no message, because the server has seen none: it is put off, for the operator to mend
 * the relay's password or for a blocklist to forget us.
 */

export interface SmtpReply {
  code: number;
  /** RFC 3463, `5.1.1`. */
  enhanced: string | null;
  /** All lines, without the codes. */
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
  /** From the first byte of the message to the reply after its dot. */
  | 'body';

type Outcome = 'accepted' | 'deferred' | 'bounced';
type Fault = 'recipient' | 'message' | 'sender' | 'server' | 'network';

export interface Judgement {
  outcome: Outcome;
  /** Null when all is well. */
  fault: Fault | null;
  /** What the answer is about: back off from the whole server only for `session`. */
  scope: 'recipient' | 'message' | 'session';
  /** The address does not exist: never write to it again. */
  suppress: boolean;
}

const LINE = /^([2-5]\d\d)(?:([ -])(.*))?$/;
const ENHANCED = /^([245]\.\d{1,3}\.\d{1,3})(?= |$)/;
const MAX_TEXT_LENGTH = 1_000;

const BEFORE_THE_MESSAGE: ReadonlySet<SmtpStage> = new Set([
  'connect',
  'greeting',
  'ehlo',
  'tls',
  'auth',
  'reset',
]);
// RFC 4954 sections 4 and 6, RFC 3207 section 4: log in, or encrypt, before you say more. And 503, commands in
// an order that the server lost track of. A fresh session or the operator can help; the message cannot.
const ABOUT_THE_SESSION = new Set([421, 503, 530, 534, 535, 538]);

const BAD_ADDRESS = new Set(['5.1.1', '5.1.2', '5.1.3', '5.1.6', '5.1.10']);
// Codes that say nothing more than the reply code: the words decide.
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
// Words that show that it is about us after all.
const POLICY =
  /spam|block|black ?list|deny|denied|policy|reputation|spf|dkim|dmarc|sender|relay|authenticat|greylist|rate limit|spamhaus|rbl/i;

/** The lines of one reply, without their line ends; null when they are not one. */
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

export function judgeReply(reply: SmtpReply, stage: SmtpStage): Judgement {
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
    suppress: isPermanent && stage !== 'mail' && saysBadAddress(reply),
  };
}

function isAboutSession({ code, enhanced }: SmtpReply, stage: SmtpStage): boolean {
  if (BEFORE_THE_MESSAGE.has(stage) || ABOUT_THE_SESSION.has(code)) return true;
  if (code >= 500) return code > 599;
  // A server that is out of disk or going down tells everyone, whichever message it tells it to. At RCPT it may
  // also be the one mailbox, and one mailbox must not hold up a provider.
  return stage === 'mail' || code < 400 || (stage !== 'rcpt' && enhanced?.startsWith('4.3.') === true);
}

function saysBadAddress({ code, enhanced, text }: SmtpReply): boolean {
  if (enhanced !== null && BAD_ADDRESS.has(enhanced)) return true;
  if (enhanced !== null && !UNSPECIFIC.has(enhanced)) return false;
  return code === 550 && saysUnknownUser(text);
}

function saysUnknownUser(text: string): boolean {
  const words = plainWords(text);
  return UNKNOWN_USER.test(words) && !POLICY.test(words);
}

/** Without addresses, which can hold any word. */
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
      // 2.3 is a message too long for this mailbox, 2.4 a mailing list that does not expand.
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
      // RFC 7293: the mailbox or the domain has changed hands.
      if (detail === 17 || detail === 18) return 'recipient';
      return stage === 'data' || stage === 'body' ? 'message' : 'sender';
    default:
      return findFaultByCode(reply, stage);
  }
}

function findFaultByCode({ code, text }: SmtpReply, stage: SmtpStage): Fault {
  if (stage === 'mail') return code === 552 ? 'message' : 'sender';
  if (code < 500) return code === 450 && stage === 'rcpt' ? 'recipient' : 'server';
  if (saysUnknownUser(text)) return 'recipient';
  if (stage !== 'rcpt') return 'message';
  return POLICY.test(plainWords(text)) ? 'sender' : 'recipient';
}

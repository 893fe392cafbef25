/**
 * How a sink acts, switchable while it runs. Some recipes:
 *
 *   normal                       {}
 *   busy, or not for us          { replies: { CONNECT: ['421 4.3.2 busy', CLOSE] } }
 *   one address refused          { rcptReplies: { 'bad@x.test': '550 5.1.1 No such user' } }
 *   deferred after DATA          { replies: { DOT: '451 4.3.0 Try later' } }
 *   accepts, never says so       { replies: { DOT: CLOSE } }         or SILENCE
 *   closes in mid-DATA           { midBody: { afterBytes: 500, answer: CLOSE } }
 *   stops reading in mid-DATA    { midBody: { afterBytes: 500, answer: SILENCE } }
 *   garbage                      { replies: { MAIL: 'HTTP/1.1 200 OK' } }
 *   never answers                { replies: { CONNECT: SILENCE } }
 *   drip                         { dripMs: 20 }                      every answer byte by byte
 *   no PIPELINING                { extensions: ['8BITMIME'] }
 *   few connections              { mostConnections: 3 }
 *   a password wanted            { auth: { user: 'u', pass: 'p' } }
 *
 * To refuse connections altogether: `await sink.stopListening()`, and later `await sink.listenAgain()`.
 */

/** Ends the connection, without an answer where it stands alone. */
export const CLOSE = '<close>';
/** From here on not a byte on this connection. */
export const SILENCE = '<silence>';

/** The text of a reply, several, or what to do instead. */
export type SinkAnswer = string | string[];

export type SinkMoment =
  | 'CONNECT'
  | 'EHLO'
  | 'HELO'
  | 'STARTTLS'
  | 'AUTH'
  | 'MAIL'
  | 'RCPT'
  | 'DATA'
  | 'DOT'
  | 'RSET'
  | 'NOOP'
  | 'QUIT';

export interface SinkBehaviour {
  /** Instead of the usual answers, whatever the state of the session. */
  replies: Partial<Record<SinkMoment, SinkAnswer>>;
  /** By address in lower case. */
  rcptReplies: Record<string, SinkAnswer>;
  /** What EHLO offers, beside SIZE, STARTTLS and AUTH, which follow from the settings below. */
  extensions: string[];
  sizeLimit: number | null;
  /** `broken` answers the handshake with nonsense; `injecting` sends a reply behind "220 go ahead". */
  starttls: 'none' | 'offered' | 'broken' | 'injecting';
  auth: { user: string; pass: string } | null;
  authMechanisms: string[];
  midBody: { afterBytes: number; answer: SinkAnswer } | null;
  dripMs: number;
  /** More are turned away. */
  mostConnections: number;
}

export const NORMAL: SinkBehaviour = {
  replies: {},
  rcptReplies: {},
  extensions: ['PIPELINING', '8BITMIME', 'SMTPUTF8', 'ENHANCEDSTATUSCODES'],
  sizeLimit: null,
  starttls: 'none',
  auth: null,
  authMechanisms: ['PLAIN', 'LOGIN'],
  midBody: null,
  dripMs: 0,
  mostConnections: Infinity,
};

interface SinkMessage {
  mailFrom: string;
  /** Behind the address in MAIL: `SIZE=42 BODY=8BITMIME`. */
  parameters: string;
  recipients: string[];
  /** As it was before dot-stuffing. */
  data: Buffer;
  at: Date;
  /** Which connection brought it, from 1. */
  connection: number;
  isSecured: boolean;
  user: string | null;
  /** Our answer after the dot. */
  answer: string;
}

export interface SinkRecord {
  behaviour: SinkBehaviour;
  /** Complete messages that were answered with 2xx. */
  messages: SinkMessage[];
  /** Complete messages that were answered otherwise, or not at all. */
  refused: SinkMessage[];
  /** Every command line of every connection, as it came. */
  commands: string[];
}

/** The answer to EHLO. */
export function offer(behaviour: SinkBehaviour, isSecured: boolean): string {
  const { extensions, sizeLimit, starttls, auth, authMechanisms } = behaviour;
  const lines = ['sink.test', ...extensions];
  if (sizeLimit !== null) lines.push(`SIZE ${sizeLimit}`);
  if (starttls !== 'none' && !isSecured) lines.push('STARTTLS');
  if (auth) lines.push(`AUTH ${authMechanisms.join(' ')}`);
  return lines.map((line, index) => `250${index === lines.length - 1 ? ' ' : '-'}${line}`).join('\r\n');
}

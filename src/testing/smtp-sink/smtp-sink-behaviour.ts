/**
 * The behaviour of a sink, which can be changed while it runs. Examples:
 *
 *   normal                       {}
 *   busy, or not for us          { replies: { CONNECT: ['421 4.3.2 busy', CLOSE] } }
 *   one address rejected         { rcptReplies: { 'bad@x.test': '550 5.1.1 No such user' } }
 *   deferred after DATA          { replies: { DOT: '451 4.3.0 Try later' } }
 *   accepts without replying     { replies: { DOT: CLOSE } }         or SILENCE
 *   closes in mid-DATA           { midBody: { afterBytes: 500, answer: CLOSE } }
 *   stops reading in mid-DATA    { midBody: { afterBytes: 500, answer: SILENCE } }
 *   garbage                      { replies: { MAIL: 'HTTP/1.1 200 OK' } }
 *   never replies                { replies: { CONNECT: SILENCE } }
 *   drip                         { dripMs: 20 }                      every reply byte by byte
 *   no PIPELINING                { extensions: ['8BITMIME'] }
 *   few connections              { mostConnections: 3 }
 *   requires a password          { auth: { user: 'u', pass: 'p' } }
 *
 * To refuse connections altogether: `await sink.stopListening()`, and later `await sink.listenAgain()`.
 */

/** Closes the connection. If it is the only entry, there is no reply. */
export const CLOSE = '<close>';
/** Sends nothing more on this connection. */
export const SILENCE = '<silence>';

/** The text of a reply, several replies, or CLOSE or SILENCE. */
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
  /** Replaces the usual replies, in any state of the session. */
  replies: Partial<Record<SinkMoment, SinkAnswer>>;
  /** The keys are addresses in lower case. */
  rcptReplies: Record<string, SinkAnswer>;
  /** The extensions of EHLO, in addition to SIZE, STARTTLS and AUTH, which the settings below control. */
  extensions: string[];
  sizeLimit: number | null;
  /** `broken` responds to the handshake with garbage; `injecting` sends another reply after "220 go ahead". */
  starttls: 'none' | 'offered' | 'broken' | 'injecting';
  auth: { user: string; pass: string } | null;
  authMechanisms: string[];
  midBody: { afterBytes: number; answer: SinkAnswer } | null;
  dripMs: number;
  /** Further connections are refused. */
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
  /** The parameters of MAIL: `SIZE=42 BODY=8BITMIME`. */
  parameters: string;
  recipients: string[];
  /** The message without dot stuffing. */
  data: Buffer;
  at: Date;
  /** The number of the connection, from 1. */
  connection: number;
  isSecured: boolean;
  user: string | null;
  /** The sink's reply to the data. */
  answer: string;
}

export interface SinkRecord {
  behaviour: SinkBehaviour;
  /** Complete messages with a 2xx reply. */
  messages: SinkMessage[];
  /** Complete messages with another reply or none. */
  refused: SinkMessage[];
  /** Every command line of every connection, as received. */
  commands: string[];
}

export function ehloReply(behaviour: SinkBehaviour, isSecured: boolean): string {
  const { extensions, sizeLimit, starttls, auth, authMechanisms } = behaviour;
  const lines = ['sink.test', ...extensions];
  if (sizeLimit !== null) lines.push(`SIZE ${sizeLimit}`);
  if (starttls !== 'none' && !isSecured) lines.push('STARTTLS');
  if (auth) lines.push(`AUTH ${authMechanisms.join(' ')}`);
  return lines.map((line, index) => `250${index === lines.length - 1 ? ' ' : '-'}${line}`).join('\r\n');
}

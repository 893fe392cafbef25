/**
 * Asks rspamd about messages, and teaches it (https://docs.rspamd.com/developers/protocol). A failure never delays mail
 * for long: after one, nothing is asked for some seconds.
 */
import { toOneLine } from '../mime/header-encoding.ts';
import { Agent, request, type Dispatcher } from 'undici';

interface RspamdEnvelope {
  /** Null for mail that was written here. */
  ip: string | null;
  helo: string;
  mailFrom: string;
  recipients: string[];
  mta: string;
  queueId: string;
}

export interface RspamdResult {
  score: number;
  action: string;
  symbols: { name: string; score: number; description: string | null }[];
}

export interface Rspamd {
  /** Returns null if there is no answer. */
  check(raw: Buffer, envelope: RspamdEnvelope): Promise<RspamdResult | null>;
  close(): Promise<void>;
}

export type RspamdState = { isUp: true } | { isUp: false; reason: string };

const CHECK_MS = 8_000;
const LEARN_MS = 20_000;
const PAUSE_MS = 5_000;
const MAX_ANSWER_BYTES = 1024 * 1024;
/** rspamd refuses larger messages by default. */
const MAX_MESSAGE_BYTES = 50 * 1024 * 1024;
const MAX_SYMBOLS = 100;
const MAX_TEXT = 200;

/** `onState` is called when rspamd fails for the first time, and when it works again. */
export function createRspamd(url: string, onState: (state: RspamdState) => void, now = Date.now): Rspamd {
  const agent = new Agent({ connections: 20 });
  const endpoint = readEndpoint(url);
  let isUp = true;
  let askAgainAt = 0;

  function fail(error: unknown): null {
    askAgainAt = now() + PAUSE_MS;
    if (isUp) onState({ isUp: false, reason: describe(error) });
    isUp = false;
    return null;
  }

  return {
    async check(raw, envelope) {
      if (raw.length > MAX_MESSAGE_BYTES || now() < askAgainAt) return null;
      try {
        const { statusCode, text } = await post(
          agent,
          endpoint,
          'checkv2',
          raw,
          CHECK_MS,
          headersOf(envelope),
        );
        if (statusCode !== 200) return fail(new Error(`status ${statusCode}`));
        const result = readResult(text);
        if (!isUp) onState({ isUp: true });
        isUp = true;
        return result;
      } catch (error) {
        return fail(error);
      }
    },
    close: () => agent.destroy(),
  };
}

/** Throws if rspamd cannot be reached. What it does not want to learn, such as a short message, is no error. */
export async function teachRspamd(url: string, raw: Buffer, kind: 'spam' | 'ham'): Promise<void> {
  const agent = new Agent();
  try {
    const { statusCode } = await post(agent, readEndpoint(url), `learn${kind}`, raw, LEARN_MS, {});
    if (statusCode >= 500 || statusCode === 403 || statusCode === 401)
      throw new Error(`rspamd answered with status ${statusCode}`);
  } finally {
    await agent.destroy();
  }
}

interface Endpoint {
  base: string;
  headers: Record<string, string>;
}

/** The password of the controller may be in the URL. */
function readEndpoint(text: string): Endpoint {
  const url = new URL(text);
  const password = decodeURIComponent(url.password);
  return {
    base: `${url.origin}${url.pathname.replace(/\/$/, '')}`,
    headers: password ? { password } : {},
  };
}

async function post(
  dispatcher: Dispatcher,
  { base, headers }: Endpoint,
  path: string,
  raw: Buffer,
  timeoutMs: number,
  more: Record<string, string | string[]>,
): Promise<{ statusCode: number; text: string }> {
  const { statusCode, body } = await request(`${base}/${path}`, {
    method: 'POST',
    dispatcher,
    signal: AbortSignal.timeout(timeoutMs),
    headers: { 'content-type': 'application/octet-stream', ...headers, ...more },
    body: raw,
  });
  body.on('error', () => {});
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) throw new Error('its answer is too long');
    chunks.push(chunk);
  }
  return { statusCode, text: Buffer.concat(chunks).toString('utf8') };
}

function headersOf({ ip, helo, mailFrom, recipients, mta, queueId }: RspamdEnvelope) {
  return {
    ...(ip === null ? {} : { ip }),
    from: toHeader(mailFrom),
    rcpt: recipients.map(toHeader),
    'mta-name': toHeader(mta),
    'queue-id': toHeader(queueId),
    ...(helo ? { helo: toHeader(helo) } : {}),
  };
}

/** Headers are bytes, so other characters than those of ASCII go as UTF-8. */
function toHeader(text: string): string {
  return Buffer.from(toOneLine(text)).toString('latin1');
}

function readResult(text: string): RspamdResult {
  const answer = JSON.parse(text) as { score?: unknown; action?: unknown; symbols?: unknown } | null;
  if (typeof answer?.score !== 'number' || typeof answer.action !== 'string')
    throw new Error('its answer has no score and action');
  const symbols = Object.entries(
    (answer.symbols ?? {}) as Record<string, { score?: unknown; description?: unknown } | null>,
  )
    .slice(0, MAX_SYMBOLS)
    .map(([name, symbol]) => ({
      name: name.slice(0, MAX_TEXT),
      score: typeof symbol?.score === 'number' ? round(symbol.score) : 0,
      description: typeof symbol?.description === 'string' ? symbol.description.slice(0, MAX_TEXT) : null,
    }));
  return { score: round(answer.score), action: answer.action, symbols };
}

export function round(score: number): number {
  return Number.isFinite(score) ? Math.round(score * 100) / 100 : 0;
}

function describe(error: unknown): string {
  const { message, code } = error as { message?: string; code?: string };
  return (code ?? message ?? 'it does not respond').slice(0, MAX_TEXT);
}

/** Reads a vendor's HTTP API. Requests are repeated after timeouts, lost connections, 429 and server errors. */
import { setTimeout as wait } from 'node:timers/promises';
import type { z } from 'zod';
import { AppError } from '../../platform/errors.ts';

const TIMEOUT_MS = 60_000;
const MAX_FAILURES = 5;
const FIRST_DELAY_MS = 250;
/** A vendor that asks to wait longer than this is treated as unavailable. */
const MAX_RETRY_AFTER_MS = 5 * 60_000;
/** A page of contacts has some hundred kilobytes. */
const MAX_BODY_BYTES = 64 * 1024 * 1024;

type Query = Record<string, string | number | undefined>;

export interface VendorApi {
  /**
   * `path` is relative to the base URL. Throws an AppError whose message names the vendor, also for a response with an
   * unexpected shape.
   */
  get<Shape extends z.ZodType>(shape: Shape, path: string, query?: Query): Promise<z.output<Shape>>;
  /** Like `get`, but returns null if the vendor does not have the path (404, 405 and 501). */
  find<Shape extends z.ZodType>(shape: Shape, path: string, query?: Query): Promise<z.output<Shape> | null>;
}

export function createVendorApi(
  vendor: string,
  baseUrl: string,
  authorization: string,
  signal: AbortSignal,
): VendorApi {
  const base = checkUrl(baseUrl);
  async function request(path: string, query: Query) {
    const url = new URL(`${base}${path}`);
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) url.searchParams.set(name, String(value));
    for (let failures = 1; ; failures++) {
      const result = await attempt(url, authorization, signal);
      if (!('retryAfterMs' in result)) return result;
      if (failures === MAX_FAILURES || result.retryAfterMs > MAX_RETRY_AFTER_MS)
        throw unavailable(vendor, base, result.problem);
      const delay = FIRST_DELAY_MS * 2 ** (failures - 1) * (1 + Math.random() / 4);
      await wait(Math.max(result.retryAfterMs, delay), undefined, { signal });
    }
  }
  const find: VendorApi['find'] = async (shape, path, query = {}) => {
    const { status, body } = await request(path, query);
    if (status === 404 || status === 405 || status === 501) return null;
    if (status === 401 || status === 403)
      throw new AppError(
        'UNAUTHORIZED',
        `${vendor} refused the key (${status}${messageOf(body)}). Use a key that can read the whole account.`,
      );
    if (status >= 300)
      throw new AppError('UNAVAILABLE', `${vendor} refused GET ${path} (${status}${messageOf(body)}).`);
    const result = shape.safeParse(parse(vendor, base, body));
    if (result.success) return result.data;
    const { path: at, message } = result.error.issues[0]!;
    throw new AppError(
      'UNAVAILABLE',
      `${vendor} answered GET ${path} in an unknown form: ${at.map(String).join('.')} ${message}.`,
    );
  };
  return {
    find,
    async get(shape, path, query) {
      const body = await find(shape, path, query);
      if (body === null)
        throw new AppError('UNAVAILABLE', `${vendor} has no ${path} at ${base}. Check the URL.`);
      return body;
    },
  };
}

type VendorAttempt = { status: number; body: string } | { retryAfterMs: number; problem: string };

async function attempt(url: URL, authorization: string, signal: AbortSignal): Promise<VendorAttempt> {
  const headers = { authorization, accept: 'application/json', 'user-agent': 'posthorn-import' };
  try {
    // A redirect could carry the key to another host.
    const response = await fetch(url, {
      headers,
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    if (Number(response.headers.get('content-length') ?? 0) > MAX_BODY_BYTES)
      return { retryAfterMs: Infinity, problem: 'the answer is too large' };
    const body = await response.text();
    const { status } = response;
    if (status === 429 || (status >= 500 && status !== 501))
      return { retryAfterMs: readRetryAfter(response.headers.get('retry-after')), problem: String(status) };
    return { status, body };
  } catch (error) {
    if (signal.aborted) throw error;
    return { retryAfterMs: 0, problem: describe(error) };
  }
}

/** The value is a number of seconds or a date (RFC 9110, section 10.2.3). */
function readRetryAfter(value: string | null): number {
  if (value === null) return 0;
  const ms = /^\d{1,9}$/.test(value.trim()) ? Number(value) * 1_000 : Date.parse(value) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : 0;
}

function checkUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || !['http:', 'https:'].includes(url.protocol))
    throw new AppError('BAD_REQUEST', `${text} is not the URL of an HTTP API.`);
  return text.replace(/\/+$/, '');
}

function parse(vendor: string, base: string, body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    throw new AppError('UNAVAILABLE', `${vendor} at ${base} did not answer with JSON. Check the URL.`);
  }
}

function unavailable(vendor: string, base: string, problem: string): AppError {
  return new AppError(
    'UNAVAILABLE',
    `${vendor} at ${base} is not available (${problem}). Run the same command again later to continue.`,
  );
}

/** Returns the vendor's error message on one line. */
function messageOf(body: string): string {
  try {
    const { message, error, detail, title } = JSON.parse(body) as Record<string, unknown>;
    const text = [detail, message, error, title].find((each) => typeof each === 'string');
    return typeof text === 'string'
      ? `: ${text
          .replaceAll(/[\p{Cc}\s]+/gu, ' ')
          .slice(0, 200)
          .replace(/\.$/, '')}`
      : '';
  } catch {
    return '';
  }
}

function describe(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const { code, name, message } = cause as NodeJS.ErrnoException;
  return name === 'TimeoutError' ? 'no answer within a minute' : (code ?? message);
}

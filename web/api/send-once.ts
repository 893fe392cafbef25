/**
 * Requests that create or send something. If the answer was lost, nobody knows whether the server has done it. The same
 * request again then has the same idempotency key, so that pressing the button twice makes one thing.
 */
import { ApiError, sendJson } from './client.ts';
import { randomKey } from './random-key.ts';

interface LostAnswer {
  key: string;
  at: number;
}

/** By path and body. */
const lostAnswers = new Map<string, LostAnswer>();
/** Later, the same request is meant as another one. */
const SAME_WITHIN_MS = 10 * 60_000;

export async function sendOnce<Answer>(path: string, body?: unknown): Promise<Answer> {
  const name = JSON.stringify([path, body ?? null]);
  const lost = lostAnswers.get(name);
  const key = lost && Date.now() - lost.at < SAME_WITHIN_MS ? lost.key : randomKey();
  try {
    const answer = await sendJson<Answer>('POST', path, body, { 'idempotency-key': key });
    lostAnswers.delete(name);
    return answer;
  } catch (error) {
    if (isUncertain(error)) lostAnswers.set(name, { key, at: Date.now() });
    else lostAnswers.delete(name);
    throw error;
  }
}

/** 409 may mean that the first request is still under way. */
function isUncertain(error: unknown): boolean {
  const status = error instanceof ApiError ? error.status : 0;
  return status === 0 || status === 409 || status >= 500;
}

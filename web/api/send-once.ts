/**
 * Requests that create or send something. If the response was lost, it is unknown whether the request succeeded.
 * Repeating it then uses the same idempotency key, so that pressing the button twice creates one object.
 */
import { ApiError, sendJson } from './client.ts';
import { randomKey } from './random-key.ts';

interface LostAnswer {
  key: string;
  at: number;
}

/** The requests without a response, by path and body. */
const lostAnswers = new Map<string, LostAnswer>();
/** After this time, the same request counts as a new one. */
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

/** 409 may mean that the first request is still in progress. */
function isUncertain(error: unknown): boolean {
  const status = error instanceof ApiError ? error.status : 0;
  return status === 0 || status === 409 || status >= 500;
}

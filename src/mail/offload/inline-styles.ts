/**
 * Inlines styles in a worker thread. Even small documents go to the thread, because their size does not predict the
 * cost. Recent results are cached, because the same document is usually rendered repeatedly.
 */
import { createHash } from 'node:crypto';
import { inlineInThread } from './thread-pool.ts';

/** Large providers clip mail at a third of this size. Styles of larger documents are not inlined. */
const MAX_LENGTH = 300_000;
const MAX_CACHED = 10;
/** A failure may be temporary, caused by a lack of memory or time. */
const FAILURE_CACHED_MS = 60_000;

/** Keyed by the hash of the document. Null means that the document stays unchanged. */
const cache = new Map<string, Promise<string | null>>();
const lastJobs = new Map<number, Promise<unknown>>();

/**
 * Returns the HTML unchanged if inlining fails or takes too long. Documents of one owner are processed one at a
 * time, so that they do not delay those of others.
 */
export async function inlineStylesOffLoop(html: string, owner: number): Promise<string> {
  if (html.length > MAX_LENGTH || !/<style\b/i.test(html)) return html;
  const key = createHash('sha256').update(html).digest('base64');
  let styled = cache.get(key);
  if (!styled) {
    styled = oneAtATime(owner, () => inlineInThread(html).catch(() => expireLater(key)));
    if (cache.size >= MAX_CACHED) cache.delete(cache.keys().next().value!);
    cache.set(key, styled);
  }
  return (await styled) ?? html;
}

function expireLater(key: string): null {
  setTimeout(() => cache.delete(key), FAILURE_CACHED_MS).unref();
  return null;
}

function oneAtATime<Result>(owner: number, work: () => Promise<Result>): Promise<Result> {
  const job = (lastJobs.get(owner) ?? Promise.resolve()).then(work);
  lastJobs.set(owner, job);
  void job.then(() => lastJobs.get(owner) === job && lastJobs.delete(owner));
  return job;
}

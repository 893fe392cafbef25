/** The name by which CAA records permit our certificate authority (RFC 8555 section 9.7.6). */
import { HOUR_MS } from '../../../platform/durations.ts';

const LETS_ENCRYPT = 'letsencrypt.org';
const TIMEOUT_MS = 10_000;

/** The function returns null if the authority has no name, or cannot be asked. Its answer is kept for an hour. */
export function createAuthorityFinder(directoryUrl: string): () => Promise<string | null> {
  if (new URL(directoryUrl).hostname.endsWith(`.${LETS_ENCRYPT}`)) return () => Promise.resolve(LETS_ENCRYPT);
  let kept: { name: string | null; untilMs: number } | null = null;
  return async () => {
    if (kept && kept.untilMs > Date.now()) return kept.name;
    try {
      kept = { name: await readName(directoryUrl), untilMs: Date.now() + HOUR_MS };
      return kept.name;
    } catch {
      return null;
    }
  };
}

async function readName(directoryUrl: string): Promise<string | null> {
  const response = await fetch(directoryUrl, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  const directory = (await response.json()) as { meta?: { caaIdentities?: unknown } } | null;
  const names = directory?.meta?.caaIdentities;
  const [name] = Array.isArray(names) ? (names as unknown[]) : [];
  return typeof name === 'string' ? name.toLowerCase() : null;
}

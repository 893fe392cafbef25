/** The limits of requests (RFC 8620 section 2), and how many requests of a mailbox run at once. */
export const LIMITS = {
  maxConcurrentUpload: 4,
  maxSizeRequest: 10_000_000,
  maxConcurrentRequests: 8,
  maxCallsInRequest: 32,
  maxObjectsInGet: 1_000,
  maxObjectsInSet: 500,
};
/** Sending can be put off for a year, as in webmail. */
export const MAX_DELAY_SECONDS = 365 * 24 * 60 * 60;
/** Open event streams of one mailbox. */
const MAX_STREAMS = 50;
const MAX_STREAMS_OF_ALL = 5_000;

export interface RequestLimits {
  /** Counts a request. Null if there are too many already; otherwise a function that uncounts it. */
  begin(kind: 'request' | 'upload' | 'stream', mailboxId: string): (() => void) | null;
}

const MOST = {
  request: LIMITS.maxConcurrentRequests,
  upload: LIMITS.maxConcurrentUpload,
  stream: MAX_STREAMS,
};

export function createRequestLimits(): RequestLimits {
  const counts = new Map<string, number>();
  let streams = 0;
  return {
    begin(kind, mailboxId) {
      const name = `${kind} ${mailboxId}`;
      const running = counts.get(name) ?? 0;
      if (running >= MOST[kind] || (kind === 'stream' && streams >= MAX_STREAMS_OF_ALL)) return null;
      counts.set(name, running + 1);
      if (kind === 'stream') streams += 1;
      let isCounted = true;
      return () => {
        if (!isCounted) return;
        isCounted = false;
        const left = counts.get(name)! - 1;
        if (left === 0) counts.delete(name);
        else counts.set(name, left);
        if (kind === 'stream') streams -= 1;
      };
    },
  };
}

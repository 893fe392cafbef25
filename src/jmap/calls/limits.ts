/** The limits of requests (RFC 8620 section 2), and the number of concurrent requests per mailbox. */
import { createOpenCounts } from '../../platform/telemetry/open-counts.ts';

export const LIMITS = {
  maxConcurrentUpload: 4,
  maxSizeRequest: 10_000_000,
  maxConcurrentRequests: 8,
  maxCallsInRequest: 32,
  maxObjectsInGet: 1_000,
  maxObjectsInSet: 500,
};
/** Messages can be scheduled up to a year ahead, as in webmail. */
export const MAX_DELAY_SECONDS = 365 * 24 * 60 * 60;
/** The maximum number of open event streams per mailbox. */
const MAX_STREAMS = 50;
const MAX_STREAMS_OF_ALL = 5_000;

export interface RequestLimits {
  /** Counts a request. Returns null if there are too many, otherwise a function that decreases the count. */
  begin(kind: 'request' | 'upload' | 'stream', mailboxId: string): (() => void) | null;
}

const MOST = {
  request: LIMITS.maxConcurrentRequests,
  upload: LIMITS.maxConcurrentUpload,
  stream: MAX_STREAMS,
};

export function createRequestLimits(): RequestLimits {
  const { count } = createOpenCounts();
  return {
    begin(kind, mailboxId) {
      const uncount = count(`${kind} ${mailboxId}`, MOST[kind]);
      if (!uncount || kind !== 'stream') return uncount;
      const uncountStream = count('streams', MAX_STREAMS_OF_ALL);
      if (!uncountStream) {
        uncount();
        return null;
      }
      return () => {
        uncount();
        uncountStream();
      };
    },
  };
}

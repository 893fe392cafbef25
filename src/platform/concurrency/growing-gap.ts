export interface GapLimits {
  firstMs: number;
  longestMs: number;
}

/** The wait before the next try after this many failures in a row: it doubles each time, up to a limit. */
export function growingGapMs(failures: number, { firstMs, longestMs }: GapLimits): number {
  return Math.min(longestMs, firstMs * 2 ** Math.min(failures - 1, 30));
}

/**
 * Wraps one of several tasks of a loop, so that its failures do not stop the others. After a failure the task is skipped
 * until the gap has passed. Returns null when it failed or was skipped.
 */
export function withGrowingGaps<Result>(
  task: () => Promise<Result>,
  limits: GapLimits,
  onFailure: (error: unknown, failures: number) => void,
): () => Promise<Result | null> {
  let failures = 0;
  let notBeforeMs = 0;
  return async () => {
    if (performance.now() < notBeforeMs) return null;
    try {
      const result = await task();
      failures = 0;
      return result;
    } catch (error) {
      failures += 1;
      notBeforeMs = performance.now() + growingGapMs(failures, limits);
      onFailure(error, failures);
      return null;
    }
  };
}

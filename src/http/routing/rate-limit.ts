/** The rate limit: a fixed window per minute, team and process. Headers: draft-ietf-httpapi-ratelimit-headers-11. */
const WINDOW_SECONDS = 60;

export interface RateLimit {
  /** Counts one request of the team. */
  count(teamId: number, nowMs: number): { allowed: boolean; headers: Record<string, string> };
}

export function createRateLimit(perMinute: number): RateLimit {
  const windows = new Map<number, { endsMs: number; used: number }>();
  const policy = `"team";q=${perMinute};w=${WINDOW_SECONDS}`;
  return {
    count(teamId, nowMs) {
      let window = windows.get(teamId);
      if (!window || window.endsMs <= nowMs) {
        window = { endsMs: nowMs + WINDOW_SECONDS * 1000, used: 0 };
        windows.set(teamId, window);
      }
      const allowed = window.used < perMinute;
      if (allowed) window.used += 1;
      // Rounding may have made the sum slightly more than the window.
      const seconds = Math.min(Math.ceil((window.endsMs - nowMs) / 1000), WINDOW_SECONDS);
      const headers: Record<string, string> = {
        'ratelimit-policy': policy,
        ratelimit: `"team";r=${perMinute - window.used};t=${seconds}`,
      };
      if (!allowed) headers['retry-after'] = String(seconds);
      return { allowed, headers };
    },
  };
}

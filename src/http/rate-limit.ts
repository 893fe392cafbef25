/** A fixed window of one minute per team, kept in this process. Headers as in draft-ietf-httpapi-ratelimit-headers-11. */
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
      const seconds = Math.ceil((window.endsMs - nowMs) / 1000);
      const headers: Record<string, string> = {
        'ratelimit-policy': policy,
        ratelimit: `"team";r=${perMinute - window.used};t=${seconds}`,
      };
      if (!allowed) headers['retry-after'] = String(seconds);
      return { allowed, headers };
    },
  };
}

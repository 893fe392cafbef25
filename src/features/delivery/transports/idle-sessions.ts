/**
 * Keeps connections open for the next delivery. Servers limit open connections, so each gets a QUIT after ten idle
 * seconds even if no other delivery follows.
 */
import type { SmtpSession } from '../../../mail/smtp/session.ts';

const IDLE_MS = 10_000;

export interface IdleSessions {
  /** Returns the most recently used session, or null. */
  take(): SmtpSession | null;
  keep(session: SmtpSession): void;
  close(): Promise<void>;
}

export function createIdleSessions(): IdleSessions {
  /** Sorted by idle time, longest first. */
  const idle: { session: SmtpSession; sinceMs: number }[] = [];
  let timer: NodeJS.Timeout | null = null;

  function closeExpired(): void {
    timer = null;
    const now = performance.now();
    while (idle[0] && now - idle[0].sinceMs >= IDLE_MS) void idle.shift()!.session.close();
    if (idle[0]) timer = setTimeout(closeExpired, idle[0].sinceMs + IDLE_MS - now).unref();
  }

  return {
    take() {
      for (let entry = idle.pop(); entry; entry = idle.pop()) {
        // A connection that the server has closed or is about to close would make the attempt fail.
        if (entry.session.isUsable && performance.now() - entry.sinceMs < IDLE_MS) return entry.session;
        void entry.session.close();
      }
      return null;
    },
    keep(session) {
      idle.push({ session, sinceMs: performance.now() });
      timer ??= setTimeout(closeExpired, IDLE_MS).unref();
    },
    async close() {
      if (timer) clearTimeout(timer);
      timer = null;
      await Promise.all(idle.splice(0).map(({ session }) => session.close()));
    },
  };
}

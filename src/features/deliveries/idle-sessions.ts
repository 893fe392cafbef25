/**
 * Open connections that no delivery uses, kept for the next one. Servers count open connections, so each gets its QUIT
 * after ten seconds also when no further delivery comes.
 */
import type { SmtpSession } from '../../mail/smtp-session.ts';

const IDLE_MS = 10_000;

export interface IdleSessions {
  /** The one that was used last; null when there is none. */
  take(): SmtpSession | null;
  keep(session: SmtpSession): void;
  close(): Promise<void>;
}

export function createIdleSessions(): IdleSessions {
  /** The first has been idle for the longest time. */
  const idle: { session: SmtpSession; sinceMs: number }[] = [];
  let timer: NodeJS.Timeout | null = null;

  function sweep(): void {
    timer = null;
    const now = performance.now();
    while (idle[0] && now - idle[0].sinceMs >= IDLE_MS) void idle.shift()!.session.close();
    if (idle[0]) timer = setTimeout(sweep, idle[0].sinceMs + IDLE_MS - now).unref();
  }

  return {
    take() {
      for (let entry = idle.pop(); entry; entry = idle.pop()) {
        // A server that closed meanwhile, or is about to, would cost the delivery an attempt.
        if (entry.session.isUsable && performance.now() - entry.sinceMs < IDLE_MS) return entry.session;
        void entry.session.close();
      }
      return null;
    },
    keep(session) {
      idle.push({ session, sinceMs: performance.now() });
      timer ??= setTimeout(sweep, IDLE_MS).unref();
    },
    async close() {
      if (timer) clearTimeout(timer);
      timer = null;
      await Promise.all(idle.splice(0).map(({ session }) => session.close()));
    },
  };
}

/** Says that this person has the conversation open, again and again while the page is visible. */
import { useEffect } from 'react';
import { sendJson } from '../../../api/client.ts';

/** Presence holds for 30 seconds. */
const EVERY_MS = 20_000;

export function usePresence(threadId: string, isReplying: boolean): void {
  useEffect(() => {
    const say = () => {
      if (document.visibilityState !== 'visible') return;
      const state = isReplying ? 'replying' : 'viewing';
      // The next one says it again.
      void sendJson('PUT', `/threads/${threadId}/presence`, { state }).catch(() => null);
    };
    say();
    const timer = window.setInterval(say, EVERY_MS);
    return () => window.clearInterval(timer);
  }, [threadId, isReplying]);
}

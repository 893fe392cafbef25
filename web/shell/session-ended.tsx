/**
 * Shown when the session has ended while its page is open. The page stays, with everything that was typed. After
 * signing in again in another tab, the user can continue here.
 */
import { skipToken, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { SignInSession } from '../../src/features/identity/people/people.schema.ts';
import { getJson } from '../api/client.ts';
import { queryClient, SESSION_END_KEY, SESSION_KEY } from '../api/query-client.ts';
import { texts } from '../texts/en.ts';
import { Button, buttonClasses } from '../ui/button.tsx';
import { Dialog, DialogActions } from '../ui/dialogs/dialog.tsx';

const t = texts.sessionEnded;
/** Automatic requests of the page must not reopen the dialog immediately. */
const REST_MS = 60_000;
const PAUSE_MS = 1_000;

export function SessionEnded() {
  const { data: noticedAt } = useQuery<number>({ queryKey: SESSION_END_KEY, queryFn: skipToken });
  const [closedAt, setClosedAt] = useState(0);
  const hasEnded = noticedAt !== undefined;
  useEffect(() => {
    if (!hasEnded) return undefined;
    const ending = new AbortController();
    const { signal } = ending;
    window.addEventListener('focus', () => void lookForSession(), { signal });
    document.addEventListener(
      'visibilitychange',
      () => document.visibilityState === 'visible' && void lookForSession(),
      { signal },
    );
    return () => ending.abort();
  }, [hasEnded]);
  const isDue = hasEnded && noticedAt >= closedAt + REST_MS;
  const isPause = usePauseInTyping(isDue);
  if (!isDue || !isPause) return null;
  const close = () => setClosedAt(Date.now());
  return (
    <Dialog title={t.title} onClose={close}>
      <p className="text-soft">{t.text}</p>
      <DialogActions>
        <Button onClick={close}>{t.notNow}</Button>
        <SignInLink />
      </DialogActions>
    </Dialog>
  );
}

/**
 * Waits for a pause in typing: a dialog that opens while the user types would take the keys, and a space would
 * close it.
 */
function usePauseInTyping(isWaitedFor: boolean): boolean {
  const [isPause, setIsPause] = useState(false);
  useEffect(() => {
    if (!isWaitedFor) return undefined;
    const begin = () => setTimeout(setIsPause, PAUSE_MS, true);
    let timer = begin();
    const typed = () => {
      clearTimeout(timer);
      timer = begin();
    };
    window.addEventListener('keydown', typed, true);
    return () => {
      clearTimeout(timer);
      window.removeEventListener('keydown', typed, true);
      setIsPause(false);
    };
  }, [isWaitedFor]);
  return isPause;
}

export function SignInLink({ size }: { size?: 'small' }) {
  return (
    <a href="/sign-in" target="_blank" rel="noreferrer" className={buttonClasses('primary', size)}>
      {t.signIn}
    </a>
  );
}

async function lookForSession(): Promise<void> {
  const before = queryClient.getQueryData<SignInSession>(SESSION_KEY);
  const now = await getJson<SignInSession>('/auth/session').catch(() => null);
  if (!now) return;
  // The user or the team is another one, so the data on this page does not belong to them.
  if (now.user.id !== before?.user.id || now.team.id !== before.team.id) window.location.assign('/');
  queryClient.setQueryData(SESSION_KEY, now);
  await queryClient.resetQueries({ queryKey: SESSION_END_KEY });
  await queryClient.invalidateQueries();
}

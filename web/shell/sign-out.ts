import { useNavigate } from '@tanstack/react-router';
import { sendJson } from '../api/client.ts';
import { leaveSession } from '../features/people/session.ts';

export function useSignOut(): () => Promise<void> {
  const navigate = useNavigate();
  return async () => {
    // Navigating first asks about unsaved changes. A user who stays is not signed out.
    await navigate({ to: '/' });
    if (window.location.pathname !== '/') return;
    await sendJson('POST', '/auth/sign-out').catch(() => null);
    await navigate({ to: '/sign-in' });
    leaveSession();
  };
}

import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { OwnTeams, SignInSession } from '../../src/features/identity/people/people.schema.ts';
import { getJson, sendJson } from '../api/client.ts';
import { describeError } from '../api/describe-error.ts';
import { enterSession, useSession } from '../features/people/session.ts';
import { texts } from '../texts/en.ts';
import { MenuChoice, MenuSeparator } from '../ui/menu.tsx';
import { showToast } from '../ui/toasts.ts';

/** Switches the team, for people in several teams. */
export function TeamMenu() {
  const { team } = useSession();
  const navigate = useNavigate();
  const { data } = useQuery({ queryKey: ['own-teams'], queryFn: () => getJson<OwnTeams>('/auth/teams') });
  if (!data || data.items.length < 2) return null;

  async function switchTo(teamId: string): Promise<void> {
    try {
      const session = await sendJson<SignInSession>('POST', '/auth/switch-team', { teamId: Number(teamId) });
      await navigate({ to: '/' });
      enterSession(session);
    } catch (error) {
      showToast(describeError(error), { tone: 'bad' });
    }
  }

  return (
    <>
      <MenuChoice
        label={texts.shell.team}
        value={String(team.id)}
        options={data.items.map(({ id, name }) => [String(id), name] as const)}
        onChange={(id) => void switchTo(id)}
      />
      <MenuSeparator />
    </>
  );
}

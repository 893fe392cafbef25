import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { getJson, sendJson } from '../../api/client.ts';
import { texts } from '../../texts/en.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormError, useSubmission } from '../../ui/form.tsx';
import { ErrorState, Skeleton } from '../../ui/states.tsx';
import { Gate } from './gate.tsx';
import type { Session } from './people-types.ts';
import { enterSession } from './session.ts';

const t = texts.people.invitation;

export function InvitationPage() {
  const { token } = useSearch({ from: '/invitation' });
  const invitation = useQuery({
    queryKey: ['invitation', token],
    queryFn: () => getJson<{ email: string; teamName: string }>('/auth/invitation', { token }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (invitation.isPending) return <Gate title={t.heading} children={<Skeleton className="h-40" />} />;
  if (invitation.isError) {
    return <Gate title={t.heading} children={<ErrorState error={invitation.error} />} />;
  }
  const { email, teamName } = invitation.data;
  return (
    <Gate title={t.title(teamName)} lead={t.lead(email)}>
      <JoinForm token={token} email={email} />
    </Gate>
  );
}

function JoinForm({ token, email }: { token: string; email: string }) {
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const { busy, errorOf, errorBeside, onSubmit } = useSubmission(async () => {
    enterSession(await sendJson<Session>('POST', '/auth/accept-invitation', { token, name, password }));
    await navigate({ to: '/', replace: true });
  });
  return (
    <form onSubmit={onSubmit} className="space-y-4">
      {/* Not shown: it tells password managers whose password this is. */}
      <input type="hidden" name="username" autoComplete="username" value={email} readOnly />
      <TextField
        label={texts.people.setup.name}
        value={name}
        autoComplete="name"
        autoFocus
        required
        error={errorOf('name')}
        onChange={(event) => setName(event.target.value)}
      />
      <TextField
        label={texts.people.setup.password}
        hint={texts.people.setup.passwordHint}
        type="password"
        value={password}
        autoComplete="new-password"
        required
        error={errorOf('password')}
        onChange={(event) => setPassword(event.target.value)}
      />
      <FormError error={errorBeside('name', 'password')} />
      <Button type="submit" look="primary" busy={busy} className="w-full">
        {t.action}
      </Button>
    </form>
  );
}

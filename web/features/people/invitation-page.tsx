import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import type { SignInSession } from '../../../src/features/identity/people/people.schema.ts';
import { getJson, sendJson } from '../../api/client.ts';
import { peopleTexts } from '../../texts/en/people.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { useForm } from '../../ui/form.tsx';
import { ErrorState, Skeleton } from '../../ui/states.tsx';
import { asksForCode, CodeField } from './code-field.tsx';
import { Gate, GateForm } from './gate.tsx';
import { enterSession } from './session.ts';

const t = peopleTexts.invitation;

interface ShownInvitation {
  email: string;
  teamName: string;
  proves: boolean;
}

export function InvitationPage() {
  const { token } = useSearch({ from: '/invitation' });
  const invitation = useQuery({
    queryKey: ['invitation', token],
    queryFn: () => getJson<ShownInvitation>('/auth/invitation', { token }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (invitation.isPending) return <Gate title={t.heading} children={<Skeleton className="h-40" />} />;
  if (invitation.isError) {
    return <Gate title={t.heading} children={<ErrorState error={invitation.error} />} />;
  }
  const { email, teamName, proves } = invitation.data;
  return (
    <Gate title={t.title(teamName)} lead={proves ? t.lead(email) : t.leadUnproven(email)}>
      <JoinForm token={token} email={email} />
    </Gate>
  );
}

/** The server tells nobody whether the address has an account, so the person says it. */
function JoinForm({ token, email }: { token: string; email: string }) {
  const navigate = useNavigate();
  const [hasAccount, setHasAccount] = useState(false);
  const [needsCode, setNeedsCode] = useState(false);
  const form = useForm({ name: '', password: '', code: '' }, async ({ name, password, code }) => {
    // An existing account keeps its name.
    const input = { token, name: hasAccount ? email : name, password, ...(needsCode ? { code } : {}) };
    try {
      enterSession(await sendJson<SignInSession>('POST', '/auth/accept-invitation', input));
    } catch (error) {
      if (asksForCode(error)) setNeedsCode(true);
      throw error;
    }
    await navigate({ to: '/', replace: true });
  });
  return (
    <GateForm form={form} action={t.action}>
      {/* This hidden field tells password managers which account the password belongs to. */}
      <input type="hidden" name="username" autoComplete="username" value={email} readOnly />
      {!hasAccount && (
        <TextField
          label={peopleTexts.setup.name}
          {...form.text('name')}
          autoComplete="name"
          autoFocus
          required
        />
      )}
      <TextField
        label={peopleTexts.setup.password}
        hint={hasAccount ? t.knownPassword(email) : peopleTexts.setup.passwordHint}
        type="password"
        {...form.text('password')}
        autoComplete={hasAccount ? 'current-password' : 'new-password'}
        required
      />
      {needsCode && <CodeField {...form.text('code')} />}
      <Button look="quiet" onClick={() => setHasAccount(!hasAccount)}>
        {hasAccount ? t.newHere : t.hasAccount}
      </Button>
    </GateForm>
  );
}

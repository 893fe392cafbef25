import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { sendJson } from '../../api/client.ts';
import { texts } from '../../texts/en.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormError, useSubmission } from '../../ui/form.tsx';
import { showToast } from '../../ui/toasts.ts';
import { Gate } from './gate.tsx';
import { leaveSession } from './session.ts';

const t = texts.people.reset;

export function ResetPage() {
  const { token } = useSearch({ from: '/reset' });
  const navigate = useNavigate();
  const [password, setPassword] = useState('');
  const { busy, errorOf, errorBeside, onSubmit } = useSubmission(async () => {
    await sendJson('POST', '/auth/reset', { token, password });
    leaveSession();
    showToast(t.done);
    await navigate({ to: '/sign-in', replace: true });
  });
  return (
    <Gate title={t.title} lead={t.lead}>
      <form onSubmit={onSubmit} className="space-y-4">
        <TextField
          label={texts.people.settings.newPassword}
          hint={texts.people.setup.passwordHint}
          type="password"
          value={password}
          autoComplete="new-password"
          autoFocus
          required
          error={errorOf('password')}
          onChange={(event) => setPassword(event.target.value)}
        />
        <FormError error={errorBeside()} />
        <Button type="submit" look="primary" busy={busy} className="w-full">
          {t.action}
        </Button>
      </form>
    </Gate>
  );
}

import { useNavigate, useSearch } from '@tanstack/react-router';
import { sendJson } from '../../api/client.ts';
import { texts } from '../../texts/en.ts';
import { TextField } from '../../ui/field.tsx';
import { useForm } from '../../ui/form.tsx';
import { showToast } from '../../ui/toasts.ts';
import { Gate, GateForm } from './gate.tsx';
import { leaveSession } from './session.ts';

const t = texts.people.reset;

export function ResetPage() {
  const { token } = useSearch({ from: '/reset' });
  const navigate = useNavigate();
  const form = useForm({ password: '' }, async ({ password }) => {
    await sendJson('POST', '/auth/reset', { token, password });
    leaveSession();
    showToast(t.done);
    await navigate({ to: '/sign-in', replace: true });
  });
  return (
    <Gate title={t.title} lead={t.lead}>
      <GateForm form={form} action={t.action}>
        <TextField
          label={texts.people.settings.newPassword}
          hint={texts.people.setup.passwordHint}
          type="password"
          {...form.text('password')}
          autoComplete="new-password"
          autoFocus
          required
        />
      </GateForm>
    </Gate>
  );
}

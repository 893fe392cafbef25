import { useNavigate, useSearch } from '@tanstack/react-router';
import { sendJson } from '../../api/client.ts';
import { peopleTexts } from '../../texts/en/people.ts';
import { TextField } from '../../ui/field.tsx';
import { useForm } from '../../ui/form.tsx';
import { showToast } from '../../ui/toasts.ts';
import { Gate, GateForm } from './gate.tsx';
import { leaveSession } from './session.ts';

const t = peopleTexts.reset;

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
          label={peopleTexts.settings.newPassword}
          hint={peopleTexts.setup.passwordHint}
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

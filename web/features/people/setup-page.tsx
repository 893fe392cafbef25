import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { sendJson } from '../../api/client.ts';
import { texts } from '../../texts/en.ts';
import { peopleTexts } from '../../texts/en/people.ts';
import { CopyLine } from '../../ui/copy.tsx';
import { TextField } from '../../ui/field.tsx';
import { useForm } from '../../ui/form.tsx';
import { asksForCode, CodeField } from './code-field.tsx';
import { Gate, GateForm } from './gate.tsx';
import type { SignInSession } from '../../../src/features/identity/people/people.schema.ts';
import { enterSession } from './session.ts';

const t = peopleTexts.setup;

export function SetupPage() {
  const { token } = useSearch({ from: '/setup' });
  const navigate = useNavigate();
  const [needsCode, setNeedsCode] = useState(false);
  const form = useForm({ name: '', email: '', password: '', code: '' }, async ({ code, ...values }) => {
    const input = { token, ...values, ...(needsCode ? { code } : {}) };
    try {
      enterSession(await sendJson<SignInSession>('POST', '/auth/setup', input));
    } catch (error) {
      if (asksForCode(error)) setNeedsCode(true);
      throw error;
    }
    await navigate({ to: '/', replace: true });
  });

  if (token === '')
    return (
      <Gate title={t.title} lead={t.noToken}>
        <p className="mb-2">{t.newLink}</p>
        <CopyLine text={t.linkCommand} label={peopleTexts.forgotten.copyCommand} />
      </Gate>
    );
  return (
    <Gate title={t.title} lead={t.lead}>
      <GateForm form={form} action={t.action}>
        <TextField label={t.name} {...form.text('name')} autoComplete="name" autoFocus required />
        <TextField
          label={texts.common.email}
          type="email"
          {...form.text('email')}
          autoComplete="username"
          required
        />
        <TextField
          label={t.password}
          hint={t.passwordHint}
          type="password"
          {...form.text('password')}
          autoComplete="new-password"
          required
        />
        {needsCode && <CodeField {...form.text('code')} />}
      </GateForm>
    </Gate>
  );
}

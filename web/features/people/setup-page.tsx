import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { sendJson } from '../../api/client.ts';
import { texts } from '../../texts/en.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormError, useSubmission } from '../../ui/form.tsx';
import { Gate } from './gate.tsx';
import type { Session } from '../../../src/features/people/people.schema.ts';
import { enterSession } from './session.ts';

const t = texts.people.setup;

export function SetupPage() {
  const { token } = useSearch({ from: '/setup' });
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const { busy, errorOf, errorBeside, onSubmit } = useSubmission(async () => {
    enterSession(await sendJson<Session>('POST', '/auth/setup', { token, name, email, password }));
    await navigate({ to: '/', replace: true });
  });

  if (token === '') return <Gate title={t.title} lead={t.noToken} children={null} />;
  return (
    <Gate title={t.title} lead={t.lead}>
      <form onSubmit={onSubmit} className="space-y-4">
        <TextField
          label={t.name}
          value={name}
          autoComplete="name"
          autoFocus
          required
          error={errorOf('name')}
          onChange={(event) => setName(event.target.value)}
        />
        <TextField
          label={texts.common.email}
          type="email"
          value={email}
          autoComplete="username"
          required
          error={errorOf('email')}
          onChange={(event) => setEmail(event.target.value)}
        />
        <TextField
          label={t.password}
          hint={t.passwordHint}
          type="password"
          value={password}
          autoComplete="new-password"
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

import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback, useEffect, useState } from 'react';
import { getJson, sendJson } from '../../api/client.ts';
import { texts } from '../../texts/en.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormError, useSubmission } from '../../ui/form.tsx';
import { Gate } from './gate.tsx';
import type { Session } from '../../../src/features/people/people.schema.ts';
import { enterSession } from './session.ts';

const t = texts.people.signIn;

export function SignInPage() {
  const { next } = useSearch({ from: '/sign-in' });
  const navigate = useNavigate();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const [needsCode, setNeedsCode] = useState(false);
  const enter = useCallback(
    (session: Session) => {
      enterSession(session);
      return navigate({ to: isOurs(next) ? next : '/', replace: true });
    },
    [navigate, next],
  );
  // The server is asked: a session that has just ended may still be remembered here.
  useEffect(() => void getJson<Session>('/auth/session').then(enter, () => null), [enter]);
  const { busy, errorOf, errorBeside, onSubmit } = useSubmission(async () => {
    const answer = await sendJson<{ needsCode: boolean; session: Session | null }>('POST', '/auth/sign-in', {
      email,
      password,
      ...(needsCode ? { code } : {}),
    });
    if (!answer.session) {
      setNeedsCode(true);
      return;
    }
    await enter(answer.session);
  });

  return (
    <Gate title={t.title} lead={t.lead}>
      <form onSubmit={onSubmit} className="space-y-4">
        {needsCode ? (
          <TextField
            key="code"
            label={t.code}
            hint={t.codeHint}
            value={code}
            autoComplete="one-time-code"
            autoFocus
            required
            error={errorOf('code')}
            onChange={(event) => setCode(event.target.value)}
          />
        ) : (
          <>
            <TextField
              label={texts.common.email}
              type="email"
              value={email}
              autoComplete="username"
              autoFocus
              required
              error={errorOf('email')}
              onChange={(event) => setEmail(event.target.value)}
            />
            <TextField
              label={t.password}
              type="password"
              value={password}
              autoComplete="current-password"
              required
              error={errorOf('password')}
              onChange={(event) => setPassword(event.target.value)}
            />
          </>
        )}
        <FormError error={errorBeside()} />
        <Button type="submit" look="primary" busy={busy} className="w-full">
          {t.action}
        </Button>
        {needsCode ? (
          <Button look="quiet" className="w-full" onClick={() => setNeedsCode(false)}>
            {t.back}
          </Button>
        ) : (
          <p className="text-[0.8125rem] text-soft">
            <Link to="/forgotten" className="rounded underline hover:text-ink">
              {t.forgotten}
            </Link>
          </p>
        )}
      </form>
    </Gate>
  );
}

/** Only to a place of this app: a link from elsewhere must not lead away after the sign-in. */
function isOurs(next: string | undefined): next is string {
  return next !== undefined && /^\/(?![/\\])/.test(next) && !next.startsWith('/sign-in');
}

import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback, useEffect, useState } from 'react';
import type { SignInSession } from '../../../src/features/identity/people/people.schema.ts';
import { getJson, sendJson } from '../../api/client.ts';
import { mustFollowLanguage } from '../../shell/language.ts';
import { texts } from '../../texts/en.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { useForm } from '../../ui/form.tsx';
import { CompanyButton } from './company-button.tsx';
import { Gate, GateForm } from './gate.tsx';
import { enterSession } from './session.ts';

const t = texts.people.signIn;

interface SignInAnswer {
  needsCode: boolean;
  session: SignInSession | null;
}

export function SignInPage() {
  const { next } = useSearch({ from: '/sign-in' });
  const navigate = useNavigate();
  const [needsCode, setNeedsCode] = useState(false);
  const enter = useCallback(
    (session: SignInSession) => {
      enterSession(session);
      const isAway = isOurs(next) && next.startsWith('/oauth/');
      // The consent page is no page of this application, and another language is another build of it.
      if (mustFollowLanguage(session.user.language) || isAway)
        return window.location.assign(isOurs(next) ? next : '/');
      return navigate({ to: isOurs(next) ? next : '/', replace: true });
    },
    [navigate, next],
  );
  // Ask the server, because the cache may still contain a session that has ended.
  useEffect(() => {
    const lookForSetup = async () => {
      const { isPending } = await getJson<{ isPending: boolean }>('/auth/setup');
      if (isPending) await navigate({ to: '/setup', search: { token: '' }, replace: true });
    };
    void getJson<SignInSession>('/auth/session').then(enter, () => lookForSetup().catch(() => null));
  }, [enter, navigate]);
  const form = useForm({ email: '', password: '', code: '' }, async ({ code, ...values }) => {
    const input = { ...values, ...(needsCode ? { code } : {}) };
    const { session } = await sendJson<SignInAnswer>('POST', '/auth/sign-in', input);
    if (session) await enter(session);
    else setNeedsCode(true);
  });
  return (
    <Gate title={t.title} lead={t.lead}>
      <GateForm
        form={form}
        action={t.action}
        after={
          needsCode ? (
            <BackButton onClick={() => setNeedsCode(false)} />
          ) : (
            <>
              <CompanyButton email={form.values.email} />
              <ForgottenLink />
            </>
          )
        }
      >
        {needsCode ? (
          <TextField
            key="code"
            label={t.code}
            hint={t.codeHint}
            {...form.text('code')}
            autoComplete="one-time-code"
            autoFocus
            required
          />
        ) : (
          <>
            <TextField
              label={texts.common.email}
              type="email"
              {...form.text('email')}
              autoComplete="username"
              autoFocus
              required
            />
            <TextField
              label={t.password}
              type="password"
              {...form.text('password')}
              autoComplete="current-password"
              required
            />
          </>
        )}
      </GateForm>
    </Gate>
  );
}

function BackButton({ onClick }: { onClick(): void }) {
  return (
    <Button look="quiet" className="w-full" onClick={onClick}>
      {t.back}
    </Button>
  );
}

function ForgottenLink() {
  return (
    <p className="text-[0.8125rem] text-soft">
      <Link to="/forgotten" className="rounded underline hover:text-ink">
        {t.forgotten}
      </Link>
    </p>
  );
}

/** True only for pages of this app: a link from elsewhere must not lead away after signing in. */
function isOurs(next: string | undefined): next is string {
  return next !== undefined && /^\/(?![/\\])/.test(next) && !next.startsWith('/sign-in');
}

import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { lazy, Suspense, useCallback, useEffect, useState } from 'react';
import type { SignInSession } from '../../../src/features/identity/people/people.schema.ts';
import type { Assertion, RequestOptions } from '../../../src/features/identity/webauthn/webauthn.schema.ts';
import { getJson, sendJson } from '../../api/client.ts';
import { mustFollowLanguage } from './language.ts';
import { texts } from '../../texts/en.ts';
import { peopleTexts } from '../../texts/en/people.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { useForm } from '../../ui/form.tsx';
import { CompanyButton } from './company-button.tsx';
import { Gate, GateForm } from './gate.tsx';
import { enterSession } from './session.ts';
import { usePasskeys } from './ways.ts';

const PasskeyButton = lazy(async () => ({
  default: (await import('./passkey-button.tsx')).PasskeyButton,
}));
const PasskeyStep = lazy(async () => ({ default: (await import('./passkey-step.tsx')).PasskeyStep }));
const t = peopleTexts.signIn;

interface SignInAnswer {
  needsCode: boolean;
  passkeys: RequestOptions | null;
  session: SignInSession | null;
}

export function SignInPage() {
  const [asked, setAsked] = useState<SignInAnswer | null>(null);
  const canUsePasskeys = usePasskeys();
  const enter = useEnter();
  const form = useForm({ email: '', password: '', code: '' }, ({ code }) => send(asked ? { code } : {}));
  async function send(proof: { code?: string; passkey?: Assertion }): Promise<SignInAnswer> {
    const { email, password } = form.values;
    const answer = await sendJson<SignInAnswer>('POST', '/auth/sign-in', { email, password, ...proof });
    if (answer.session) await enter(answer.session);
    else setAsked(answer);
    return answer;
  }
  return (
    <Gate title={t.title} lead={t.lead}>
      <GateForm
        form={form}
        action={t.action}
        after={
          asked ? (
            <>
              {asked.passkeys && canUsePasskeys && (
                <Suspense>
                  <PasskeyStep
                    begin={async () => (await send({})).passkeys}
                    finish={async (passkey) => void (await send({ passkey }))}
                  />
                </Suspense>
              )}
              <BackButton onClick={() => setAsked(null)} />
            </>
          ) : (
            <>
              {canUsePasskeys && (
                <Suspense>
                  <PasskeyButton enter={enter} />
                </Suspense>
              )}
              <CompanyButton email={form.values.email} />
              <ForgottenLink />
            </>
          )
        }
      >
        {asked ? (
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
              autoComplete={canUsePasskeys ? 'username webauthn' : 'username'}
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

/** Leaves this page, immediately if the person is signed in already. */
function useEnter(): (session: SignInSession) => unknown {
  const { next } = useSearch({ from: '/sign-in' });
  const navigate = useNavigate();
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
  return enter;
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

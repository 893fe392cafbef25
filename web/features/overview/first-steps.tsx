import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { CircleCheck, CircleDashed } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { getJson } from '../../api/client.ts';
import type { CursorPage } from '../../api/pages.ts';
import { texts } from '../../texts/en.ts';
import { Card } from '../../ui/page.tsx';
import { domainsQuery } from '../domains/domains-api.ts';
import { useIsAdmin } from '../people/session.ts';

const t = texts.overview;
const TestEmailButton = lazy(async () => ({
  default: (await import('../domains/test-email.tsx')).TestEmailButton,
}));

/** Shown to a team that has not sent anything yet. */
export function FirstSteps() {
  const isAdmin = useIsAdmin();
  const domains = useQuery(domainsQuery);
  const emails = useQuery({
    queryKey: ['emails', 'any'],
    queryFn: () => getJson<CursorPage<unknown>>('/emails', { limit: 1 }),
  });
  const keys = useQuery({
    queryKey: ['api-keys', 'any'],
    queryFn: () => getJson<CursorPage<unknown>>('/api-keys', { limit: 1 }),
    enabled: isAdmin,
  });
  if (!emails.data || !domains.data || emails.data.items.length > 0) return null;
  const verified = domains.data.find(({ status }) => status === 'SUCCESS');
  const steps = [
    { to: '/domains', ...stepTexts('domain'), done: verified !== undefined },
    ...(isAdmin ? [{ to: '/api-keys', ...stepTexts('key'), done: (keys.data?.items.length ?? 0) > 0 }] : []),
    { to: null, ...stepTexts('send'), done: false },
  ];
  return (
    <Card className="mb-8">
      <h2 className="font-semibold">{t.start}</h2>
      <p className="text-soft">{t.startLead}</p>
      <ol className="mt-4 grid grid-cols-1 gap-4 sm:grid-cols-3">
        {steps.map(({ to, name, text, done }) => {
          const Icon = done ? CircleCheck : CircleDashed;
          return (
            <li key={name} className="flex gap-2.5">
              <Icon aria-hidden className={`mt-0.5 size-4 shrink-0 ${done ? 'text-good' : 'text-soft'}`} />
              <div>
                {to ? (
                  <Link to={to} className="rounded font-medium underline underline-offset-3">
                    {name}
                  </Link>
                ) : (
                  <a
                    href="/api/docs#sendEmail"
                    target="_blank"
                    rel="noopener"
                    className="rounded font-medium underline underline-offset-3"
                  >
                    {name}
                  </a>
                )}
                {done && <span className="sr-only"> ({t.stepDone})</span>}
                <p className="text-[0.8125rem] text-soft">{text}</p>
              </div>
            </li>
          );
        })}
      </ol>
      <p className="mt-4">
        {t.newsletter}{' '}
        <Link to="/contact-books" className="rounded underline underline-offset-3">
          {t.newsletterBook}
        </Link>
        {', '}
        <Link to="/forms" className="rounded underline underline-offset-3">
          {t.newsletterForm}
        </Link>
        {', '}
        <Link to="/campaigns" className="rounded underline underline-offset-3">
          {t.newsletterCampaign}
        </Link>
        {'.'}
      </p>
      {verified && (
        <div className="mt-4">
          <Suspense fallback={null}>
            <TestEmailButton domain={verified} look="primary" />
          </Suspense>
        </div>
      )}
    </Card>
  );
}

function stepTexts(step: 'domain' | 'key' | 'send'): { name: string; text: string } {
  return { name: t.steps[step], text: t.steps[`${step}Text`] };
}

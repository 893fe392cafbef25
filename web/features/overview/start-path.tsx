/** The way to the first email: four steps that check themselves off, for applications or for a newsletter. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Check, Code, Newspaper, type LucideIcon } from 'lucide-react';
import { lazy, Suspense, useState, type ReactNode } from 'react';
import { useIsSandbox } from '../../api/instance.ts';
import { sendJson } from '../../api/client.ts';
import { refresh, SESSION_KEY } from '../../api/query-client.ts';
import { texts } from '../../texts/en.ts';
import { overviewTexts } from '../../texts/en/overview.ts';
import { Button, buttonClasses } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { TextField } from '../../ui/field.tsx';
import { useForm } from '../../ui/form.tsx';
import { GuideLink } from '../../ui/guide-link.tsx';
import { domainsQuery } from '../domains/domains-api.ts';
import type { Domain } from '../../../src/features/sending/domains/domains.schema.ts';
import { contactBooksQuery } from '../contact-books/contact-books-api.ts';
import { campaignsQuery } from '../campaigns/campaigns-api.ts';
import { useIsAdmin, useSession } from '../people/session.ts';

const t = overviewTexts.path;
const TestEmailButton = lazy(async () => ({
  default: (await import('../domains/test-email.tsx')).TestEmailButton,
}));

/** The name that every new team has. */
const UNNAMED = 'My team';
const KINDS = ['application', 'newsletter'] as const;
type Kind = (typeof KINDS)[number];
const STORED_AS = 'posthorn.path';
const ICONS: Record<Kind, LucideIcon> = { application: Code, newsletter: Newspaper };

interface Step {
  id: string;
  name: string;
  text: string;
  isDone: boolean;
  action: ReactNode;
}

export function StartPath({ hasSent }: { hasSent: boolean }) {
  const [kind, setKind] = useState<Kind>(() =>
    localStorage.getItem(STORED_AS) === 'newsletter' ? 'newsletter' : 'application',
  );
  const steps = useSteps(kind, hasSent);
  const done = steps.filter(({ isDone }) => isDone).length;
  const current = steps.findIndex(({ isDone }) => !isDone);
  return (
    <section aria-label={t.title} className="max-w-2xl">
      <h2 className="text-lg font-semibold tracking-tight">{t.title}</h2>
      <p className="text-soft">{t.lead}</p>
      <div role="group" aria-label={t.kind} className="mt-4 grid gap-2 sm:grid-cols-2">
        {KINDS.map((each) => (
          <KindButton
            key={each}
            kind={each}
            isChosen={each === kind}
            onChoose={() => {
              localStorage.setItem(STORED_AS, each);
              setKind(each);
            }}
          />
        ))}
      </div>
      <ol className="mt-6" aria-label={t.progress(done, steps.length)}>
        {steps.map((step, position) => (
          <StepRow
            key={step.id}
            step={step}
            number={position + 1}
            isCurrent={position === current}
            isLast={position === steps.length - 1}
          />
        ))}
      </ol>
    </section>
  );
}

function KindButton({ kind, isChosen, onChoose }: { kind: Kind; isChosen: boolean; onChoose(): void }) {
  const Icon = ICONS[kind];
  return (
    <button
      type="button"
      aria-pressed={isChosen}
      onClick={onChoose}
      className={classes(
        'flex items-start gap-3 rounded-xl border p-4 text-left transition-colors',
        isChosen ? 'border-brass bg-tint' : 'border-line bg-raised hover:border-edge',
      )}
    >
      <Icon
        aria-hidden
        className={classes('mt-0.5 size-5 shrink-0', isChosen ? 'text-brass' : 'text-soft')}
      />
      <span>
        <span className="block font-semibold">{t.kinds[kind]}</span>
        <span className="block text-note text-soft">{t.kindTexts[kind]}</span>
      </span>
    </button>
  );
}

interface StepRowProps {
  step: Step;
  number: number;
  isCurrent: boolean;
  isLast: boolean;
}

/** Only the next step shows what to do. The others are one line each. */
function StepRow({ step: { name, text, isDone, action }, number, isCurrent, isLast }: StepRowProps) {
  return (
    <li className="flex gap-4" aria-current={isCurrent ? 'step' : undefined}>
      <span aria-hidden className="flex flex-col items-center">
        <span
          className={classes(
            'flex size-7 shrink-0 items-center justify-center rounded-full border text-note font-semibold tabular-nums',
            isDone
              ? 'border-good bg-good-tint text-good'
              : isCurrent
                ? 'border-ink bg-ink text-paper'
                : 'border-line text-soft',
          )}
        >
          {isDone ? <Check className="size-4" strokeWidth={2.5} /> : number}
        </span>
        {!isLast && <span className="w-px flex-1 bg-line" />}
      </span>
      <div className={classes('min-w-0 flex-1 pt-0.5', isLast ? 'pb-1' : 'pb-6')}>
        <h3 className={classes('font-semibold', isDone && 'font-medium text-soft')}>
          {name}
          {isDone && <span className="sr-only"> ({overviewTexts.stepDone})</span>}
        </h3>
        {!isDone && <p className="text-soft">{text}</p>}
        {isCurrent && <div className="mt-3">{action}</div>}
      </div>
    </li>
  );
}

function useSteps(kind: Kind, hasSent: boolean): Step[] {
  const { team } = useSession();
  const isAdmin = useIsAdmin();
  const isSandbox = useIsSandbox();
  const { data: domains = [] } = useQuery(domainsQuery);
  const { data: books } = useQuery(contactBooksQuery);
  const { data: letters } = useQuery({ ...campaignsQuery({ page: 1 }), enabled: kind === 'newsletter' });
  const verified = domains.find(({ status }) => status === 'SUCCESS');
  const hasLetter = letters?.campaigns.some(({ status }) => status === 'SENT' || status === 'RUNNING');
  const first =
    kind === 'application'
      ? emailStep(hasSent, verified, isAdmin)
      : letterStep(hasLetter ?? false, books?.length === 0);
  return [
    {
      id: 'name',
      ...t.steps.name,
      isDone: team.name !== UNNAMED,
      action: isAdmin ? <TeamName name={team.name} /> : null,
    },
    {
      id: 'domain',
      ...t.steps.domain,
      isDone: verified !== undefined,
      action: (
        <Link
          to="/domains"
          {...(domains.length === 0 ? { hash: 'new' } : {})}
          className={buttonClasses('primary')}
        >
          {domains.length === 0 ? t.addDomain : t.seeDomain}
        </Link>
      ),
    },
    first,
    {
      id: 'live',
      ...t.steps.live,
      isDone: !isSandbox,
      action: (
        <GuideLink guide="guides/going-live" className={buttonClasses('primary')}>
          {t.goLive}
        </GuideLink>
      ),
    },
  ];
}

function emailStep(isDone: boolean, verified: Domain | undefined, isAdmin: boolean): Step {
  return {
    id: 'email',
    ...t.steps.email,
    isDone,
    action: (
      <div className="flex flex-wrap gap-2">
        {verified && (
          <Suspense fallback={null}>
            <TestEmailButton domain={verified} look="primary" />
          </Suspense>
        )}
        {isAdmin && (
          <Link to="/api-keys" className={buttonClasses(verified ? 'plain' : 'primary')}>
            {t.useApi}
          </Link>
        )}
      </div>
    ),
  };
}

function letterStep(isDone: boolean, hasNoBook: boolean): Step {
  return {
    id: 'letter',
    ...t.steps.letter,
    isDone,
    action: (
      <div className="flex flex-wrap gap-2">
        {hasNoBook ? (
          <Link to="/contact-books" hash="new" className={buttonClasses('primary')}>
            {t.makeBook}
          </Link>
        ) : (
          <Link to="/campaigns" hash="new" className={buttonClasses('primary')}>
            {t.writeLetter}
          </Link>
        )}
        <Link to="/forms" className={buttonClasses('plain')}>
          {t.makeForm}
        </Link>
      </div>
    ),
  };
}

function TeamName({ name }: { name: string }) {
  const form = useForm({ name: name === UNNAMED ? '' : name }, async (values) => {
    await sendJson('PATCH', '/team', { name: values.name.trim() });
    await refresh(...SESSION_KEY);
  });
  return (
    <form onSubmit={form.onSubmit} className="flex max-w-md flex-wrap items-start gap-2">
      <TextField
        bare
        className="flex-1 basis-48"
        label={t.teamName}
        placeholder={t.teamNameExample}
        {...form.text('name')}
        required
      />
      <Button type="submit" look="primary" busy={form.busy}>
        {texts.common.save}
      </Button>
    </form>
  );
}

/** One line for those who have sent something and are not live yet. It can be put away. */
export function PathHint() {
  const [isAway, setAway] = useState(() => localStorage.getItem(`${STORED_AS}.away`) === 'yes');
  const steps = useSteps('application', true);
  const next = steps.find(({ isDone }) => !isDone);
  if (isAway || !next) return null;
  return (
    <div className="mb-10 flex flex-wrap items-center gap-x-4 gap-y-2 rounded-xl border border-line bg-panel px-4 py-2.5">
      <p className="min-w-0 flex-1 basis-60">
        <span className="font-medium">{next.name}.</span> <span className="text-soft">{next.text}</span>
      </p>
      {next.id === 'name' ? (
        <Link to="/settings" className={buttonClasses('plain', 'small')}>
          {texts.shell.pages.settings}
        </Link>
      ) : (
        next.action
      )}
      <Button
        look="quiet"
        size="small"
        onClick={() => {
          localStorage.setItem(`${STORED_AS}.away`, 'yes');
          setAway(true);
        }}
      >
        {t.hide}
      </Button>
    </div>
  );
}

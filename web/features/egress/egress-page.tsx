/** The ways out of the server, with the curve of their warm-up, today's room, and why. */
import { queryOptions, useQuery } from '@tanstack/react-query';
import { Waypoints } from 'lucide-react';
import { useState } from 'react';
import type { WayOut } from '../../../src/features/sending/egress/egress.schema.ts';
import { getJson } from '../../api/client.ts';
import { egressTexts as t } from '../../texts/en/egress.ts';
import { Badge, type Tone } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Time } from '../../ui/dates/time.tsx';
import { Card } from '../../ui/page.tsx';
import { PageOf } from '../../ui/page-of.tsx';
import { Page } from '../../ui/page.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { AdminsOnly } from '../people/admins-only.tsx';
import { WarmUpCurve } from './warm-up-curve.tsx';
import { WarmUpDialog } from './warm-up-dialog.tsx';

const egressQuery = queryOptions({
  queryKey: ['egress'],
  queryFn: () => getJson<{ items: WayOut[] }>('/egress'),
});

export function EgressPage() {
  return (
    <AdminsOnly title={t.title} icon={Waypoints} texts={t}>
      <WaysOut />
    </AdminsOnly>
  );
}

function WaysOut() {
  const egress = useQuery(egressQuery);
  const [warming, setWarming] = useState<WayOut | null>(null);
  return (
    <PageOf query={egress} title={t.title}>
      {({ items }) => (
        <Page title={t.title} description={t.lead}>
          {items.length === 0 && <EmptyState icon={Waypoints} title={t.emptyTitle} text={t.emptyText} />}
          <ul className="space-y-4">
            {items.map((way) => (
              <li key={way.name}>
                <Way way={way} onWarmUp={() => setWarming(way)} />
              </li>
            ))}
          </ul>
          {warming && <WarmUpDialog way={warming} onClose={() => setWarming(null)} />}
        </Page>
      )}
    </PageOf>
  );
}

function Way({ way, onWarmUp }: { way: WayOut; onWarmUp(): void }) {
  const { name, kind, address, ehlo, pools, slowed, warmup } = way;
  return (
    <Card className="space-y-4">
      <div className="flex flex-wrap items-start justify-between gap-3">
        <div className="min-w-0 space-y-1">
          <h2 className="flex flex-wrap items-center gap-2 text-base font-semibold">
            {name} <Badge>{t.kinds[kind]}</Badge>
          </h2>
          <p className="break-words text-soft">
            <code>{address}</code>
            {ehlo && <> {t.introduces(ehlo)}</>}
          </p>
          {pools.length > 0 && <p className="text-soft">{t.pools(pools.map((pool) => pool.name))}</p>}
        </div>
        <Button size="small" onClick={onWarmUp}>
          {warmup ? t.warmUpAgain : t.warmUp}
        </Button>
      </div>
      {slowed.map(({ provider, until, because }) => (
        <p key={provider} className="rounded-lg bg-warn-tint px-3 py-2">
          {t.slowed(spell(provider))} <Time at={until} />. <span className="text-soft">{because}</span>
        </p>
      ))}
      {warmup ? <WarmUp warmup={warmup} /> : <p className="text-soft">{t.warm}</p>}
    </Card>
  );
}

/** Large providers have a name, others are the domain of the recipients. */
function spell(provider: string): string {
  return provider.includes('.') ? provider : provider.charAt(0).toUpperCase() + provider.slice(1);
}

type WarmUpState = NonNullable<WayOut['warmup']>;
type Provider = WarmUpState['providers'][number];

const TONES: Record<Provider['change'], Tone> = {
  start: 'info',
  rise: 'good',
  hold: 'warn',
  halve: 'bad',
  rest: 'neutral',
  warm: 'good',
};

function WarmUp({ warmup: { startedAt, target, providers } }: { warmup: WarmUpState }) {
  return (
    <>
      <p className="text-soft">
        {t.since} <Time at={startedAt} />, {t.goal(target)}
      </p>
      {providers.length === 0 && <p className="text-soft">{t.noMail}</p>}
      <ul className="divide-y divide-line">
        {providers.map((provider) => (
          <li key={provider.provider} className="flex flex-wrap items-center gap-x-6 gap-y-3 py-3">
            <ProviderWords provider={provider} />
            <WarmUpCurve label={t.curve(nameOf(provider))} curve={provider.curve} />
          </li>
        ))}
      </ul>
    </>
  );
}

const nameOf = ({ provider }: Pick<Provider, 'provider'>) =>
  provider === 'other' ? t.others : spell(provider);

function ProviderWords({ provider }: { provider: Provider }) {
  const { change, because, sent, cap, waiting } = provider;
  return (
    <div className="min-w-0 flex-1 basis-64 space-y-1">
      <p className="flex flex-wrap items-center gap-2 font-medium">
        {nameOf(provider)} <Badge tone={TONES[change]}>{t.changes[change]}</Badge>
      </p>
      <p>{cap === null ? t.noLimit(sent) : t.room(sent, cap)}</p>
      {waiting > 0 && <p>{t.waiting(waiting)}</p>}
      <p className="text-soft">{because}</p>
    </div>
  );
}

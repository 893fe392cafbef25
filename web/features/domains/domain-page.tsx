import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { KeyRound, RefreshCw, type LucideIcon } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import type { Domain } from '../../../src/features/sending/domains/domains.schema.ts';
import { sendJson } from '../../api/client.ts';
import { useIsSandbox } from '../../api/instance.ts';
import { domainTexts } from '../../texts/en/domains.ts';
import { act } from '../../ui/act.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button, type Look } from '../../ui/button.tsx';
import { DeleteMenu } from '../../ui/dialogs/delete-menu.tsx';
import { SwitchField } from '../../ui/field.tsx';
import { Card, Page, Section } from '../../ui/page.tsx';
import { PageOf } from '../../ui/page-of.tsx';
import { Time } from '../../ui/dates/time.tsx';
import { useIsAdmin } from '../people/session.ts';
import { AllRecords, DnsRecords, ServiceRecords } from './dns-records.tsx';
import { BrakePanel } from './brake-panel.tsx';
import { DomainReports } from './domain-reports.tsx';
import { domainQuery, toneOfDomain } from './domains-api.ts';
import { HealthSection } from './health-section.tsx';
import { HostSettings } from './host-settings.tsx';
import { ProviderHints } from './provider-hints.tsx';
import { TestEmailButton } from './test-email.tsx';

const t = domainTexts;
const back = { to: '/domains', label: t.title } as const;

export function DomainPage() {
  const { domainId } = useParams({ from: '/app/domains/$domainId' });
  const domain = useQuery(domainQuery(domainId));
  return (
    <PageOf query={domain} title={t.title} back={back}>
      {(data) => <DomainDetail domain={data} />}
    </PageOf>
  );
}

function DomainDetail({ domain }: { domain: Domain }) {
  const isAdmin = useIsAdmin();
  const isForTests = useIsSandbox() && domain.name.endsWith('.test');
  return (
    <Page
      title={domain.name}
      guide="guides/domains-and-dns"
      mark={<Badge tone={toneOfDomain(domain.status)}>{t.statuses[domain.status]}</Badge>}
      back={back}
      description={
        domain.lastCheckedTime && (
          <>
            {t.lastChecked} <Time at={domain.lastCheckedTime} />
          </>
        )
      }
      actions={
        <>
          {isAdmin && <DeleteMenu things="domains" thing={domain} texts={t} asksForName />}
          <TestEmailButton domain={domain} />
          {isAdmin && <VerifyButton domain={domain} />}
        </>
      }
    >
      {!isAdmin && <p className="mb-6 text-soft">{t.memberNote}</p>}
      {domain.errorMessage && (
        <p className="mb-6 rounded-lg bg-bad-tint px-4 py-3 text-bad">{domain.errorMessage}</p>
      )}
      <BrakePanel domain={domain} isAdmin={isAdmin} />
      <HealthSection domainId={domain.id} />
      <Section title={t.records} description={isForTests ? t.testNote : t.recordsLead}>
        <HostNote domain={domain} />
        {domain.status !== 'SUCCESS' && <ProviderHints domain={domain} />}
        <AllRecords domain={domain} />
        <DnsRecords domain={domain} recommended={false} />
      </Section>
      <Section title={t.recommended} description={t.recommendedLead}>
        <DnsRecords domain={domain} recommended />
      </Section>
      <DomainReports domainId={domain.id} isAdmin={isAdmin} />
      <Section title={t.key} description={t.keyLead}>
        <DkimKey domain={domain} disabled={!isAdmin} />
      </Section>
      {domain.serviceRecords.length > 0 && (
        <Section title={t.programs} description={t.programsLead}>
          <ServiceRecords domain={domain} />
        </Section>
      )}
      <Section title={t.tracking} description={t.trackingLead}>
        <TrackingSwitches domain={domain} disabled={!isAdmin} />
      </Section>
      <HostSettings domain={domain} disabled={!isAdmin} />
    </Page>
  );
}

/** The server also checks regularly. This button checks right away. */
function VerifyButton({ domain }: { domain: Domain }) {
  const verify = () => sendJson('PUT', `/domains/${domain.id}/verify`);
  return (
    <ActButton look="primary" icon={RefreshCw} run={verify} done={t.verifyStarted}>
      {t.verify}
    </ActButton>
  );
}

interface ActButtonProps {
  look?: Look;
  icon: LucideIcon;
  run(): Promise<unknown>;
  done: string;
  children: ReactNode;
}

function ActButton({ look, icon, run, done, children }: ActButtonProps) {
  const [isBusy, setIsBusy] = useState(false);
  async function start(): Promise<void> {
    setIsBusy(true);
    await act(run, { done, refreshes: ['domains'] });
    setIsBusy(false);
  }
  return (
    <Button look={look} icon={icon} busy={isBusy} onClick={() => void start()}>
      {children}
    </Button>
  );
}

function DkimKey({ domain, disabled }: { domain: Domain; disabled: boolean }) {
  const { dkimSelector, nextDkimSelector, retiredDkimSelector } = domain;
  return (
    <Card className="flex flex-wrap items-center justify-between gap-4">
      <div className="min-w-0 flex-1 basis-64 space-y-1">
        <p>{t.signsWith(dkimSelector)}</p>
        {nextDkimSelector !== null && <p className="text-warn">{t.nextKey(nextDkimSelector)}</p>}
        {retiredDkimSelector !== null && <p className="text-soft">{t.retiredKey(retiredDkimSelector)}</p>}
      </div>
      {!disabled && nextDkimSelector === null && (
        <ActButton
          icon={KeyRound}
          run={() => sendJson('POST', `/domains/${domain.id}/rotate-key`)}
          done={t.rotated}
        >
          {t.rotate}
        </ActButton>
      )}
    </Card>
  );
}

function TrackingSwitches({ domain, disabled }: { domain: Domain; disabled: boolean }) {
  const change = (part: Partial<Domain>) =>
    void act(() => sendJson('PATCH', `/domains/${domain.id}`, part), { refreshes: ['domains'] });
  return (
    <Card className="space-y-4">
      <SwitchField
        label={t.clickTracking}
        hint={t.clickTrackingHint}
        checked={domain.clickTracking}
        disabled={disabled}
        onChange={(clickTracking) => change({ clickTracking })}
      />
      <SwitchField
        label={t.openTracking}
        hint={t.openTrackingHint}
        checked={domain.openTracking}
        disabled={disabled}
        onChange={(openTracking) => change({ openTracking })}
      />
    </Card>
  );
}

/** Matches IP addresses, and names that mean the local machine. */
const NOT_PUBLIC = /^[\d.]+$|:|^(.+\.)?localhost$/i;

function HostNote({ domain: { name, dnsRecords } }: { domain: Domain }) {
  const host = dnsRecords.find(({ type }) => type === 'MX')?.value;
  if (host === undefined || !NOT_PUBLIC.test(host) || name.endsWith('.test')) return null;
  return <p className="mb-4 rounded-lg bg-warn-tint px-4 py-3 text-warn">{t.noPublicHost(host)}</p>;
}

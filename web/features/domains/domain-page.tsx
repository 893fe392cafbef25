import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { RefreshCw, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { Domain } from '../../../src/features/domains/domains.schema.ts';
import { sendJson } from '../../api/client.ts';
import { describeError } from '../../api/describe-error.ts';
import { texts } from '../../texts/en.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { SwitchField } from '../../ui/field.tsx';
import { Card, Page, Section } from '../../ui/page.tsx';
import { PageOf } from '../../ui/page-of.tsx';
import { Time } from '../../ui/time.tsx';
import { showToast } from '../../ui/toasts.ts';
import { useIsAdmin } from '../people/session.ts';
import { DnsRecords } from './dns-records.tsx';
import { domainQuery, toneOfDomain } from './domains-api.ts';

const t = texts.domains;
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
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const [deleting, setDeleting] = useState(false);
  const [isAsking, setIsAsking] = useState(false);
  const isAdmin = useIsAdmin();
  const refresh = () => queryClient.invalidateQueries({ queryKey: ['domains'] });

  async function change(run: () => Promise<unknown>, done?: string): Promise<void> {
    try {
      await run();
      if (done) showToast(done);
    } catch (error) {
      showToast(describeError(error), { tone: 'bad' });
    }
    await refresh();
  }

  const path = `/domains/${domain.id}`;

  /** Also while the server looks by itself from time to time: asked for, it looks at once. */
  async function verify(): Promise<void> {
    setIsAsking(true);
    await change(() => sendJson('PUT', `${path}/verify`), t.verifyStarted);
    setIsAsking(false);
  }

  return (
    <Page
      title={domain.name}
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
        isAdmin && (
          <>
            <Button icon={Trash2} onClick={() => setDeleting(true)}>
              {t.delete}
            </Button>
            <Button look="primary" icon={RefreshCw} busy={isAsking} onClick={() => void verify()}>
              {t.verify}
            </Button>
          </>
        )
      }
    >
      {!isAdmin && <p className="mb-6 text-soft">{t.memberNote}</p>}
      {domain.errorMessage && (
        <p className="mb-6 rounded-lg bg-bad-tint px-4 py-3 text-bad">{domain.errorMessage}</p>
      )}
      <Section title={t.records} description={domain.name.endsWith('.test') ? t.testNote : t.recordsLead}>
        <HostNote domain={domain} />
        <DnsRecords domain={domain} recommended={false} />
      </Section>
      <Section title={t.recommended} description={t.recommendedLead}>
        <DnsRecords domain={domain} recommended />
      </Section>
      <Section title={t.tracking} description={t.trackingLead}>
        <Card className="space-y-4">
          <SwitchField
            label={t.clickTracking}
            hint={t.clickTrackingHint}
            checked={domain.clickTracking}
            disabled={!isAdmin}
            onChange={(clickTracking) => void change(() => sendJson('PATCH', path, { clickTracking }))}
          />
          <SwitchField
            label={t.openTracking}
            hint={t.openTrackingHint}
            checked={domain.openTracking}
            disabled={!isAdmin}
            onChange={(openTracking) => void change(() => sendJson('PATCH', path, { openTracking }))}
          />
        </Card>
      </Section>
      {deleting && (
        <ConfirmDialog
          title={t.deleteTitle(domain.name)}
          action={t.delete}
          typed={domain.name}
          onClose={() => setDeleting(false)}
          run={async () => {
            await sendJson('DELETE', path);
            await navigate({ to: '/domains' });
            await refresh();
            showToast(t.deleted);
          }}
        >
          <p>{t.deleteText}</p>
        </ConfirmDialog>
      )}
    </Page>
  );
}

/** An address, or a name that each machine has for itself. */
const NOT_PUBLIC = /^[\d.]+$|:|^(.+\.)?localhost$/i;

function HostNote({ domain: { name, dnsRecords } }: { domain: Domain }) {
  const host = dnsRecords.find(({ type }) => type === 'MX')?.value;
  if (host === undefined || !NOT_PUBLIC.test(host) || name.endsWith('.test')) return null;
  return <p className="mb-4 rounded-lg bg-warn-tint px-4 py-3 text-warn">{t.noPublicHost(host)}</p>;
}

/** What other mail servers report about a domain, for people who know nothing about DNS. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type {
  DmarcReports,
  DmarcSource,
  TlsReports,
} from '../../../src/features/deliverability/reports/reports.schema.ts';
import { sendJson } from '../../api/client.ts';
import { domainReportTexts as t } from '../../texts/en/domain-reports.ts';
import { serverHealth } from '../../texts/en/server-health.ts';
import { act } from '../../ui/act.ts';
import { Badge, type Tone } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card, Section } from '../../ui/page.tsx';
import { dmarcReportsQuery, tlsReportsQuery } from './domains-api.ts';

const FIRST_SOURCES = 5;

interface DomainReportsProps {
  domainId: number;
  isAdmin: boolean;
}

export function DomainReports({ domainId, isAdmin }: DomainReportsProps) {
  const dmarc = useQuery(dmarcReportsQuery(domainId));
  const tls = useQuery(tlsReportsQuery(domainId));
  return (
    <>
      <Section title={t.title} description={t.lead}>
        {dmarc.data && <Senders reports={dmarc.data} domainId={domainId} isAdmin={isAdmin} />}
        {dmarc.isError && <p className="text-soft">{t.failed}</p>}
      </Section>
      <Section title={t.encryption} description={t.encryptionLead}>
        {tls.data && <Encryption reports={tls.data} />}
        {tls.isError && <p className="text-soft">{t.failed}</p>}
      </Section>
    </>
  );
}

function Senders({ reports, ...rest }: DomainReportsProps & { reports: DmarcReports }) {
  const { messages, failed, policy, sources, next, advice, unverified } = reports;
  if (policy === null) return <Card>{t.none}</Card>;
  return (
    <div className="space-y-3">
      <Card className="space-y-2">
        <p>{t.summary(messages, failed)}</p>
        <p className="text-soft">{t.policy(policy)}</p>
        <p>
          <strong className="font-medium">{t.next}:</strong>{' '}
          {next && `${serverHealth.translate(next.because)} `}
          {serverHealth.translate(advice)}
        </p>
      </Card>
      <Sources sources={sources} {...rest} />
      {unverified.reports > 0 && <p className="text-soft">{t.unverified(unverified.reports)}</p>}
    </div>
  );
}

function Sources({ sources, domainId, isAdmin }: DomainReportsProps & { sources: DmarcSource[] }) {
  const [showsAll, setShowsAll] = useState(false);
  const shown = showsAll ? sources : sources.slice(0, FIRST_SOURCES);
  if (sources.length === 0) return null;
  return (
    <>
      <ul className="space-y-3">
        {shown.map((source) => (
          <li key={`${source.kind} ${source.name}`}>
            <Card>
              <div className="flex flex-wrap items-center gap-2">
                <span className="min-w-0 font-medium break-words">{source.name}</span>
                <Badge>{t.kinds[source.kind]}</Badge>
                <Badge tone={TONES[stateOf(source)]}>{t.states[stateOf(source)]}</Badge>
                {source.mark && <Badge>{t.marks[source.mark]}</Badge>}
              </div>
              {source.host && <p className="text-soft">{t.host(source.host)}</p>}
              <p className="mt-1 max-w-2xl text-soft">{serverHealth.translate(source.sentence)}</p>
              {isAdmin && !source.ours && source.kind !== 'forwarder' && (
                <MarkButtons source={source} domainId={domainId} />
              )}
            </Card>
          </li>
        ))}
      </ul>
      {sources.length > shown.length && (
        <Button onClick={() => setShowsAll(true)}>{t.more(sources.length - shown.length)}</Button>
      )}
    </>
  );
}

/** People say whether a source sends for them. Saying the same again takes it back. */
function MarkButtons({ source: { name, kind, mark }, domainId }: { source: DmarcSource; domainId: number }) {
  const say = (confirmed: boolean) => {
    const isSame = mark === (confirmed ? 'confirmed' : 'disowned');
    const body = { name, kind, confirmed: isSame ? null : confirmed };
    void act(() => sendJson('PUT', `/domains/${domainId}/reports/dmarc/source`, body), {
      refreshes: ['domains'],
    });
  };
  return (
    <div className="mt-3 flex flex-wrap gap-2" role="group" aria-label={t.isItYours(name)}>
      <Button size="small" aria-pressed={mark === 'confirmed'} onClick={() => say(true)}>
        {t.confirm}
      </Button>
      <Button size="small" aria-pressed={mark === 'disowned'} onClick={() => say(false)}>
        {t.disown}
      </Button>
    </div>
  );
}

type State = keyof typeof t.states;

const TONES: Record<State, Tone> = { good: 'good', watch: 'warn', bad: 'bad' };

function stateOf({ messages, aligned }: DmarcSource): State {
  if (aligned === messages) return 'good';
  return aligned === 0 ? 'bad' : 'watch';
}

function Encryption({ reports }: { reports: TlsReports }) {
  const { sessions, failed, failures, lastReportAt } = reports;
  if (lastReportAt === null) return <Card>{t.noEncryption}</Card>;
  return (
    <Card className="space-y-2">
      <p>{t.encrypted(sessions, failed)}</p>
      {failures.length > 0 && (
        <ul className="list-disc space-y-1 pl-5">
          {failures.slice(0, FIRST_SOURCES).map(({ type, mx, sentence }) => (
            <li key={`${type} ${mx}`}>{serverHealth.translate(sentence)}</li>
          ))}
        </ul>
      )}
    </Card>
  );
}

/** What other mail servers report about a domain, for people who know nothing about DNS. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type {
  DmarcReports,
  DmarcSource,
  TlsReports,
} from '../../../src/features/deliverability/reports/reports.schema.ts';
import { domainReportTexts as t } from '../../texts/en/domain-reports.ts';
import { Badge, type Tone } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card, Section } from '../../ui/page.tsx';
import { dmarcReportsQuery, tlsReportsQuery } from './domains-api.ts';

const FIRST_SOURCES = 5;

export function DomainReports({ domainId }: { domainId: number }) {
  const dmarc = useQuery(dmarcReportsQuery(domainId));
  const tls = useQuery(tlsReportsQuery(domainId));
  return (
    <>
      <Section title={t.title} description={t.lead}>
        {dmarc.data && <Senders reports={dmarc.data} />}
        {dmarc.isError && <p className="text-soft">{t.failed}</p>}
      </Section>
      <Section title={t.encryption} description={t.encryptionLead}>
        {tls.data && <Encryption reports={tls.data} />}
        {tls.isError && <p className="text-soft">{t.failed}</p>}
      </Section>
    </>
  );
}

function Senders({ reports }: { reports: DmarcReports }) {
  const { messages, failed, policy, sources, next, advice, unverified } = reports;
  if (policy === null) return <Card>{t.none}</Card>;
  return (
    <div className="space-y-3">
      <Card className="space-y-2">
        <p>{t.summary(messages, failed)}</p>
        <p className="text-soft">{t.policy(policy)}</p>
        <p>
          <strong className="font-medium">{t.next}:</strong> {next ? `${next.because} ${advice}` : advice}
        </p>
      </Card>
      <Sources sources={sources} />
      {unverified.reports > 0 && <p className="text-soft">{t.unverified(unverified.reports)}</p>}
    </div>
  );
}

function Sources({ sources }: { sources: DmarcSource[] }) {
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
              </div>
              <p className="mt-1 max-w-2xl text-soft">{source.sentence}</p>
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
            <li key={`${type} ${mx}`}>{sentence}</li>
          ))}
        </ul>
      )}
    </Card>
  );
}

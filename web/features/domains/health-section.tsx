import { useQuery } from '@tanstack/react-query';
import type { DomainHealth, HealthCheck } from '../../../src/features/deliverability/health/health.schema.ts';
import { healthTexts } from '../../texts/en/domain-health.ts';
import { serverHealth } from '../../texts/en/server-health.ts';
import { Badge, type Tone } from '../../ui/badge.tsx';
import { Card, Section } from '../../ui/page.tsx';
import { healthQuery } from './domains-api.ts';

const t = healthTexts;
const TONES: Record<HealthCheck['status'], Tone> = {
  good: 'good',
  watch: 'warn',
  bad: 'bad',
  off: 'neutral',
  unknown: 'info',
};
/** What needs care comes first. */
const ORDER: HealthCheck['status'][] = ['bad', 'watch', 'unknown', 'good', 'off'];

/** One score and one next step; the single checks are below, folded. */
export function HealthSection({ domainId }: { domainId: number }) {
  const health = useQuery(healthQuery(domainId));
  return (
    <Section title={t.title} description={t.lead}>
      <Card className="space-y-4">
        {health.data ? (
          <HealthOf health={health.data} />
        ) : (
          <p className="text-soft">{health.isError ? t.failed : t.looking}</p>
        )}
      </Card>
    </Section>
  );
}

function HealthOf({ health: { score, next, checks } }: { health: DomainHealth }) {
  const sorted = checks.toSorted((one, other) => ORDER.indexOf(one.status) - ORDER.indexOf(other.status));
  return (
    <>
      <p className="flex flex-wrap items-center gap-3">
        <Badge tone={TONES[score]}>{t.scores[score]}</Badge>
        <span>{next ? t.next : t.nothing}</span>
      </p>
      {next && (
        <p>
          <strong>{t.names[next.name]}:</strong> {serverHealth.translate(next.sentence)}
        </p>
      )}
      <details>
        <summary className="cursor-pointer text-soft">{t.all(checks.length)}</summary>
        <ul className="mt-4 space-y-4">
          {sorted.map((check) => (
            <CheckLine key={check.name} check={check} />
          ))}
        </ul>
      </details>
    </>
  );
}

function CheckLine({ check: { name, status, found, expected, sentence } }: { check: HealthCheck }) {
  return (
    <li className="min-w-0 space-y-1">
      <p className="flex flex-wrap items-center gap-2">
        <strong>{t.names[name]}</strong> <Badge tone={TONES[status]}>{t.statuses[status]}</Badge>
      </p>
      <p>{serverHealth.translate(sentence)}</p>
      {found !== null && (
        <p className="text-soft">
          {t.found} <code className="break-all whitespace-pre-wrap">{found}</code>
        </p>
      )}
      {expected !== null && (status === 'bad' || status === 'watch') && (
        <p className="text-soft">
          {t.expected} <code className="break-all whitespace-pre-wrap">{expected}</code>
        </p>
      )}
    </li>
  );
}

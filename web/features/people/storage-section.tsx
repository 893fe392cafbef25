import { useQuery } from '@tanstack/react-query';
import type { Team } from '../../../src/features/account/teams/teams.schema.ts';
import { getJson } from '../../api/client.ts';
import { peopleTexts } from '../../texts/en/people.ts';
import { formatBytes } from '../../ui/format-bytes.ts';
import { Card, Section } from '../../ui/page.tsx';
import { Time } from '../../ui/dates/time.tsx';

const t = peopleTexts.settings;

/** How much the team stores. It is shown only if there is a limit. */
export function StorageSection() {
  const team = useQuery({ queryKey: ['team'], queryFn: () => getJson<Team>('/team') });
  if (!team.data || team.data.storage.limitBytes === null) return null;
  const { usedBytes, limitBytes, countedAt } = team.data.storage;
  const used = t.storageUsed(formatBytes(usedBytes), formatBytes(limitBytes));
  return (
    <Section title={t.storageTitle} description={t.storageLead}>
      <Card>
        <meter
          className="w-full"
          aria-label={used}
          min={0}
          max={limitBytes}
          high={limitBytes * 0.8}
          optimum={0}
          value={usedBytes}
        />
        <p>{used}</p>
        {countedAt && (
          <p className="text-sm text-soft">
            {t.storageCounted} <Time at={countedAt} />
          </p>
        )}
      </Card>
    </Section>
  );
}

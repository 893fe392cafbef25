/** What the automations do now, on the overview. Teams without an active one see nothing. */
import { useQuery } from '@tanstack/react-query';
import type { AutomationListItem } from '../../../../src/features/automations/definition/automations.schema.ts';
import { getJson } from '../../../api/client.ts';
import type { CursorPage } from '../../../api/pages.ts';
import { automationPeopleTexts } from '../../../texts/en/automation-people.ts';
import { Section } from '../../../ui/page.tsx';
import { TextLink } from '../../../ui/text-link.tsx';

const t = automationPeopleTexts.inOverview;
const SHOWN = 4;

export function ActiveAutomations() {
  const { data } = useQuery({
    queryKey: ['automations', 'active'],
    queryFn: () =>
      getJson<CursorPage<AutomationListItem>>('/automations', { status: 'ACTIVE', limit: SHOWN }),
  });
  if (!data || data.items.length === 0) return null;
  return (
    <Section
      title={t.title}
      actions={
        <TextLink to="/automations" className="underline underline-offset-3">
          {t.all}
        </TextLink>
      }
    >
      <ul className="divide-y divide-line rounded-xl border border-line">
        {data.items.map(({ id, name, counts }) => (
          <li key={id} className="flex flex-wrap items-center justify-between gap-x-4 px-4 py-2.5">
            <TextLink
              to="/automations/$automationId"
              params={{ automationId: id }}
              className="min-w-0 truncate"
            >
              {name}
            </TextLink>
            <span className="text-soft tabular-nums">{t.line(counts.active, counts.emails)}</span>
          </li>
        ))}
      </ul>
    </Section>
  );
}

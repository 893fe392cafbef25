/** The automations that a contact is and was in. */
import { useQuery } from '@tanstack/react-query';
import { automationPeopleTexts } from '../../../texts/en/automation-people.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Section } from '../../../ui/page.tsx';
import { TextLink } from '../../../ui/text-link.tsx';
import { contactRunsQuery, RUN_TONES } from '../data/automations-api.ts';

const t = automationPeopleTexts;

export function ContactAutomations({ contactId }: { contactId: string }) {
  const runs = useQuery(contactRunsQuery(contactId));
  if (!runs.data) return null;
  return (
    <Section title={t.inContact.title}>
      {runs.data.items.length === 0 ? (
        <p className="text-soft">{t.inContact.none}</p>
      ) : (
        <ul className="divide-y divide-line rounded-xl border border-line">
          {runs.data.items.map(({ id, automationId, automationName, status, step }) => (
            <li key={id} className="flex items-center justify-between gap-3 px-4 py-2.5">
              <span className="min-w-0 truncate">
                <TextLink
                  to="/automations/$automationId/people"
                  params={{ automationId }}
                  search={{ run: id }}
                >
                  {automationName}
                </TextLink>
                {step !== null && <span className="text-soft"> {t.inContact.at(step)}</span>}
              </span>
              <Badge tone={RUN_TONES[status]}>{t.runs.statuses[status]}</Badge>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

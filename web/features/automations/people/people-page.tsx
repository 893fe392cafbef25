/** Who is and was in an automation, and the story of each. */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { UserRoundPlus, Users } from 'lucide-react';
import { useState } from 'react';
import type { Automation } from '../../../../src/features/automations/definition/automations.schema.ts';
import type { AutomationRun } from '../../../../src/features/automations/reports/runs.schema.ts';
import { texts } from '../../../texts/en.ts';
import { automationTexts } from '../../../texts/en/automations.ts';
import { automationPeopleTexts } from '../../../texts/en/automation-people.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { timeColumn, type Column } from '../../../ui/lists/columns.tsx';
import { CursorTable } from '../../../ui/lists/cursor-table.tsx';
import { ChoiceField, ListFilters } from '../../../ui/list-filters.tsx';
import { Page } from '../../../ui/page.tsx';
import { PageOf } from '../../../ui/page-of.tsx';
import { EmptyState, NothingFound } from '../../../ui/states.tsx';
import { TextButton } from '../../../ui/text-link.tsx';
import { automationQuery, RUN_STATUSES, RUN_TONES, runsQuery } from '../data/automations-api.ts';
import { fieldsOf } from '../saving/automation-fields.ts';
import { useChoices } from '../data/use-choices.ts';
import { describeStep } from '../words/describe-step.ts';
import { EnrollDialog } from './enroll-dialog.tsx';
import { Explain } from './explain.tsx';
import { StorySheet } from './story-sheet.tsx';

const t = automationPeopleTexts.runs;
const FROM = '/app/automations/$automationId/people';

export function PeoplePage() {
  const { automationId } = useParams({ from: FROM });
  const automation = useQuery(automationQuery(automationId));
  const back = { to: '/automations', label: automationTexts.title } as const;
  return (
    <PageOf query={automation} title={t.title} back={back}>
      {(data) => <People key={data.id} automation={data} />}
    </PageOf>
  );
}

function People({ automation }: { automation: Automation }) {
  const { id, name, contactBookId, status } = automation;
  const { step, status: wanted, run } = useSearch({ from: FROM });
  const navigate = useNavigate({ from: '/automations/$automationId/people' });
  const { names, segments } = useChoices(contactBookId);
  const [isEnrolling, setEnrolling] = useState(false);
  const runs = useInfiniteQuery(
    runsQuery(id, { ...(wanted && { status: wanted }), ...(step !== undefined && { step }) }),
  );
  const { steps } = fieldsOf(automation);
  const nameOf = (key: string) => {
    const found = steps.find((each) => each.key === key);
    return found ? describeStep(found, names).title : key;
  };
  const open = (runId: string | undefined) =>
    void navigate({ search: (before) => ({ ...before, run: runId }), resetScroll: false });
  return (
    <Page
      title={t.title}
      description={t.lead(name)}
      back={{ to: '/automations/$automationId', params: { automationId: id }, label: name }}
      actions={
        status === 'ACTIVE' && (
          <Button icon={UserRoundPlus} onClick={() => setEnrolling(true)}>
            {t.enroll}
          </Button>
        )
      }
    >
      <ListFilters>
        <ChoiceField
          label={texts.common.status}
          all={t.all}
          choices={RUN_STATUSES.map((each) => [each, t.statuses[each]])}
          value={wanted}
          onChoose={(chosen) => void navigate({ search: (before) => ({ ...before, status: chosen }) })}
        />
        <ChoiceField
          label={t.step}
          all={t.allSteps}
          choices={steps.map(({ key }) => [key, nameOf(key)])}
          value={step}
          onChoose={(chosen) => void navigate({ search: (before) => ({ ...before, step: chosen }) })}
        />
      </ListFilters>
      <CursorTable
        label={t.title}
        query={runs}
        columns={columnsOf(nameOf, open)}
        empty={
          wanted === undefined && step === undefined ? (
            <EmptyState icon={Users} title={t.emptyTitle} text={t.emptyText} />
          ) : (
            <NothingFound
              icon={Users}
              title={t.filteredTitle}
              text={t.filteredText}
              clear={() => void navigate({ search: {} })}
            />
          )
        }
      />
      <Explain automationId={id} onRun={open} />
      {run !== undefined && <StorySheet runId={run} nameOf={nameOf} onClose={() => open(undefined)} />}
      {isEnrolling && (
        <EnrollDialog automation={automation} segments={segments} onClose={() => setEnrolling(false)} />
      )}
    </Page>
  );
}

function columnsOf(nameOf: (key: string) => string, open: (id: string) => void): Column<AutomationRun>[] {
  return [
    {
      name: t.person,
      width: 2,
      cell: ({ id, email }) => <TextButton onClick={() => open(id)}>{email ?? t.deletedPerson}</TextButton>,
    },
    {
      name: texts.common.status,
      width: '6.5rem',
      cell: ({ status }) => <Badge tone={RUN_TONES[status]}>{t.statuses[status]}</Badge>,
    },
    {
      name: t.step,
      width: 1.5,
      wideOnly: true,
      cell: ({ step }) => <span className="text-soft">{step === null ? '' : nameOf(step)}</span>,
    },
    timeColumn(t.due, ({ dueAt, status }) => (status === 'ACTIVE' ? dueAt : null)),
    timeColumn(t.started, ({ startedAt }) => startedAt),
  ];
}

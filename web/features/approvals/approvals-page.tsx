import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { MailQuestionMark } from 'lucide-react';
import type { ApprovalItem } from '../../../src/features/sending/approvals/approvals.schema.ts';
import { approvalTexts } from '../../texts/en/approvals.ts';
import { Badge } from '../../ui/badge.tsx';
import { timeColumn, type Column } from '../../ui/lists/columns.tsx';
import { CursorTable } from '../../ui/lists/cursor-table.tsx';
import { ChoiceField, ListFilters } from '../../ui/list-filters.tsx';
import { Page } from '../../ui/page.tsx';
import { EmptyState, NothingFound } from '../../ui/states.tsx';
import { TextLink } from '../../ui/text-link.tsx';
import { AdminsOnly } from '../people/admins-only.tsx';
import { APPROVAL_STATES, type ShownState } from './approval-states.ts';
import { APPROVAL_TONES, approvalsQuery } from './approvals-api.ts';

const t = approvalTexts;

export function ApprovalsPage() {
  return (
    <AdminsOnly title={t.title} icon={MailQuestionMark} texts={t}>
      <Approvals />
    </AdminsOnly>
  );
}

function Approvals() {
  const { state } = useSearch({ from: '/app/approvals' });
  const navigate = useNavigate({ from: '/approvals' });
  return (
    <Page title={t.title} description={t.lead} guide="guides/assistants" wide>
      <ListFilters>
        <StateField
          value={state}
          onChoose={(chosen) => void navigate({ search: chosen ? { state: chosen } : {} })}
        />
      </ListFilters>
      <CursorTable
        label={t.title}
        query={useInfiniteQuery(approvalsQuery({ state }))}
        columns={COLUMNS}
        empty={
          state === undefined ? (
            <EmptyState icon={MailQuestionMark} title={t.emptyTitle} text={t.emptyText} />
          ) : (
            <NothingFound
              icon={MailQuestionMark}
              title={t.filteredTitle}
              text={t.filteredText}
              clear={() => void navigate({ search: {} })}
            />
          )
        }
      />
    </Page>
  );
}

interface StateFieldProps {
  value: ShownState | undefined;
  onChoose(state: ShownState | undefined): void;
}

export function StateField({ value, onChoose }: StateFieldProps) {
  const decided = APPROVAL_STATES.filter((state) => state !== 'pending');
  return (
    <ChoiceField<ShownState>
      label={t.state}
      all={t.pendingOnly}
      choices={[...decided.map((state) => [state, t.states[state]] as const), ['all', t.allStates]]}
      value={value === 'pending' ? undefined : value}
      onChoose={onChoose}
    />
  );
}

const COLUMNS: Column<ApprovalItem>[] = [
  {
    name: t.email,
    width: 3,
    cell: ({ id, message, byName, newText }) => (
      <>
        <TextLink to="/approvals/$approvalId" params={{ approvalId: id }}>
          {message.subject || t.noSubject}
        </TextLink>
        <div className="truncate text-xs text-soft max-sm:hidden">{newText}</div>
        <div className="truncate text-xs text-soft sm:hidden">
          {byName} · {t.to(firstOf(message))}
        </div>
      </>
    ),
  },
  {
    name: t.toField,
    width: 2,
    wideOnly: true,
    cell: ({ message }) => {
      const others = message.to.length + message.cc.length + message.bcc.length - 1;
      return (
        <>
          {firstOf(message)}
          {others > 0 && <span className="ml-1.5 text-soft">{t.toOthers(others)}</span>}
        </>
      );
    },
  },
  { name: t.agent, width: 1.5, wideOnly: true, cell: ({ byName }) => byName },
  {
    name: t.state,
    width: '6.5rem',
    cell: ({ state }) => <Badge tone={APPROVAL_TONES[state]}>{t.states[state]}</Badge>,
  },
  timeColumn(t.when, ({ createdAt }) => createdAt, { width: '6.5rem' }),
];

function firstOf({ to, cc, bcc }: ApprovalItem['message']): string {
  return to[0] ?? cc[0] ?? bcc[0] ?? '';
}

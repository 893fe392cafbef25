import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { RotateCcw, ScrollText } from 'lucide-react';
import { useState } from 'react';
import type { Call } from '../../../src/features/webhooks/calls.schema.ts';
import { sendJson } from '../../api/client.ts';
import { cursorList, whileShort } from '../../api/pages.ts';
import { webhookTexts } from '../../texts/en/webhooks.ts';
import { act } from '../../ui/act.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { timeColumn, type Column } from '../../ui/lists/columns.tsx';
import { CursorTable } from '../../ui/lists/cursor-table.tsx';
import { ChoiceField } from '../../ui/list-filters.tsx';
import { Section } from '../../ui/page.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { TextButton } from '../../ui/text-link.tsx';
import { Time } from '../../ui/dates/time.tsx';
import { showToast } from '../../ui/toasts.ts';
import { CallDialog } from './call-dialog.tsx';
import { CALL_TONES } from './webhook-tones.ts';

const t = webhookTexts;
const NEWS_EVERY_MS = 3_000;
const REPLAY_BACK_MS = 86_400_000;
const STATUSES = ['waiting', 'succeeded', 'failed'] as const;

export function CallLog({ webhookId }: { webhookId: string }) {
  const { status } = useSearch({ from: '/app/webhooks/$webhookId' });
  const navigate = useNavigate({ from: '/webhooks/$webhookId' });
  const [shown, setShown] = useState<Call | null>(null);
  const calls = useInfiniteQuery({
    ...cursorList<Call>(['webhooks', 'calls', webhookId], `/webhooks/${webhookId}/calls`, { status }),
    refetchInterval: whileShort(NEWS_EVERY_MS),
  });
  return (
    <Section
      title={t.log}
      actions={
        <div className="flex flex-wrap gap-2">
          <ChoiceField
            label={t.status}
            all={t.allStatuses}
            choices={STATUSES.map((each) => [each, t.callStatuses[each]])}
            value={status}
            onChoose={(chosen) => void navigate({ search: { status: chosen } })}
          />
          <Button
            icon={RotateCcw}
            title={t.replayFailedText}
            onClick={() =>
              void act(() => replayFailed(webhookId), { refreshes: ['webhooks', 'calls', webhookId] })
            }
          >
            {t.replayFailed}
          </Button>
        </div>
      }
    >
      <CursorTable
        label={t.log}
        query={calls}
        columns={columnsOf(setShown)}
        empty={<EmptyState icon={ScrollText} title={t.logEmptyTitle} text={t.logEmptyText} />}
      />
      {shown && <CallDialog call={shown} onClose={() => setShown(null)} />}
    </Section>
  );
}

async function replayFailed(webhookId: string): Promise<void> {
  const since = new Date(Date.now() - REPLAY_BACK_MS).toISOString();
  const path = `/webhooks/${webhookId}/replay-failed`;
  const { count } = await sendJson<{ count: number }>('POST', path, { since });
  showToast(t.replayedCount(count));
}

function columnsOf(show: (call: Call) => void): Column<Call>[] {
  return [
    {
      name: t.type,
      width: 2,
      cell: (call) => (
        <>
          <TextButton className="block font-mono text-[0.8125rem]" onClick={() => show(call)}>
            {call.type}
          </TextButton>
          <div className="text-xs text-soft sm:hidden">
            <Time at={call.createdAt} />
          </div>
        </>
      ),
    },
    {
      name: t.status,
      width: '6rem',
      cell: ({ status }) => <Badge tone={CALL_TONES[status]}>{t.callStatuses[status]}</Badge>,
    },
    {
      name: t.answer,
      width: 1.5,
      wideOnly: true,
      cell: ({ lastAttempt }) => <span className="text-soft">{outcomeOf(lastAttempt)}</span>,
    },
    { name: t.attempts, width: '5rem', wideOnly: true, cell: ({ attemptCount }) => attemptCount },
    timeColumn(t.when, ({ createdAt }) => createdAt),
  ];
}

function outcomeOf(attempt: Call['lastAttempt']): string {
  if (!attempt) return '';
  if (attempt.statusCode !== null) return `HTTP ${attempt.statusCode}`;
  return attempt.error ? t.errors[attempt.error] : '';
}

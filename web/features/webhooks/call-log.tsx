import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { RotateCcw, ScrollText } from 'lucide-react';
import { useState } from 'react';
import type { Call } from '../../../src/features/webhooks/calls.schema.ts';
import { sendJson } from '../../api/client.ts';
import { describeError } from '../../api/describe-error.ts';
import { cursorList } from '../../api/pages.ts';
import { texts } from '../../texts/en.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { CursorTable } from '../../ui/cursor-table.tsx';
import { ChoiceField } from '../../ui/list-head.tsx';
import { Section } from '../../ui/page.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { showToast } from '../../ui/toasts.ts';
import { CallDialog } from './call-dialog.tsx';
import { CALL_TONES } from './webhook-tones.ts';

const t = texts.webhooks;
const NEWS_EVERY_MS = 3_000;
const REPLAY_BACK_MS = 86_400_000;

export function CallLog({ webhookId }: { webhookId: string }) {
  const queryClient = useQueryClient();
  const { status } = useSearch({ from: '/app/webhooks/$webhookId' });
  const navigate = useNavigate({ from: '/webhooks/$webhookId' });
  const [shown, setShown] = useState<Call | null>(null);
  const path = `/webhooks/${webhookId}`;
  const calls = useInfiniteQuery({
    ...cursorList<Call>(['webhooks', 'calls', webhookId], `${path}/calls`, { status }),
    refetchInterval: ({ state }) => (state.data && state.data.pages.length > 1 ? false : NEWS_EVERY_MS),
  });

  async function replayFailed(): Promise<void> {
    try {
      const since = new Date(Date.now() - REPLAY_BACK_MS).toISOString();
      const { count } = await sendJson<{ count: number }>('POST', `${path}/replay-failed`, { since });
      showToast(t.replayedCount(count));
    } catch (error) {
      showToast(describeError(error), { tone: 'bad' });
    }
    await queryClient.invalidateQueries({ queryKey: ['webhooks', 'calls', webhookId] });
  }

  return (
    <Section
      title={t.log}
      actions={
        <div className="flex flex-wrap gap-2">
          <ChoiceField
            label={t.status}
            all={t.allStatuses}
            choices={(['waiting', 'succeeded', 'failed'] as const).map((each) => [
              each,
              t.callStatuses[each],
            ])}
            value={status}
            onChoose={(chosen) => void navigate({ search: { status: chosen } })}
          />
          <Button icon={RotateCcw} title={t.replayFailedText} onClick={() => void replayFailed()}>
            {t.replayFailed}
          </Button>
        </div>
      }
    >
      <CursorTable
        label={t.log}
        query={calls}
        keyOf={({ id }) => id}
        columns={[
          {
            name: t.type,
            width: 'minmax(0, 2fr)',
            cell: (call) => (
              <button
                type="button"
                className="max-w-full truncate rounded font-mono text-[0.8125rem] hover:underline"
                onClick={() => setShown(call)}
              >
                {call.type}
              </button>
            ),
          },
          {
            name: t.status,
            width: '6rem',
            cell: (call) => <Badge tone={CALL_TONES[call.status]}>{t.callStatuses[call.status]}</Badge>,
          },
          {
            name: t.answer,
            width: 'minmax(0, 1.5fr)',
            wideOnly: true,
            cell: (call) => <span className="text-soft">{outcomeOf(call.lastAttempt)}</span>,
          },
          { name: t.attempts, width: '5rem', wideOnly: true, cell: (call) => call.attemptCount },
          {
            name: t.when,
            width: '7rem',
            cell: (call) => (
              <span className="text-soft">
                <Time at={call.createdAt} />
              </span>
            ),
          },
        ]}
        empty={
          <EmptyState icon={ScrollText} title={t.logEmptyTitle}>
            {t.logEmptyText}
          </EmptyState>
        }
      />
      {shown && <CallDialog call={shown} onClose={() => setShown(null)} />}
    </Section>
  );
}

function outcomeOf(attempt: Call['lastAttempt']): string {
  if (!attempt) return '';
  if (attempt.statusCode !== null) return `HTTP ${attempt.statusCode}`;
  return attempt.error ? t.errors[attempt.error] : '';
}

/** What happened to one person in an automation, from the beginning to now. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { AutomationRunDetails } from '../../../../src/features/automations/reports/runs.schema.ts';
import { hasFailed } from '../../../api/has-failed.ts';
import { sendJson } from '../../../api/client.ts';
import { refresh } from '../../../api/query-client.ts';
import { automationPeopleTexts } from '../../../texts/en/automation-people.ts';
import { act } from '../../../ui/act.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { ConfirmDialog } from '../../../ui/dialogs/confirm-dialog.tsx';
import { SideSheet } from '../../../ui/dialogs/side-sheet.tsx';
import { ErrorState, Skeleton } from '../../../ui/states.tsx';
import { RUN_TONES, runQuery } from '../data/automations-api.ts';
import { Story } from './story.tsx';

const t = automationPeopleTexts.story;

interface StorySheetProps {
  runId: string;
  nameOf(key: string): string;
  onClose(): void;
}

export function StorySheet({ runId, nameOf, onClose }: StorySheetProps) {
  const run = useQuery(runQuery(runId));
  const { data } = run;
  return (
    <SideSheet
      title={data?.email ?? automationPeopleTexts.runs.deletedPerson}
      description={
        data && (
          <Badge tone={RUN_TONES[data.status]}>{automationPeopleTexts.runs.statuses[data.status]}</Badge>
        )
      }
      onClose={onClose}
    >
      <div className="pt-4">
        {hasFailed(run) && <ErrorState error={run.error} retry={() => void run.refetch()} />}
        {run.isPending && <Skeleton className="h-64" />}
        {data && (
          <>
            <Story run={data} nameOf={nameOf} />
            <RunActions run={data} />
          </>
        )}
      </div>
    </SideSheet>
  );
}

function RunActions({ run }: { run: AutomationRunDetails }) {
  const [isAsking, setAsking] = useState(false);
  const send = (action: string) => sendJson('POST', `/automation-runs/${run.id}/${action}`);
  const isHeld = run.status === 'ACTIVE' && run.heldBy !== null && run.heldBy !== 'paused';
  const waits = run.status === 'ACTIVE' && run.dueAt !== null && Date.parse(run.dueAt) > Date.now();
  return (
    <div className="mt-6 flex flex-wrap gap-2">
      {(run.status === 'FAILED' || isHeld) && (
        <Button
          onClick={() => void act(() => send('retry'), { done: t.retried, refreshes: ['automations'] })}
        >
          {t.retry}
        </Button>
      )}
      {waits && !isHeld && run.heldBy === null && (
        <Button
          onClick={() =>
            void act(() => send('skip-wait'), { done: t.skippedNow, refreshes: ['automations'] })
          }
        >
          {t.skip}
        </Button>
      )}
      {run.status === 'ACTIVE' && (
        <Button look="quietDanger" onClick={() => setAsking(true)}>
          {t.cancel}
        </Button>
      )}
      {isAsking && (
        <ConfirmDialog
          title={t.cancelTitle}
          text={t.cancelText}
          action={t.cancel}
          run={() => send('cancel').then(() => refresh('automations'))}
          done={t.cancelled}
          onClose={() => setAsking(false)}
        />
      )}
    </div>
  );
}

/** The editor of an automation: the drawing of its steps, and a panel beside it. */
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useState } from 'react';
import type { Automation } from '../../../src/features/automations/definition/automations.schema.ts';
import { automationTexts } from '../../texts/en/automations.ts';
import { AskBeforeLeaving } from '../../ui/dialogs/ask-before-leaving.tsx';
import { Badge } from '../../ui/badge.tsx';
import { CanvasPage } from '../../ui/canvas-page.tsx';
import { FormError } from '../../ui/form.tsx';
import { PageOf } from '../../ui/page-of.tsx';
import { Skeleton } from '../../ui/states.tsx';
import { ConflictNotice } from '../versions/conflict-notice.tsx';
import { AUTOMATION_TONES, automationQuery, reportQuery } from './data/automations-api.ts';
import { EditorActions } from './editor-actions.tsx';
import { Drawing } from './drawing/drawing.tsx';
import { NumbersLine } from './drawing/numbers-line.tsx';
import { EditorPanel, type Shown } from './editor-panel.tsx';
import { sortProblems } from './saving/problems.ts';
import { useAutomation, type Draft } from './saving/use-automation.ts';
import { useChoices, useSender } from './data/use-choices.ts';

const t = automationTexts;
const back = { to: '/automations', label: t.title } as const;
// The editor of emails is large.
const EmailWriter = lazy(async () => ({
  default: (await import('./email/email-writer.tsx')).EmailWriter,
}));

export function AutomationPage() {
  const { automationId } = useParams({ from: '/app/automations/$automationId' });
  const automation = useQuery(automationQuery(automationId));
  return (
    <PageOf query={automation} title={t.title} back={back}>
      {(data) => <Editor key={data.id} automation={data} />}
    </PageOf>
  );
}

function Editor({ automation }: { automation: Automation }) {
  const draft = useAutomation(automation);
  const [shown, setShown] = useState<Shown>(null);
  const [writing, setWriting] = useState<string | null>(null);
  const [played, setPlayed] = useState<readonly string[] | null>(null);
  const choices = useChoices(automation.contactBookId);
  const defaults = useSender();
  const report = useQuery({ ...reportQuery(automation.id), enabled: automation.version > 0 });
  const { steps } = draft.fields;
  const problems = sortProblems(draft.issues, steps);
  const written = steps.find(({ key }) => key === writing);
  useUndoKeys(draft);
  return (
    <CanvasPage
      title={draft.fields.name || automation.name}
      mark={<StatusMark automation={automation} />}
      back={back}
      state={<span role="status">{t.saveStates[draft.state]}</span>}
      actions={
        <EditorActions
          draft={draft}
          names={choices.names}
          bookName={choices.book?.name ?? ''}
          onPlay={() => setShown({ kind: 'play' })}
          onSettings={() => setShown({ kind: 'settings' })}
          onStep={(key) => setShown({ kind: 'step', key })}
        />
      }
    >
      <AskBeforeLeaving isUnsaved={draft.state !== 'saved'} save={draft.settle} />
      <Notices draft={draft} others={problems.others} />
      {written?.type === 'email' ? (
        <Suspense fallback={<Skeleton className="h-96" />}>
          <EmailWriter
            key={written.key}
            draft={draft}
            step={written}
            variables={choices.book?.variables ?? []}
            problem={problems.bySteps.get(written.key)}
            onClose={() => setWriting(null)}
          />
        </Suspense>
      ) : (
        <>
          {automation.version > 0 && <NumbersLine automationId={automation.id} report={report.data} />}
          <div className="grid grid-cols-1 gap-x-8 lg:grid-cols-[minmax(0,1fr)_23rem]">
            <Drawing
              draft={draft}
              names={choices.names}
              defaults={defaults}
              report={report.data}
              problems={problems.bySteps}
              chosen={shown?.kind === 'step' ? shown.key : null}
              onChoose={(key) => setShown(key === null ? null : { kind: 'step', key })}
              played={shown?.kind === 'play' ? played : null}
            />
            <EditorPanel
              draft={draft}
              choices={choices}
              defaults={defaults}
              shown={shown}
              onShow={setShown}
              write={setWriting}
              onPlayed={setPlayed}
            />
          </div>
        </>
      )}
    </CanvasPage>
  );
}

function StatusMark({ automation: { status, hasDraft } }: { automation: Automation }) {
  return (
    <span className="flex flex-wrap gap-1.5">
      <Badge tone={AUTOMATION_TONES[status]}>{t.statuses[status]}</Badge>
      {hasDraft && <Badge tone="info">{t.unpublished}</Badge>}
    </span>
  );
}

function Notices({ draft, others }: { draft: Draft; others: readonly string[] }) {
  const isShown = draft.state === 'conflict' || others.length > 0 || draft.state === 'failed';
  if (!isShown && !(draft.state === 'refused' && draft.issues.length === 0)) return null;
  return (
    <div className="sticky top-14 z-20 mb-4 lg:top-16">
      {draft.state === 'conflict' ? (
        <ConflictNotice
          title={t.conflictTitle}
          text={t.conflictText}
          keepMine={draft.keepMine}
          mineKept={t.saveStates.saved}
          takeTheirs={draft.takeTheirs}
          theirsKept={t.saveStates.saved}
        />
      ) : others.length > 0 ? (
        <p role="alert" className="rounded-lg bg-bad-tint px-4 py-3 text-bad">
          {others.join(' ')}
        </p>
      ) : (
        <FormError error={draft.failure} />
      )}
    </div>
  );
}

/** Control and Z, where no field has an undo of its own. */
function useUndoKeys({ undo, redo }: Draft): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement;
      if (!(event.ctrlKey || event.metaKey) || event.altKey) return;
      if (target.isContentEditable || /^(INPUT|TEXTAREA)$/.test(target.tagName)) return;
      const key = event.key.toLowerCase();
      if (key !== 'z' && key !== 'y') return;
      event.preventDefault();
      if (key === 'y' || event.shiftKey) redo();
      else undo();
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, [undo, redo]);
}

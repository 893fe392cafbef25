/** The buttons above the drawing: undo, try, publish, and what one rarely does. */
import { Link, useNavigate } from '@tanstack/react-router';
import {
  CircleSlash,
  Copy,
  FolderOpen,
  History,
  Pause,
  Play,
  Redo2,
  Settings2,
  Trash2,
  Undo2,
  Users,
} from 'lucide-react';
import { useState } from 'react';
import type { Automation } from '../../../src/features/automations/definition/automations.schema.ts';
import { sendJson } from '../../api/client.ts';
import { refresh } from '../../api/query-client.ts';
import { automationTexts } from '../../texts/en/automations.ts';
import { automationPublishingTexts } from '../../texts/en/automation-publishing.ts';
import { act } from '../../ui/act.ts';
import { Button, buttonClasses, IconButton } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialogs/confirm-dialog.tsx';
import { useDeleteAndLeave } from '../../ui/dialogs/use-delete-and-leave.ts';
import { MenuItem, MenuSeparator } from '../../ui/menu.tsx';
import { MoreMenu } from '../../ui/more-menu.tsx';
import { PublishDialog } from './publish/publish-dialog.tsx';
import { ResumeDialog } from './publish/resume-dialog.tsx';
import { AutomationVersions } from './publish/automation-versions.tsx';
import type { Draft } from './saving/use-automation.ts';
import type { Names } from './words/describe-step.ts';

const t = automationTexts;

interface EditorActionsProps {
  draft: Draft;
  names: Names;
  bookName: string;
  onPlay(): void;
  onSettings(): void;
  onStep(key: string): void;
}

type Opened = 'publish' | 'resume' | 'versions' | 'delete' | null;

export function EditorActions(props: EditorActionsProps) {
  const { draft, names, bookName, onPlay, onSettings, onStep } = props;
  const { automation } = draft;
  const { id, name, status, version, hasDraft } = automation;
  const [open, setOpen] = useState<Opened>(null);
  const [busy, setBusy] = useState(false);
  const deleteAndLeave = useDeleteAndLeave('/automations', 'automations');
  const close = () => setOpen(null);
  const isDraft = status === 'DRAFT';

  /** The dialogs are about what is stored. If saving fails, the page shows why. */
  async function openSaved(dialog: Opened): Promise<void> {
    setBusy(true);
    await draft.settle().then(
      () => setOpen(dialog),
      () => null,
    );
    setBusy(false);
  }
  return (
    <>
      <UndoButtons draft={draft} />
      <RareActions
        draft={draft}
        open={setOpen}
        openSaved={(dialog) => void openSaved(dialog)}
        onSettings={onSettings}
      />
      {version > 0 && (
        <Link
          to="/automations/$automationId/people"
          params={{ automationId: id }}
          className={buttonClasses()}
        >
          <Users aria-hidden className="size-4" />
          {t.peopleTitle}
        </Link>
      )}
      <Button icon={Play} onClick={onPlay}>
        {automationPublishingTexts.play.open}
      </Button>
      {status === 'PAUSED' && (
        <Button look={hasDraft ? 'plain' : 'primary'} onClick={() => setOpen('resume')}>
          {t.resume}
        </Button>
      )}
      {(isDraft || hasDraft || draft.state !== 'saved') && (
        <Button look="primary" busy={busy} onClick={() => void openSaved('publish')}>
          {isDraft ? t.activate : t.publish}
        </Button>
      )}
      {open === 'publish' && (
        <PublishDialog draft={draft} names={names} bookName={bookName} onStep={onStep} onClose={close} />
      )}
      {open === 'resume' && <ResumeDialog draft={draft} onClose={close} />}
      {open === 'versions' && <AutomationVersions draft={draft} onClose={close} />}
      {open === 'delete' && (
        <ConfirmDialog
          title={t.deleteTitle(name)}
          text={t.deleteText}
          action={t.delete}
          run={() => deleteAndLeave(`/automations/${id}`)}
          done={t.deleted}
          onClose={close}
        />
      )}
    </>
  );
}

function UndoButtons({ draft: { canUndo, canRedo, undo, redo } }: { draft: Draft }) {
  return (
    <>
      <IconButton icon={Undo2} label={t.undo} disabled={!canUndo} onClick={undo} className="size-9" />
      <IconButton icon={Redo2} label={t.redo} disabled={!canRedo} onClick={redo} className="size-9" />
    </>
  );
}

interface RareActionsProps {
  draft: Draft;
  open(dialog: Opened): void;
  openSaved(dialog: Opened): void;
  onSettings(): void;
}

function RareActions({ draft, open, openSaved, onSettings }: RareActionsProps) {
  const { automation, takeOver } = draft;
  const { id, status } = automation;
  const navigate = useNavigate();
  const change = (action: 'pause' | 'close' | 'activate', done: string) =>
    void act(async () => takeOver(await sendJson<Automation>('POST', `/automations/${id}/${action}`)), {
      done,
      refreshes: ['automations', 'list'],
    });
  async function duplicate(): Promise<void> {
    await draft.settle();
    const copy = await sendJson<Automation>('POST', `/automations/${id}/duplicate`);
    await refresh('automations', 'list');
    await navigate({ to: '/automations/$automationId', params: { automationId: copy.id } });
  }
  return (
    <MoreMenu>
      <MenuItem icon={Settings2} onSelect={onSettings}>
        {t.settings}
      </MenuItem>
      <MenuItem icon={Copy} onSelect={() => void act(duplicate, { done: t.duplicated })}>
        {t.duplicate}
      </MenuItem>
      {status !== 'DRAFT' && (
        <MenuItem icon={History} onSelect={() => openSaved('versions')}>
          {t.versions}
        </MenuItem>
      )}
      <MenuSeparator />
      {(status === 'ACTIVE' || status === 'CLOSED') && (
        <MenuItem icon={Pause} onSelect={() => change('pause', t.paused)}>
          {t.pause}
        </MenuItem>
      )}
      {(status === 'ACTIVE' || status === 'PAUSED') && (
        <MenuItem icon={CircleSlash} onSelect={() => change('close', t.closed)}>
          {t.close}
        </MenuItem>
      )}
      {status === 'CLOSED' && (
        <MenuItem icon={FolderOpen} onSelect={() => change('activate', t.reopened)}>
          {t.reopen}
        </MenuItem>
      )}
      <MenuItem icon={Trash2} danger onSelect={() => open('delete')}>
        {t.delete}
      </MenuItem>
    </MoreMenu>
  );
}

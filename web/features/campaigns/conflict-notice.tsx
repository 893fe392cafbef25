/** Asks which content to keep when it was changed here and elsewhere. */
import { useState } from 'react';
import { texts } from '../../texts/en.ts';
import { act } from '../../ui/act.ts';
import { Button } from '../../ui/button.tsx';
import type { Draft } from './use-draft.ts';

const t = texts.campaigns;

export function ConflictNotice({ draft, isDraft }: { draft: Draft; isDraft: boolean }) {
  const [busy, setBusy] = useState(false);
  if (draft.conflict.length === 0) return null;

  async function end(choose: () => Promise<void>, done: string): Promise<void> {
    setBusy(true);
    await act(choose, { done, refreshes: ['versions'] });
    setBusy(false);
  }

  return (
    <div role="alert" className="rounded-lg bg-warn-tint px-4 py-3 text-warn">
      <p className="font-semibold">{t.conflictTitle}</p>
      <p className="mt-1">{isDraft ? t.conflictText : t.conflictTextScheduled}</p>
      <div className="mt-3 flex flex-wrap gap-2">
        <Button size="small" busy={busy} onClick={() => void end(draft.keepMine, t.conflictMineKept)}>
          {t.conflictKeepMine}
        </Button>
        <Button
          size="small"
          busy={busy}
          onClick={() => void end(draft.takeTheirs, isDraft ? t.conflictTheirsKept : t.conflictMineDropped)}
        >
          {t.conflictTakeTheirs}
        </Button>
      </div>
    </div>
  );
}

/** Asks which content to keep when it was changed here and elsewhere. */
import { useState } from 'react';
import { versionTexts } from '../../texts/en/versions.ts';
import { act } from '../../ui/act.ts';
import { Button } from '../../ui/button.tsx';

const t = versionTexts.conflict;

interface ConflictNoticeProps {
  title: string;
  text: string;
  keepMine(): Promise<void>;
  /** Shown when it has worked. */
  mineKept: string;
  takeTheirs(): Promise<void>;
  theirsKept: string;
}

export function ConflictNotice({ title, text, ...choices }: ConflictNoticeProps) {
  const [busy, setBusy] = useState(false);

  async function end(choose: () => Promise<void>, done: string): Promise<void> {
    setBusy(true);
    await act(choose, { done, refreshes: ['versions'] });
    setBusy(false);
  }

  return (
    <div role="alert" className="rounded-lg bg-warn-tint px-4 py-3 text-warn">
      <p className="font-semibold">{title}</p>
      <p className="mt-1">{text}</p>
      <div className="mt-3 flex flex-wrap gap-2">
        <Button size="small" busy={busy} onClick={() => void end(choices.keepMine, choices.mineKept)}>
          {t.keepMine}
        </Button>
        <Button size="small" busy={busy} onClick={() => void end(choices.takeTheirs, choices.theirsKept)}>
          {t.takeTheirs}
        </Button>
      </div>
    </div>
  );
}

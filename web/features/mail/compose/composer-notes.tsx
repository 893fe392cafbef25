import { CircleAlert } from 'lucide-react';
import { mailTexts } from '../../../texts/en/mail.ts';
import { Button } from '../../../ui/button.tsx';
import type { Composer } from './use-composer.ts';

const t = mailTexts.compose;

/** What the writer must know before going on. */
export function ComposerNotes({ composer }: { composer: Composer }) {
  const { status, error } = composer;
  const words = error ?? (status === 'gone' ? t.gone : status === 'failed' ? t.notSaved : null);
  return (
    <>
      {status === 'conflict' && (
        <div role="alert" className="flex flex-wrap items-center gap-2 bg-warn-tint px-4 py-2 text-warn">
          <span className="min-w-0 flex-1 basis-60">{t.conflict}</span>
          <Button size="small" onClick={() => void composer.loadTheirs()}>
            {t.loadTheirs}
          </Button>
          <Button size="small" onClick={() => void composer.keepMine()}>
            {t.keepMine}
          </Button>
        </div>
      )}
      {words !== null && (
        <p role="alert" className="flex items-start gap-2 bg-bad-tint px-4 py-2 text-bad">
          <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
          {words}
        </p>
      )}
    </>
  );
}

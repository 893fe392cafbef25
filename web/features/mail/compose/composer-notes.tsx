import { CircleAlert } from 'lucide-react';
import { mailTexts } from '../../../texts/en/mail.ts';
import { SignInLink } from '../../../shell/session-ended.tsx';
import { Button } from '../../../ui/button.tsx';
import { SandboxNotice } from '../../../shell/sandbox-notice.tsx';
import type { SaverStatus } from './draft-saver.ts';
import type { Composer } from './use-composer.ts';

const t = mailTexts.compose;

const WORDS: Partial<Record<SaverStatus, string>> = {
  gone: t.gone,
  failed: t.notSaved,
  'signed-out': t.signedOut,
};

/** The error of saving or sending. */
export function ComposerNotes({ composer }: { composer: Composer }) {
  const { dispatch } = composer;
  const { status, error } = composer.state;
  const { [status]: ofStatus = null } = WORDS;
  const words = error ?? ofStatus;
  return (
    <>
      <SandboxNotice className="rounded-none py-2 text-xs">{t.sandbox}</SandboxNotice>
      {status === 'conflict' && (
        <div role="alert" className="flex flex-wrap items-center gap-2 bg-warn-tint px-4 py-2 text-warn">
          <span className="min-w-0 flex-1 basis-60">{t.conflict}</span>
          <Button size="small" onClick={() => dispatch({ type: 'load-theirs' })}>
            {t.loadTheirs}
          </Button>
          <Button size="small" onClick={() => dispatch({ type: 'keep-mine' })}>
            {t.keepMine}
          </Button>
        </div>
      )}
      {words !== null && (
        <p role="alert" className="flex items-start gap-2 bg-bad-tint px-4 py-2 text-bad">
          <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
          <span className="min-w-0 flex-1">{words}</span>
          {status === 'signed-out' && <SignInLink size="small" />}
        </p>
      )}
    </>
  );
}

/** Loads the editor, which is as large as the rest of webmail, when the user is about to write. Many only read. */
import { late } from '../../../shell/late.tsx';
import { texts } from '../../../texts/en.ts';
import { mailTexts } from '../../../texts/en/mail.ts';
import { Button } from '../../../ui/button.tsx';
import { Skeleton } from '../../../ui/states.tsx';
import { useHeldShortcuts } from '../parts/shortcuts.ts';

const t = mailTexts.compose;
const IN_A_WINDOW =
  'fixed inset-x-3 bottom-0 z-30 rounded-t-xl border border-line bg-raised shadow-float sm:right-6 sm:left-auto sm:w-96';

const composer = late(async () => (await import('./composer.tsx')).Composer, {
  Waiting: Opening,
  Failed: NotLoaded,
});
const dock = late(async () => (await import('./compose-dock.tsx')).ComposeDock, {
  Waiting: () => <div className={IN_A_WINDOW} children={<Opening />} />,
  Failed: ({ retry }) => <div className={IN_A_WINDOW} children={<NotLoaded retry={retry} />} />,
});

export const LateComposer = composer.Part;
export const LateDock = dock.Part;

/** For controls that open an editor: it is loaded while the pointer or the focus is on its way to pressing them. */
export const ABOUT_TO_WRITE = { onPointerEnter: dock.preload, onFocus: dock.preload };

function Opening() {
  useHeldShortcuts(true);
  return <Skeleton className="h-60" />;
}

function NotLoaded({ retry }: { retry(): void }) {
  return (
    <div role="alert" className="flex flex-wrap items-center gap-3 rounded-xl bg-bad-tint px-4 py-3 text-bad">
      <span className="min-w-0 flex-1 basis-60">{t.notLoaded}</span>
      <Button size="small" onClick={retry}>
        {texts.common.tryAgain}
      </Button>
    </div>
  );
}

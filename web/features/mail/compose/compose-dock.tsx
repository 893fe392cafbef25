/** The composer windows, side by side at the bottom. On a phone one fills the screen. */
import { Maximize2, Minus, X } from 'lucide-react';
import { mailTexts } from '../../../texts/en/mail.ts';
import { IconButton } from '../../../ui/button.tsx';
import { classes } from '../../../ui/classes.ts';
import { Composer } from './composer.tsx';
import { changeComposition, endComposition, useCompositions } from './compositions.ts';

const t = mailTexts.compose;

export function ComposeDock() {
  const windows = useCompositions().filter(({ place }) => place === 'window');
  return (
    <section
      aria-label={t.region}
      className="pointer-events-none fixed inset-x-0 bottom-0 z-30 flex items-end justify-end gap-3 sm:px-6 print:hidden"
    >
      {windows.map((composition, index) => {
        const { key, subject, isMinimised } = composition;
        const isLast = index === windows.length - 1;
        return (
          <div
            key={key}
            className={classes(
              'pointer-events-auto flex min-w-0 flex-col border border-line bg-raised shadow-float',
              isMinimised
                ? 'w-60 rounded-t-xl max-sm:w-full'
                : 'h-[min(36rem,85dvh)] w-[min(36rem,100%)] rounded-t-xl max-sm:fixed max-sm:inset-0 max-sm:h-dvh max-sm:w-full max-sm:rounded-none',
              !isLast && 'max-lg:hidden',
            )}
          >
            <div className="flex shrink-0 items-center gap-1 rounded-t-xl border-b border-line bg-panel py-1 pr-1 pl-4">
              <h2 className="min-w-0 flex-1 truncate font-medium">{subject || t.newMessage}</h2>
              <IconButton
                icon={isMinimised ? Maximize2 : Minus}
                label={isMinimised ? t.restore : t.minimise}
                onClick={() => changeComposition(key, { isMinimised: !isMinimised })}
              />
              <IconButton icon={X} label={t.close} onClick={() => endComposition(key)} />
            </div>
            {!isMinimised && <Composer composition={composition} />}
          </div>
        );
      })}
    </section>
  );
}

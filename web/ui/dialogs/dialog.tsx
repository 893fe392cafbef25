import { X } from 'lucide-react';
import { Dialog as Radix } from 'radix-ui';
import { useRef, type ReactNode } from 'react';
import { texts } from '../../texts/en.ts';
import { IconButton } from '../button.tsx';
import { classes } from '../classes.ts';
import { focusFirstOf } from './first-in-dialog.ts';
import { useFocusBack } from './focus-back.ts';

export interface DialogProps {
  title: string;
  description?: ReactNode;
  wide?: boolean;
  /** A click outside does not close the dialog, because its content would be lost. */
  stays?: boolean;
  onClose(): void;
  children: ReactNode;
}

/** Open as long as it is rendered; the parent decides. */
export function Dialog({ title, description, wide, stays, onClose, children }: DialogProps) {
  const focusBack = useFocusBack();
  const body = useRef<HTMLDivElement>(null);
  return (
    <Radix.Root open onOpenChange={(open) => !open && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 bg-[#0008]" />
        <Radix.Content
          aria-describedby={undefined}
          onOpenAutoFocus={(event) => focusFirstOf(body.current, event)}
          onCloseAutoFocus={focusBack}
          onInteractOutside={(event) => stays && event.preventDefault()}
          className={classes(
            'fixed inset-x-3 top-[6vh] z-50 mx-auto flex max-h-[88vh] flex-col rounded-xl border border-line bg-raised',
            'animate-rise shadow-float sm:top-[12vh] sm:max-h-[78vh]',
            wide ? 'max-w-3xl' : 'max-w-lg',
          )}
        >
          <div className="flex items-start justify-between gap-4 px-5 pt-4">
            <div className="min-w-0">
              <Radix.Title className="text-base font-semibold">{title}</Radix.Title>
              {description && <div className="mt-1 text-soft">{description}</div>}
            </div>
            <Radix.Close asChild>
              <IconButton icon={X} label={texts.common.close} className="-mt-1 -mr-2 pointer-coarse:-mt-2" />
            </Radix.Close>
          </div>
          <div ref={body} className="min-h-0 overflow-y-auto rounded-b-xl px-5 pt-4 outline-none">
            {children}
            {/* The padding at the bottom, which a sticky row of buttons covers. */}
            <div className="h-5" />
          </div>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

interface DialogActionsProps {
  /** The reason why the form was rejected. It stays visible too. */
  error?: ReactNode;
  children: ReactNode;
}

/** The buttons at the bottom of a dialog. They stay visible while a long form is scrolled. */
export function DialogActions({ error, children }: DialogActionsProps) {
  return (
    <div
      className={classes(
        'sticky bottom-0 z-10 -mx-5 mt-3 -mb-5 bg-raised px-5 pt-2 pb-5 in-[form]:mt-0',
        // Fades out the content below.
        'before:pointer-events-none before:absolute before:inset-x-0 before:bottom-full before:h-4',
        'before:bg-linear-to-t before:from-raised before:to-transparent',
      )}
    >
      {error && <div className="mb-3 max-h-40 overflow-y-auto *:mt-0 empty:hidden">{error}</div>}
      <div className="flex flex-wrap justify-end gap-2">{children}</div>
    </div>
  );
}

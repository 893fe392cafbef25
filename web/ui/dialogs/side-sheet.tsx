import { X } from 'lucide-react';
import { Dialog as Radix } from 'radix-ui';
import { useRef, type ReactNode } from 'react';
import { texts } from '../../texts/en.ts';
import { IconButton } from '../button.tsx';
import { focusFirstOf } from './first-in-dialog.ts';
import { useFocusBack } from './focus-back.ts';

interface SideSheetProps {
  title: string;
  description?: ReactNode;
  /** The ID of the element in it that is shown and gets the focus first. */
  startAt?: string | undefined;
  onClose(): void;
  children: ReactNode;
}

/** Settings of a page, beside it. On a phone they cover it. Open as long as it is rendered; the parent decides. */
export function SideSheet({ title, description, startAt, onClose, children }: SideSheetProps) {
  const focusBack = useFocusBack();
  const body = useRef<HTMLDivElement>(null);
  return (
    <Radix.Root open onOpenChange={(open) => !open && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 bg-[#0005]" />
        <Radix.Content
          aria-describedby={undefined}
          onOpenAutoFocus={(event) => {
            const start = startAt === undefined ? null : document.getElementById(startAt);
            start?.scrollIntoView();
            focusFirstOf(start ?? body.current, event);
          }}
          onCloseAutoFocus={focusBack}
          className="fixed inset-y-0 right-0 z-50 flex w-full max-w-lg animate-slide-in-end flex-col border-l border-line bg-raised shadow-float"
        >
          <div className="flex items-start justify-between gap-4 border-b border-line px-5 py-3.5">
            <div className="min-w-0">
              <Radix.Title className="text-base font-semibold">{title}</Radix.Title>
              {description && <div className="text-soft">{description}</div>}
            </div>
            <Radix.Close asChild>
              <IconButton icon={X} label={texts.common.close} className="-mr-2" />
            </Radix.Close>
          </div>
          <div ref={body} className="min-h-0 flex-1 overflow-y-auto px-5 pb-8 outline-none">
            {children}
          </div>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

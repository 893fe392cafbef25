/** A popup below a control: a list or a calendar. It closes when the focus moves elsewhere, for example to a dialog. */
import { Popover } from 'radix-ui';
import type { ReactNode, RefObject } from 'react';
import { classes } from './classes.ts';

interface PopupProps {
  open: boolean;
  onClose(): void;
  anchor: ReactNode;
  /** The button that opens and closes the popup. A press on it does not count as a press outside. */
  button: RefObject<HTMLElement | null>;
  /** The name of a popup that takes the focus. Without it the focus stays in the control. */
  label?: string;
  /** Focuses the right part when the popup opens. */
  focusInside?(): void;
  className?: string;
  children: ReactNode;
}

export function Popup(props: PopupProps) {
  const { open, onClose, anchor, button, label, focusInside, className, children } = props;
  // The popup is inside the dialog or page of its control, so that it is never above a dialog that opens later.
  const container = open ? button.current?.closest<HTMLElement>('[role=dialog], main') : null;
  return (
    <Popover.Root open={open} onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Popover.Anchor asChild>{anchor}</Popover.Anchor>
      <Popover.Portal container={container}>
        <Popover.Content
          role={label === undefined ? 'presentation' : 'dialog'}
          aria-label={label}
          align="start"
          sideOffset={4}
          collisionPadding={8}
          onOpenAutoFocus={(event) => {
            event.preventDefault();
            focusInside?.();
          }}
          // The control decides where the focus goes. With Tab, the focus has already moved.
          onCloseAutoFocus={(event) => event.preventDefault()}
          onInteractOutside={(event) => {
            if (button.current?.contains(event.target as Node)) event.preventDefault();
          }}
          className={classes(
            'z-50 flex max-h-[min(22rem,var(--radix-popover-content-available-height))] animate-rise flex-col',
            'max-w-[calc(100vw-1rem)] rounded-lg border border-line bg-raised shadow-float outline-none',
            className,
          )}
        >
          {children}
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}

import { Menu as MenuIcon } from 'lucide-react';
import { Dialog } from 'radix-ui';
import { useState, type ReactNode } from 'react';
import { IconButton } from '../button.tsx';

interface DrawerProps {
  title: string;
  /** The label of the button that opens it. */
  label: string;
  className?: string;
  children(close: () => void): ReactNode;
}

/** Navigation that slides in, for windows that are too narrow to show it permanently. */
export function Drawer({ title, label, className, children }: DrawerProps) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <Dialog.Root open={isOpen} onOpenChange={setIsOpen}>
      <Dialog.Trigger asChild>
        <IconButton icon={MenuIcon} label={label} className={className} />
      </Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 bg-[#0008]" />
        <Dialog.Content
          aria-describedby={undefined}
          className="fixed inset-y-0 left-0 z-50 w-72 max-w-[85vw] animate-slide-in border-r border-line bg-panel"
        >
          <Dialog.Title className="sr-only">{title}</Dialog.Title>
          {children(() => setIsOpen(false))}
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

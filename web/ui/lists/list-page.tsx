import { Plus, type LucideIcon } from 'lucide-react';
import { createContext, use, useState, type ReactNode } from 'react';
import { useAskedToCreate } from '../asked-to-create.ts';
import { Button } from '../button.tsx';
import { Page, type PageProps } from '../page.tsx';

interface ListPageProps extends PageProps {
  /** The button that creates a new item, after other actions, and its dialog. */
  create?: Create | false;
}

interface Create {
  label: string;
  icon?: LucideIcon;
  disabled?: boolean;
  /** The reason why it is disabled. */
  title?: string | undefined;
  dialog(close: () => void): ReactNode;
}

/** Opens the dialog for a new item. Null where nothing can be created. */
const OpenCreate = createContext<(() => void) | null>(null);

/** The action of an empty list, which is the same as the button in the head of its page. */
export function CreateFirst({ icon = Plus, children }: { icon?: LucideIcon; children: string }) {
  const open = use(OpenCreate);
  if (!open) return null;
  return (
    <Button look="primary" icon={icon} onClick={open}>
      {children}
    </Button>
  );
}

/** A page with a list: its head, the list or its filters and the list, and the dialog for a new item. */
export function ListPage({ create, actions, children, ...page }: ListPageProps) {
  const [isCreating, setIsCreating] = useState(false);
  useAskedToCreate(() => setIsCreating(true));
  const { label, icon = Plus, disabled, title, dialog } = create || {};
  return (
    <Page
      {...page}
      actions={
        (actions || create) && (
          <>
            {actions}
            {create && (
              <Button
                look="primary"
                icon={icon}
                disabled={disabled}
                title={title}
                onClick={() => setIsCreating(true)}
              >
                {label}
              </Button>
            )}
          </>
        )
      }
    >
      <OpenCreate value={create && !disabled ? () => setIsCreating(true) : null}>{children}</OpenCreate>
      {isCreating && dialog?.(() => setIsCreating(false))}
    </Page>
  );
}

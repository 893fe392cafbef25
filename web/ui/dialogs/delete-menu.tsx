import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import { ConfirmDialog } from './confirm-dialog.tsx';
import { MenuItem } from '../menu.tsx';
import { MoreMenu } from '../more-menu.tsx';
import { useDeleteAndLeave } from './use-delete-and-leave.ts';

interface DeleteMenuProps {
  /** The name of the items in the paths of the pages and of the API. */
  things: 'domains' | 'forms' | 'segments' | 'templates';
  thing: { id: string | number; name: string };
  texts: { delete: string; deleteTitle(name: string): string; deleteText: string; deleted: string };
  /** True if the name has to be typed first, because this cannot be undone. */
  asksForName?: boolean;
}

/** Deletes the item of a page after a question, and leaves the page. */
export function DeleteMenu({ things, thing: { id, name }, texts, asksForName }: DeleteMenuProps) {
  const deleteAndLeave = useDeleteAndLeave(`/${things}`, things);
  return (
    <ConfirmMenu
      title={texts.deleteTitle(name)}
      text={texts.deleteText}
      action={texts.delete}
      typed={asksForName ? name : undefined}
      run={() => deleteAndLeave(`/${things}/${id}`)}
      done={texts.deleted}
    />
  );
}

type ConfirmMenuProps = Omit<Parameters<typeof ConfirmDialog>[0], 'onClose' | 'look'>;

/**
 * The menu of a page whose only rare action deletes something. It is a menu for consistency with pages that have
 * several rare actions.
 */
export function ConfirmMenu(dialog: ConfirmMenuProps) {
  const [isAsking, setIsAsking] = useState(false);
  return (
    <>
      <MoreMenu>
        <MenuItem icon={Trash2} danger onSelect={() => setIsAsking(true)}>
          {dialog.action}
        </MenuItem>
      </MoreMenu>
      {isAsking && <ConfirmDialog {...dialog} onClose={() => setIsAsking(false)} />}
    </>
  );
}

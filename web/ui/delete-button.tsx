import { Trash2 } from 'lucide-react';
import { ConfirmButton } from './confirm-dialog.tsx';
import { useDeleteAndLeave } from './use-delete-and-leave.ts';

interface DeleteButtonProps {
  /** How the paths of the pages and of the API call such things. */
  things: 'domains' | 'forms' | 'segments' | 'templates';
  thing: { id: string | number; name: string };
  texts: { delete: string; deleteTitle(name: string): string; deleteText: string; deleted: string };
  /** Whether the name has to be typed first, because this cannot be undone. */
  asksForName?: boolean;
}

/** Deletes the thing that a page shows, after a question, and leaves the page. */
export function DeleteButton({ things, thing: { id, name }, texts, asksForName }: DeleteButtonProps) {
  const deleteAndLeave = useDeleteAndLeave(`/${things}`, things);
  return (
    <ConfirmButton
      icon={Trash2}
      title={texts.deleteTitle(name)}
      text={texts.deleteText}
      action={texts.delete}
      typed={asksForName ? name : undefined}
      run={() => deleteAndLeave(`/${things}/${id}`)}
      done={texts.deleted}
    />
  );
}

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { mailTexts } from '../../texts/en/mail.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { showToast } from '../../ui/toasts.ts';
import { foldersQuery } from './mail-api.ts';
import { emptyTrash } from './thread-changes.ts';

const t = mailTexts.actions;

/** Above the list of the trash, while something is in it. */
export function EmptyTrash({ mailboxId }: { mailboxId: string }) {
  /** How many there were when it was asked for. */
  const [asked, setAsked] = useState<number | null>(null);
  const { data: folders } = useQuery(foldersQuery(mailboxId));
  const total = folders?.find(({ folder }) => folder === 'trash')?.total ?? 0;
  if (total === 0 && asked === null) return null;
  return (
    <>
      <Button look="quietDanger" size="small" className="-mr-2.5" onClick={() => setAsked(total)}>
        {t.emptyTrash}
      </Button>
      {asked !== null && (
        <ConfirmDialog
          title={t.deleteTitle(asked)}
          action={t.emptyTrash}
          onClose={() => setAsked(null)}
          run={async () => {
            await emptyTrash(mailboxId);
            showToast(t.deleted);
          }}
        >
          <p>{t.deleteText}</p>
        </ConfirmDialog>
      )}
    </>
  );
}

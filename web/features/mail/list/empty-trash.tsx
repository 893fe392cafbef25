import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { mailTexts } from '../../../texts/en/mail.ts';
import { Button } from '../../../ui/button.tsx';
import { ConfirmDialog } from '../../../ui/dialogs/confirm-dialog.tsx';
import { showToast } from '../../../ui/toasts.ts';
import { foldersQuery } from '../live/mail-api.ts';
import { emptyTrash } from '../live/thread-changes.ts';

const t = mailTexts.actions;

/** Shown above the list of the trash while it is not empty. */
export function EmptyTrash({ mailboxId }: { mailboxId: string }) {
  const [asked, setAsked] = useState<{ count: number; stop: AbortController } | null>(null);
  const { data: folders } = useQuery(foldersQuery(mailboxId));
  const total = folders?.find(({ folder }) => folder === 'trash')?.total ?? 0;
  if (total === 0 && asked === null) return null;
  return (
    <>
      <Button
        look="quietDanger"
        size="small"
        className="-mr-2.5"
        onClick={() => setAsked({ count: total, stop: new AbortController() })}
      >
        {t.emptyTrash}
      </Button>
      {asked && (
        <ConfirmDialog
          title={t.deleteTitle(asked.count)}
          action={t.emptyTrash}
          onClose={() => {
            // Closing the dialog during the deletion cancels the rest.
            asked.stop.abort();
            setAsked(null);
          }}
          run={async () => {
            const left = await emptyTrash(mailboxId, asked.count, asked.stop.signal);
            showToast(left === 0 ? t.deleted : t.trashLeft(left));
          }}
          text={t.deleteText}
        />
      )}
    </>
  );
}

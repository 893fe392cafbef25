import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ContactImport } from '../../../src/features/contacts/imports.schema.ts';
import { texts } from '../../texts/en.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { showToast } from '../../ui/toasts.ts';
import { isUnderWay, stopImport } from './imports-api.ts';

const t = texts.contacts.import;

/** Shown while there is something to stop. */
export function StopImport({ bookId, data }: { bookId: string; data: ContactImport }) {
  const queryClient = useQueryClient();
  const [isAsking, setIsAsking] = useState(false);
  if (!isUnderWay(data) && !isAsking) return null;
  return (
    <>
      <Button size="small" onClick={() => setIsAsking(true)}>
        {t.stop}
      </Button>
      {isAsking && (
        <ConfirmDialog
          title={t.stopTitle}
          action={t.stop}
          onClose={() => setIsAsking(false)}
          run={async () => {
            await stopImport(bookId, data.id);
            await queryClient.invalidateQueries({ queryKey: ['imports', bookId] });
            showToast(t.stopped);
          }}
        >
          <p>{t.stopText}</p>
        </ConfirmDialog>
      )}
    </>
  );
}

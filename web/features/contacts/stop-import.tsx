import { useState } from 'react';
import type { ContactImport } from '../../../src/features/audience/contacts/imports/imports.schema.ts';
import { refresh } from '../../api/query-client.ts';
import { contactTexts } from '../../texts/en/contacts.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialogs/confirm-dialog.tsx';
import { isUnderWay, stopImport } from './imports-api.ts';

const t = contactTexts.import;

/** Shown while there is something to stop, and while someone is asked. */
export function StopImport({ bookId, data }: { bookId: string; data: ContactImport }) {
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
          text={t.stopText}
          action={t.stop}
          run={async () => {
            await stopImport(bookId, data.id);
            await refresh('imports', bookId);
          }}
          done={t.stopped}
          onClose={() => setIsAsking(false)}
        />
      )}
    </>
  );
}

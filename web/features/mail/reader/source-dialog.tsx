import { useQuery } from '@tanstack/react-query';
import { toApiError } from '../../../api/client.ts';
import { mailTexts } from '../../../texts/en/mail.ts';
import { buttonClasses } from '../../../ui/button.tsx';
import { Dialog, DialogActions } from '../../../ui/dialogs/dialog.tsx';
import { ErrorState, Skeleton } from '../../../ui/states.tsx';
import { SourceText } from '../../emails/message-source.tsx';
import { rawUrl } from '../live/mail-api.ts';

const t = mailTexts.thread;
const SHOWN_CHARACTERS = 200_000;

export function SourceDialog({ messageId, onClose }: { messageId: string; onClose(): void }) {
  const source = useQuery({
    queryKey: ['mail-source', messageId],
    async queryFn() {
      const response = await fetch(rawUrl(messageId), { credentials: 'same-origin' });
      const text = await response.text();
      if (!response.ok) throw await toApiError(response.status, text);
      return text;
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  return (
    <Dialog wide title={t.rawTitle} onClose={onClose}>
      {source.isPending && <Skeleton className="h-72" />}
      {source.isError && <ErrorState error={source.error} retry={() => void source.refetch()} />}
      {source.data !== undefined && (
        <SourceText raw={source.data.slice(0, SHOWN_CHARACTERS)} label={t.rawTitle} />
      )}
      {source.data && source.data.length > SHOWN_CHARACTERS && <p className="mt-2 text-soft">{t.rawCut}</p>}
      <DialogActions>
        <a href={rawUrl(messageId)} download={`${messageId}.eml`} className={buttonClasses()}>
          {t.rawDownload}
        </a>
      </DialogActions>
    </Dialog>
  );
}

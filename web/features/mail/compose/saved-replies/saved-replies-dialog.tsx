/** The saved replies of a mailbox: a list, or the form of one reply. */
import { useQuery } from '@tanstack/react-query';
import { MessageSquareText, Pencil, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { SavedReply } from '../../../../../src/features/mailboxes/saved-replies/saved-replies.schema.ts';
import { deleteAndRefresh } from '../../../../api/delete-and-refresh.ts';
import { mailTexts } from '../../../../texts/en/mail.ts';
import { texts } from '../../../../texts/en.ts';
import { useAskBeforeClosing } from '../../../../ui/dialogs/ask-before-closing.tsx';
import { Button, IconButton } from '../../../../ui/button.tsx';
import { ConfirmDialog } from '../../../../ui/dialogs/confirm-dialog.tsx';
import { Dialog } from '../../../../ui/dialogs/dialog.tsx';
import { Row, RowName, Rows } from '../../../../ui/lists/rows.tsx';
import { EmptyState } from '../../../../ui/states.tsx';
import { savedRepliesQuery } from '../../live/mail-api.ts';
import { SavedReplyForm } from './saved-reply-form.tsx';

const t = mailTexts.replies;
const MOST = 100;

export function SavedRepliesDialog({ mailboxId, onClose }: { mailboxId: string; onClose(): void }) {
  const replies = useQuery(savedRepliesQuery(mailboxId));
  const [edited, setEdited] = useState<SavedReply | 'new' | null>(null);
  const [deleted, setDeleted] = useState<SavedReply | null>(null);
  const [isUnsaved, setUnsaved] = useState(false);
  const leaving = useAskBeforeClosing(isUnsaved && edited !== null, onClose);
  const goingBack = useAskBeforeClosing(isUnsaved, () => setEdited(null));
  const count = replies.data?.length ?? 0;
  return (
    <Dialog wide stays title={t.title} description={t.lead} onClose={leaving.close}>
      {edited !== null ? (
        <SavedReplyForm
          mailboxId={mailboxId}
          reply={edited === 'new' ? null : edited}
          onUnsaved={setUnsaved}
          onBack={goingBack.close}
          done={() => setEdited(null)}
        />
      ) : (
        <>
          <div className="mb-3 flex flex-wrap items-center justify-between gap-2">
            <p className="min-w-0 flex-1 basis-60 text-[0.8125rem] text-soft">
              {count >= MOST ? t.full : t.count(count)}
            </p>
            <Button icon={Plus} disabled={count >= MOST} onClick={() => setEdited('new')}>
              {t.add}
            </Button>
          </div>
          <Rows
            label={t.title}
            query={replies}
            items={(data) => data}
            empty={<EmptyState icon={MessageSquareText} title={t.none} />}
          >
            {(reply) => (
              <Row key={reply.id}>
                <RowName
                  name={reply.name}
                  note={[reply.folder, textOf(reply.html)].filter(Boolean).join(' · ')}
                />
                <IconButton
                  icon={Pencil}
                  label={`${texts.common.edit} ${reply.name}`}
                  onClick={() => setEdited(reply)}
                />
                <IconButton
                  icon={Trash2}
                  label={`${texts.common.delete} ${reply.name}`}
                  onClick={() => setDeleted(reply)}
                />
              </Row>
            )}
          </Rows>
        </>
      )}
      {leaving.question}
      {goingBack.question}
      {deleted && (
        <ConfirmDialog
          title={t.deleteTitle(deleted.name)}
          text={t.deleteText}
          action={texts.common.delete}
          run={() =>
            deleteAndRefresh(
              `/mailboxes/${mailboxId}/saved-replies/${deleted.id}`,
              ...savedRepliesQuery(mailboxId).queryKey,
            )
          }
          onClose={() => setDeleted(null)}
        />
      )}
    </Dialog>
  );
}

function textOf(html: string): string {
  return new DOMParser().parseFromString(html, 'text/html').body.textContent?.slice(0, 120) ?? '';
}

import { PenLine, Trash2 } from 'lucide-react';
import type { Mailbox } from '../../../../src/features/mailboxes/mailboxes/mailboxes.schema.ts';
import type { Message } from '../../../../src/features/mailboxes/reading/threads.schema.ts';
import { sendJson } from '../../../api/client.ts';
import { describeError } from '../../../api/describe-error.ts';
import { refresh } from '../../../api/query-client.ts';
import { teamTexts } from '../../../texts/en/mail-team.ts';
import { useSession } from '../../people/session.ts';
import { mailTexts } from '../../../texts/en/mail.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { showToast } from '../../../ui/toasts.ts';
import { openDraft } from '../compose/answers.ts';
import { ABOUT_TO_WRITE } from '../compose/late-composer.tsx';
import { nameOf } from '../parts/people.ts';

const t = mailTexts.thread;

/** The server keeps the text as it was in the activity of the thread. */
async function takeOver(mailboxId: string, draftId: string): Promise<void> {
  try {
    const draft = await sendJson<Message>('POST', `/mailboxes/${mailboxId}/drafts/${draftId}/take-over`);
    showToast(teamTexts.takenOver);
    openDraft(mailboxId, draft, 'thread');
  } catch (error) {
    showToast(describeError(error), { tone: 'bad' });
  }
  await refresh('mail', mailboxId);
}

/** A draft inside a thread. One's own can be edited in place; that of someone else is taken over first. */
export function DraftCard({ mailbox, draft }: { mailbox: Mailbox; draft: Message }) {
  const { user } = useSession();
  const owner =
    draft.author && draft.author.user_id !== user.id ? (draft.author.name ?? teamTexts.someone) : null;
  return (
    <section
      aria-label={t.draft}
      className="flex flex-wrap items-center gap-3 rounded-xl border border-dashed border-line px-4 py-3"
    >
      <Badge tone="warn">{t.draft}</Badge>
      <span className="min-w-0 flex-1 basis-40 truncate text-soft">
        {draft.to.length > 0 ? t.to(draft.to.map(nameOf).join(', ')) : draft.subject}
      </span>
      {owner && <span className="text-[0.8125rem] text-warn">{teamTexts.draftOf(owner)}</span>}
      {owner ? (
        <Button
          size="small"
          icon={PenLine}
          {...ABOUT_TO_WRITE}
          onClick={() => void takeOver(mailbox.id, draft.id)}
        >
          {teamTexts.takeOver}
        </Button>
      ) : (
        <Button
          size="small"
          icon={PenLine}
          {...ABOUT_TO_WRITE}
          onClick={() => openDraft(mailbox.id, draft, 'thread')}
        >
          {t.editDraft}
        </Button>
      )}
      {!owner && (
        <Button
          size="small"
          look="quiet"
          icon={Trash2}
          onClick={() => {
            sendJson('DELETE', `/mailboxes/${mailbox.id}/drafts/${draft.id}`)
              .then(() => refresh('mail', mailbox.id))
              .catch((error: unknown) => showToast(describeError(error), { tone: 'bad' }));
          }}
        >
          {t.discardDraft}
        </Button>
      )}
    </section>
  );
}

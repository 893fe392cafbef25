import { PenLine, Trash2 } from 'lucide-react';
import type { Mailbox } from '../../../../src/features/mailboxes/mailboxes/mailboxes.schema.ts';
import type { Message } from '../../../../src/features/mailboxes/reading/threads.schema.ts';
import { sendJson } from '../../../api/client.ts';
import { describeError } from '../../../api/describe-error.ts';
import { refresh } from '../../../api/query-client.ts';
import { mailTexts } from '../../../texts/en/mail.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { showToast } from '../../../ui/toasts.ts';
import { openDraft } from '../compose/answers.ts';
import { nameOf } from '../parts/people.ts';

const t = mailTexts.thread;

/** A draft inside a thread, which can be edited in place. */
export function DraftCard({ mailbox, draft }: { mailbox: Mailbox; draft: Message }) {
  return (
    <section
      aria-label={t.draft}
      className="flex flex-wrap items-center gap-3 rounded-xl border border-dashed border-line px-4 py-3"
    >
      <Badge tone="warn">{t.draft}</Badge>
      <span className="min-w-0 flex-1 basis-40 truncate text-soft">
        {draft.to.length > 0 ? t.to(draft.to.map(nameOf).join(', ')) : draft.subject}
      </span>
      <Button size="small" icon={PenLine} onClick={() => openDraft(mailbox.id, draft, 'thread')}>
        {t.editDraft}
      </Button>
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
    </section>
  );
}

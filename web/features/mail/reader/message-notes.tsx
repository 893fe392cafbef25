/** Reasons to be careful with a message, and the way out of a mailing list. Nothing if there are none. */
import { MailX, TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import type { Message } from '../../../../src/features/mailboxes/reading/threads.schema.ts';
import { sendJson } from '../../../api/client.ts';
import { arrivalTexts } from '../../../texts/en/mail-arrival.ts';
import { Button, buttonClasses } from '../../../ui/button.tsx';
import { ConfirmDialog } from '../../../ui/dialogs/confirm-dialog.tsx';

const t = arrivalTexts.warnings;

export function MessageWarnings({ message }: { message: Message }) {
  const warnings = message.warnings.flatMap(({ kind, value }) => wordsOf(kind, value) ?? []);
  const isRisky = warnings.length > 0;
  if (message.first_contact) warnings.unshift(t.first);
  if (warnings.length === 0) return null;
  return (
    <ul
      className={
        isRisky
          ? 'space-y-1 rounded-lg bg-warn-tint px-3 py-2 text-[0.8125rem] text-warn'
          : 'text-[0.8125rem] text-soft'
      }
    >
      {warnings.map((words) => (
        <li key={words} className="flex items-start gap-1.5">
          {isRisky && <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />}
          {words}
        </li>
      ))}
    </ul>
  );
}

/** SenderTrust speaks about senders that are not verified. */
function wordsOf(kind: Message['warnings'][number]['kind'], value: string | null): string | null {
  switch (kind) {
    case 'look_alike':
      return t.look_alike(value ?? '');
    case 'reply_to':
      return t.reply_to(value ?? '');
    case 'new_in_thread':
      return t.new_in_thread;
    default:
      return null;
  }
}

export function LeaveListButton({ message }: { message: Message }) {
  const [isAsking, setAsking] = useState(false);
  const { unsubscribe } = message;
  const l = arrivalTexts.list;
  if (!unsubscribe) return null;
  if (!unsubscribe.one_click && !unsubscribe.mailto)
    return (
      <a
        href={unsubscribe.url ?? undefined}
        target="_blank"
        rel="noopener noreferrer"
        className={`${buttonClasses('quiet', 'small')} print:hidden`}
      >
        <MailX aria-hidden className="size-4" />
        {l.page}
      </a>
    );
  const to = (unsubscribe.mailto ?? '').replace(/^mailto:/i, '').split('?')[0]!;
  return (
    <>
      <Button look="quiet" size="small" icon={MailX} className="print:hidden" onClick={() => setAsking(true)}>
        {l.leave}
      </Button>
      {isAsking && (
        <ConfirmDialog
          look="primary"
          title={l.title}
          text={unsubscribe.one_click ? l.byPost : l.byMail(to)}
          action={l.leave}
          done={l.done}
          run={() => sendJson('POST', `/messages/${message.id}/unsubscribe`)}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  );
}

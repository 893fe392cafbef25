/** The note "Sending in 9 s. Undo", beside the other toasts, until the message is sent. */
import { X } from 'lucide-react';
import { useEffect, useState } from 'react';
import { serverNow } from '../../../api/server-clock.ts';
import { mailTexts } from '../../../texts/en/mail.ts';
import { texts } from '../../../texts/en.ts';
import { departureTime, useClock } from '../parts/mail-time.ts';
import { dropNote, useOutboxNotes, type OutboxNote } from '../live/outbox-notes.ts';
import { takeBack } from '../compose/waiting.ts';

const t = mailTexts.outbox;
const SHOWN_AFTER_MS = 3_000;
const SHOWN_LATER_MS = 10_000;

export function Outbox() {
  const notes = useOutboxNotes();
  return (
    <div
      role="region"
      aria-label={t.region}
      className="pointer-events-none fixed inset-x-3 bottom-3 z-60 flex max-sm:bottom-28 flex-col items-center gap-2 sm:right-auto sm:items-start print:hidden"
    >
      {notes.map((note) => (
        <Note key={note.messageId} note={note} />
      ))}
    </div>
  );
}

function Note({ note }: { note: OutboxNote }) {
  const { messageId, mailboxId, sendAt, isLater } = note;
  const leavesAt = sendAt.getTime();
  const [shownSince] = useState(serverNow);
  const now = useClock(true);
  const seconds = Math.ceil((leavesAt - now) / 1000);
  const hasLeft = !isLater && seconds <= 0;
  const isOver = isLater ? now > shownSince + SHOWN_LATER_MS : now > leavesAt + SHOWN_AFTER_MS;
  useEffect(() => {
    if (isOver) dropNote(messageId);
  }, [isOver, messageId]);
  return (
    <div className="pointer-events-auto flex animate-rise items-center gap-3 rounded-lg bg-ink px-3.5 py-2.5 text-paper shadow-float">
      <span role={hasLeft || isLater ? 'status' : 'timer'} className="tabular-nums">
        {isLater ? t.scheduled(departureTime(sendAt)) : hasLeft ? t.sent : t.sending(seconds)}
      </span>
      {!hasLeft && (
        <button
          type="button"
          className="font-semibold underline underline-offset-2"
          onClick={() => void takeBack(mailboxId, messageId, t.undone)}
        >
          {t.undo}
        </button>
      )}
      <button type="button" aria-label={texts.common.close} onClick={() => dropNote(messageId)}>
        <X aria-hidden className="size-4" />
      </button>
    </div>
  );
}

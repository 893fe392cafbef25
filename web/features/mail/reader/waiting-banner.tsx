import { useEffect, useState } from 'react';
import type { Message } from '../../../../src/features/mailboxes/reading/threads.schema.ts';
import { refresh } from '../../../api/query-client.ts';
import { serverNow } from '../../../api/server-clock.ts';
import { mailTexts } from '../../../texts/en/mail.ts';
import { Button } from '../../../ui/button.tsx';
import { Menu } from '../../../ui/menu.tsx';
import { LaterItems, PickTimeDialog } from '../compose/later-menu.tsx';
import { countDown, departureTime, exactTime, useClock } from '../parts/mail-time.ts';
import { HeldBanner } from './held-banner.tsx';
import { reschedule, sendNow, takeBack } from '../compose/waiting.ts';

const t = mailTexts.waiting;
const COUNTED_MS = 3_600_000;

/** Shows when a message will be sent, with a countdown once it is near, and the actions until then. */
export function WaitingBanner({ mailboxId, message }: { mailboxId: string; message: Message }) {
  // It waits for a person instead of a time.
  if (message.send_at === null) return <HeldBanner mailboxId={mailboxId} />;
  return (
    <div className="flex flex-wrap items-center gap-2 rounded-lg bg-info-tint px-3 py-2 text-info">
      <span className="min-w-0 flex-1 basis-40">
        <Departure mailboxId={mailboxId} at={message.send_at} />
        {message.cancel_if_replied && ` · ${t.unlessReplied}`}
      </span>
      <WaitingActions mailboxId={mailboxId} messageId={message.id} sendAt={message.send_at} />
    </div>
  );
}

export function Departure({ mailboxId, at }: { mailboxId: string; at: string }) {
  const leaves = Date.parse(at);
  const [isNear, setIsNear] = useState(() => leaves - serverNow() < COUNTED_MS);
  const now = useClock(isNear);
  useEffect(() => {
    const wait = leaves - serverNow();
    setIsNear(wait < COUNTED_MS);
    const near = window.setTimeout(
      () => setIsNear(true),
      Math.min(Math.max(0, wait - COUNTED_MS), 2 ** 31 - 1),
    );
    // The server reports when the message is sent. This timer covers a report that does not arrive.
    const gone = window.setTimeout(
      () => void refresh('mail', mailboxId),
      Math.min(Math.max(0, wait) + 1_500, 2 ** 31 - 1),
    );
    return () => {
      window.clearTimeout(near);
      window.clearTimeout(gone);
    };
  }, [leaves, mailboxId]);
  const left = leaves - now;
  return (
    <time dateTime={at} title={exactTime(at)}>
      {!isNear ? t.leaves(departureTime(new Date(at))) : left > 0 ? t.leavesIn(countDown(left)) : t.leaving}
    </time>
  );
}

interface WaitingActionsProps {
  mailboxId: string;
  messageId: string;
  sendAt: string;
}

export function WaitingActions({ mailboxId, messageId, sendAt }: WaitingActionsProps) {
  const [isPicking, setIsPicking] = useState(false);
  const move = (at: Date) => void reschedule(mailboxId, messageId, at);
  return (
    <>
      <Menu align="start" trigger={<Button size="small">{t.reschedule}</Button>}>
        <LaterItems choose={move} pick={() => setIsPicking(true)} />
      </Menu>
      <Button size="small" onClick={() => void sendNow(mailboxId, messageId)}>
        {t.sendNow}
      </Button>
      <Button size="small" onClick={() => void takeBack(mailboxId, messageId)}>
        {t.takeBack}
      </Button>
      {isPicking && (
        <PickTimeDialog start={new Date(sendAt)} choose={move} onClose={() => setIsPicking(false)} />
      )}
    </>
  );
}

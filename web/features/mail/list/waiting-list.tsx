/** The messages that wait to be sent, soonest first, with a countdown. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { hasFailed } from '../../../api/has-failed.ts';
import { mailTexts } from '../../../texts/en/mail.ts';
import { waitingQuery } from '../live/mail-api.ts';
import { nameOf } from '../parts/people.ts';
import { EmptyList, ListError, ListSkeleton } from './thread-list.tsx';
import { Departure, WaitingActions } from '../reader/waiting-banner.tsx';

const t = mailTexts.waiting;

export function WaitingList({ mailboxId }: { mailboxId: string }) {
  const waiting = useQuery(waitingQuery(mailboxId));
  if (waiting.isPending) return <ListSkeleton />;
  if (hasFailed(waiting)) return <ListError query={waiting} />;
  if (waiting.data.length === 0) return <EmptyList folder="scheduled" q="" />;
  return (
    <ul
      aria-label={mailTexts.list.label(mailTexts.folders.scheduled)}
      className="min-h-0 flex-1 divide-y divide-line overflow-y-auto"
    >
      {waiting.data.map((message) => (
        <li key={message.id} className="px-4 py-3">
          <Link
            to="/mail/$mailboxId/$folder/$threadId"
            params={{ mailboxId, folder: 'scheduled', threadId: message.thread_id }}
            className="block rounded"
          >
            <span className="block truncate font-medium">{message.subject || mailTexts.list.noSubject}</span>
            <span className="block truncate text-[0.8125rem] text-soft">
              {t.to(message.to.map(nameOf).join(', '))}
            </span>
          </Link>
          <p className="mt-1 text-[0.8125rem] text-info tabular-nums">
            <Departure mailboxId={mailboxId} at={message.send_at} />
          </p>
          <div
            role="group"
            aria-label={t.actions(message.subject || mailTexts.list.noSubject)}
            className="mt-2 flex flex-wrap gap-1.5"
          >
            <WaitingActions mailboxId={mailboxId} messageId={message.id} sendAt={message.send_at} />
          </div>
        </li>
      ))}
    </ul>
  );
}

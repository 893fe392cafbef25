import { useQuery } from '@tanstack/react-query';
import { hasFailed } from '../../../api/has-failed.ts';
import { mailTexts } from '../../../texts/en/mail.ts';
import { openDraft } from '../compose/answers.ts';
import { ABOUT_TO_WRITE } from '../compose/late-composer.tsx';
import { draftsQuery } from '../live/mail-api.ts';
import { exactTime, shortTime } from '../parts/mail-time.ts';
import { nameOf } from '../parts/people.ts';
import { EmptyList, ListError, ListSkeleton } from './thread-list.tsx';

export function DraftList({ mailboxId }: { mailboxId: string }) {
  const drafts = useQuery(draftsQuery(mailboxId));
  if (drafts.isPending) return <ListSkeleton />;
  if (hasFailed(drafts)) return <ListError query={drafts} />;
  if (drafts.data.length === 0) return <EmptyList folder="drafts" q="" />;
  return (
    <ul
      aria-label={mailTexts.list.label(mailTexts.folders.drafts)}
      className="min-h-0 flex-1 divide-y divide-line overflow-y-auto"
    >
      {drafts.data.map((draft) => (
        <li key={draft.id}>
          <button
            type="button"
            {...ABOUT_TO_WRITE}
            onClick={() => openDraft(mailboxId, draft, 'window')}
            className="block w-full px-4 py-2.5 text-left -outline-offset-2 hover:bg-hover/60"
          >
            <span className="flex items-baseline gap-2">
              <span className="min-w-0 flex-1 truncate text-warn">
                {draft.to.map(nameOf).join(', ') || mailTexts.list.draft}
              </span>
              <time
                dateTime={draft.created_at}
                title={exactTime(draft.created_at)}
                className="shrink-0 text-xs text-soft"
              >
                {shortTime(draft.created_at)}
              </time>
            </span>
            <span className="block truncate">{draft.subject || mailTexts.list.noSubject}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}

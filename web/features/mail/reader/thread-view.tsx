/** The reading pane: one thread, oldest message first, with read messages collapsed. */
import { useQuery } from '@tanstack/react-query';
import { Forward, Mail, Reply, ReplyAll } from 'lucide-react';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import type { Mailbox } from '../../../../src/features/mailboxes/mailboxes/mailboxes.schema.ts';
import type {
  Message,
  ThreadWithMessages,
} from '../../../../src/features/mailboxes/reading/threads.schema.ts';
import type { ThreadNote } from '../../../../src/features/mailboxes/teamwork/notes.schema.ts';
import { ApiError } from '../../../api/client.ts';
import { mailTexts } from '../../../texts/en/mail.ts';
import { Button } from '../../../ui/button.tsx';
import { PageActions } from '../../../ui/page-actions.tsx';
import { useTitle } from '../../../ui/page.tsx';
import { EmptyState, ErrorState, Skeleton } from '../../../ui/states.tsx';
import { answer } from '../compose/answers.ts';
import { useCompositions } from '../compose/compositions.ts';
import { ABOUT_TO_WRITE, LateComposer } from '../compose/late-composer.tsx';
import { threadQuery } from '../live/mail-api.ts';
import { MessageCard } from './message-card.tsx';
import { isTyping } from '../parts/shortcuts.ts';
import { changeThreads } from '../live/thread-changes.ts';
import { lastToAnswer } from './thread-order.ts';
import { ThreadSubject } from './thread-subject.tsx';
import { ThreadToolbar } from './thread-toolbar.tsx';
import { NoteCard, NoteForm } from '../team/notes.tsx';
import { TeamBar } from '../team/team-bar.tsx';
import { notesQuery } from '../live/team-api.ts';
import { usePresence } from '../team/use-presence.ts';

const PersonPanel = lazy(async () => ({ default: (await import('./person-panel.tsx')).PersonPanel }));

const t = mailTexts.thread;
const READ_AFTER_MS = 250;
/** A fraction of the screen's height. */
const IN_SIGHT = 0.4;

interface ThreadViewProps {
  mailbox: Mailbox;
  threadId: string;
  goBack(): void;
}

export function ThreadView({ mailbox, threadId, goBack }: ThreadViewProps) {
  const thread = useQuery(threadQuery(mailbox.id, threadId));
  const isGone = thread.error instanceof ApiError && thread.error.status === 404;
  if (thread.data && !isGone) return <Conversation mailbox={mailbox} thread={thread.data} goBack={goBack} />;
  if (isGone) {
    return (
      <div className="p-6">
        <EmptyState
          icon={Mail}
          title={t.gone}
          action={<Button onClick={goBack}>{mailTexts.list.back}</Button>}
          text={t.goneText}
        />
      </div>
    );
  }
  if (thread.isError) {
    return (
      <div
        className="p-6"
        children={<ErrorState error={thread.error} retry={() => void thread.refetch()} />}
      />
    );
  }
  return (
    <div className="space-y-4 p-6">
      <Skeleton className="h-7 w-2/3" />
      <Skeleton className="h-40" />
    </div>
  );
}

function startsOpen({ body_omitted: isOmitted, status }: Message, isNew: boolean): boolean {
  return !isOmitted && (isNew || status === 'waiting');
}

interface ConversationProps {
  mailbox: Mailbox;
  thread: ThreadWithMessages;
  goBack(): void;
}

function Conversation({ mailbox, thread, goBack }: ConversationProps) {
  const { subject, messages } = thread;
  useTitle(subject || mailTexts.list.noSubject);
  useReadMark(mailbox.id, thread);
  const inline = useCompositions().find(
    ({ place, threadId }) => place === 'thread' && threadId === thread.id,
  );
  const shown = messages.filter(({ id }) => id !== inline?.draftId);
  const { data: notes = [] } = useQuery(notesQuery(mailbox.id, thread.id, thread.note_count));
  usePresence(thread.id, inline !== undefined);
  const last = lastToAnswer(messages);
  const firstOpen = firstToRead(thread);
  const [person, setPerson] = useState<string | null>(null);
  const article = useRef<HTMLElement>(null);
  const start = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (inline) return;
    if (!isTyping(document.activeElement)) article.current?.focus({ preventScroll: true });
    const { top = 0 } = start.current?.getBoundingClientRect() ?? {};
    // If the message is visible anyway, keep the subject visible.
    if (top > window.innerHeight * IN_SIGHT) start.current?.scrollIntoView({ block: 'start' });
    // Run only once, when the thread opens.
    // oxlint-disable-next-line react/exhaustive-deps
  }, []);
  useEffect(() => {
    // The composer was closed or the draft discarded, and the focus was lost.
    if (!inline && document.activeElement === document.body) article.current?.focus({ preventScroll: true });
  }, [inline, shown.length]);
  return (
    <div className="flex min-h-full print:block">
      <article
        ref={article}
        tabIndex={-1}
        aria-label={t.label}
        className="flex min-w-0 flex-1 flex-col outline-none"
      >
        <ThreadToolbar mailbox={mailbox} thread={thread} goBack={goBack} />
        <div className="mx-auto w-full max-w-4xl flex-1 px-4 pt-4 pb-8 sm:px-6">
          <ThreadSubject subject={subject} />
          <TeamBar thread={thread} />
          <ol className="space-y-2">
            {inOrder(shown, notes).map(({ message, note }) =>
              note ? (
                <li key={note.id}>
                  <NoteCard mailboxId={mailbox.id} note={note} />
                </li>
              ) : (
                <li
                  key={message.id}
                  ref={message === messages[firstOpen] ? start : undefined}
                  className="scroll-mt-14"
                >
                  <MessageCard
                    mailbox={mailbox}
                    message={message}
                    showPerson={setPerson}
                    canSplit={messages.indexOf(message) > 0}
                    startsOpen={startsOpen(message, messages.indexOf(message) >= firstOpen)}
                  />
                </li>
              ),
            )}
          </ol>
          {inline ? (
            <div className="mt-4 rounded-xl border border-line bg-raised print:hidden">
              <LateComposer key={inline.key} composition={inline} />
            </div>
          ) : (
            last && <AnswerButtons mailbox={mailbox} threadId={thread.id} last={last} />
          )}
        </div>
      </article>
      <Suspense>
        {person !== null && <PersonPanel mailbox={mailbox} email={person} onClose={() => setPerson(null)} />}
      </Suspense>
    </div>
  );
}

interface AnswerButtonsProps {
  mailbox: Mailbox;
  threadId: string;
  last: Message;
}

function AnswerButtons({ mailbox, threadId, last }: AnswerButtonsProps) {
  return (
    <PageActions className="mt-4 flex flex-wrap gap-2 print:hidden">
      <Button icon={Reply} {...ABOUT_TO_WRITE} onClick={() => void answer(mailbox, last, 'reply')}>
        {t.reply}
      </Button>
      <Button icon={ReplyAll} {...ABOUT_TO_WRITE} onClick={() => void answer(mailbox, last, 'replyAll')}>
        {t.replyAll}
      </Button>
      <Button icon={Forward} {...ABOUT_TO_WRITE} onClick={() => void answer(mailbox, last, 'forward')}>
        {t.forward}
      </Button>
      <NoteForm key={threadId} mailboxId={mailbox.id} threadId={threadId} />
    </PageActions>
  );
}

type Item = { message: Message; note?: undefined } | { message?: undefined; note: ThreadNote };

/** Messages and notes, the oldest first. */
function inOrder(messages: readonly Message[], notes: readonly ThreadNote[]): Item[] {
  const items: Item[] = [...messages.map((message) => ({ message })), ...notes.map((note) => ({ note }))];
  const timeOf = ({ message, note }: Item) => Date.parse((message ?? note).created_at);
  return items.toSorted((a, b) => timeOf(a) - timeOf(b));
}

/** Returns the first unread message; if there is none, the last one that is not a draft. */
function firstToRead({ messages }: ThreadWithMessages): number {
  const unread = messages.findIndex(({ read }) => !read);
  return unread >= 0 ? unread : messages.findLastIndex(({ status }) => status !== 'draft');
}

/** Marks the thread as read once, when it is opened, so that it can be marked as unread while it is open. */
function useReadMark(mailboxId: string, thread: ThreadWithMessages): void {
  const marked = useRef<string | null>(null);
  const latest = useRef(thread);
  latest.current = thread;
  useEffect(() => {
    // A thread that is only passed, with a key held down, is not marked as read.
    const timer = window.setTimeout(() => {
      if (marked.current === thread.id) return;
      marked.current = thread.id;
      if (latest.current.unread) void changeThreads(mailboxId, [latest.current], { read: true });
    }, READ_AFTER_MS);
    return () => window.clearTimeout(timer);
  }, [mailboxId, thread.id]);
}

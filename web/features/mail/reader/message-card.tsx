/** One message of a thread, collapsed to a line or expanded. */
import {
  ChevronDown,
  Code,
  Ellipsis,
  Forward,
  Reply,
  ReplyAll,
  Split,
  Star,
  Tag,
  UserRound,
} from 'lucide-react';
import { lazy, Suspense, useState, type ReactNode } from 'react';
import type { Mailbox } from '../../../../src/features/mailboxes/mailboxes/mailboxes.schema.ts';
import type { Message } from '../../../../src/features/mailboxes/reading/threads.schema.ts';
import { mailTexts } from '../../../texts/en/mail.ts';
import { actionTexts } from '../../../texts/en/mail-actions.ts';
import { teamTexts } from '../../../texts/en/mail-team.ts';
import { arrivalTexts } from '../../../texts/en/mail-arrival.ts';
import { IconButton } from '../../../ui/button.tsx';
import { classes } from '../../../ui/classes.ts';
import { Menu, MenuItem } from '../../../ui/menu.tsx';
import { AttachmentList } from '../parts/attachment-list.tsx';
import { answer } from '../compose/answers.ts';
import { ABOUT_TO_WRITE } from '../compose/late-composer.tsx';
import { DraftCard } from './draft-card.tsx';
import { exactTime, shortTime } from '../parts/mail-time.ts';
import { MessageBody } from '../parts/message-body.tsx';
import { keyOf, nameOf } from '../parts/people.ts';
import { changeMessage } from '../live/thread-changes.ts';
import { splitThread } from '../team/merge-actions.ts';
import { STARRED } from '../parts/star.ts';
import { LabelList, LabelsDialog } from './labels.tsx';
import { LeaveListButton, MessageWarnings } from './message-notes.tsx';
import { SenderTrust } from './sender-trust.tsx';
import { WaitingBanner } from './waiting-banner.tsx';

const InvitationCard = lazy(async () => ({
  default: (await import('./invitation-card.tsx')).InvitationCard,
}));
const SourceDialog = lazy(async () => ({ default: (await import('./source-dialog.tsx')).SourceDialog }));

const t = mailTexts.thread;

interface MessageCardProps {
  mailbox: Mailbox;
  message: Message;
  startsOpen: boolean;
  /** False for the first message. */
  canSplit: boolean;
  /** Shows what is known about the person with this address. */
  showPerson(email: string): void;
}

export function MessageCard({ mailbox, message, startsOpen, canSplit, showPerson }: MessageCardProps) {
  const [isOpen, setIsOpen] = useState(startsOpen);
  if (message.status === 'draft') return <DraftCard mailbox={mailbox} draft={message} />;
  const from = nameOf(message.from) || t.noSender;
  return (
    // An article is no landmark, so that the messages of one person need no names of their own.
    <article
      aria-label={t.body(from)}
      className={classes('rounded-xl border border-line', isOpen ? 'bg-raised' : 'bg-panel/60')}
    >
      <div className="flex items-center gap-1 pr-2">
        <button
          type="button"
          data-printed
          aria-expanded={isOpen}
          onClick={() => setIsOpen(!isOpen)}
          className="flex min-w-0 flex-1 items-center gap-3 rounded-xl px-3 py-2.5 text-left sm:px-4"
        >
          <Avatar name={from} />
          <span className="min-w-0 flex-1">
            <span className={classes('block truncate', message.read ? 'font-medium' : 'font-semibold')}>
              <span className="print:hidden">{from}</span>
              {isOpen && keyOf(message.from) !== from.toLowerCase() && (
                <span className="ml-1.5 text-[0.8125rem] font-normal text-soft max-sm:ml-0 max-sm:block max-sm:break-all max-sm:whitespace-normal print:hidden">
                  {keyOf(message.from)}
                </span>
              )}
              <span className="hidden print:inline">{message.from}</span>
            </span>
            <span className="block truncate text-[0.8125rem] text-soft">
              {isOpen && <span className="sm:hidden print:hidden">{shortTime(message.created_at)} · </span>}
              {isOpen
                ? [t.to(recipients(mailbox, message)), ...sentBy(message)].join(' · ')
                : (message.text ?? textOf(message.html)).slice(0, 160)}
            </span>
          </span>
          <MessageTime at={message.created_at} isOpen={isOpen} />
        </button>
        <div className="contents print:hidden">
          <IconButton
            icon={Star}
            label={message.starred ? mailTexts.actions.unstar : mailTexts.actions.star}
            className={message.starred ? STARRED : undefined}
            onClick={() => void changeMessage(mailbox.id, message, { starred: !message.starred })}
          />
        </div>
        {isOpen && (
          <div className="contents print:hidden">
            <MessageMenu mailbox={mailbox} message={message} canSplit={canSplit} showPerson={showPerson} />
          </div>
        )}
      </div>
      {isOpen && (
        <div className="space-y-3 px-3 pb-4 sm:px-4">
          {message.status === 'waiting' && <WaitingBanner mailboxId={mailbox.id} message={message} />}
          {message.status === 'bounced' && (
            <p className="rounded-lg bg-bad-tint px-3 py-2 text-bad">{t.bounced}</p>
          )}
          <div className="flex flex-wrap items-start gap-x-4 gap-y-1">
            <SenderTrust message={message} />
            <Details message={message} />
            <LeaveListButton message={message} />
          </div>
          <MessageWarnings message={message} />
          {message.invitation && (
            <Suspense>
              <InvitationCard key={message.invitation.answer} mailboxId={mailbox.id} message={message} />
            </Suspense>
          )}
          <div>
            <MessageBody message={message} />
          </div>
          <LabelList mailboxId={mailbox.id} labels={message.labels} />
          <AttachmentList message={message} />
        </div>
      )}
    </article>
  );
}

function MessageTime({ at, isOpen }: { at: string; isOpen: boolean }) {
  return (
    <time
      dateTime={at}
      title={exactTime(at)}
      className={classes(
        'shrink-0 text-[0.8125rem] text-soft',
        // On a phone, the whole address of an open message needs the space, and the time is on the next line.
        isOpen && 'max-sm:hidden print:inline',
      )}
    >
      <span className="print:hidden">{shortTime(at)}</span>
      <span className="hidden print:inline">{exactTime(at)}</span>
    </time>
  );
}

function MessageMenu({ mailbox, message, canSplit, showPerson }: Omit<MessageCardProps, 'startsOpen'>) {
  const [showSource, setShowSource] = useState(false);
  const [showLabels, setShowLabels] = useState(false);
  const isGone = message.status !== 'waiting';
  return (
    <>
      {isGone && (
        <IconButton
          icon={Reply}
          label={t.reply}
          className="max-sm:hidden"
          {...ABOUT_TO_WRITE}
          onClick={() => void answer(mailbox, message, 'reply')}
        />
      )}
      <Menu trigger={<IconButton icon={Ellipsis} label={mailTexts.actions.more} />}>
        <MenuItem icon={Reply} disabled={!isGone} onSelect={() => void answer(mailbox, message, 'reply')}>
          {t.reply}
        </MenuItem>
        <MenuItem
          icon={ReplyAll}
          disabled={!isGone}
          onSelect={() => void answer(mailbox, message, 'replyAll')}
        >
          {t.replyAll}
        </MenuItem>
        <MenuItem icon={Forward} onSelect={() => void answer(mailbox, message, 'forward')}>
          {t.forward}
        </MenuItem>
        {message.direction === 'in' && (
          <MenuItem icon={UserRound} onSelect={() => showPerson(keyOf(message.from))}>
            {arrivalTexts.person.open}
          </MenuItem>
        )}
        <MenuItem icon={Tag} onSelect={() => setShowLabels(true)}>
          {mailTexts.labels.edit}
        </MenuItem>
        {canSplit && (
          <MenuItem icon={Split} onSelect={() => void splitThread(mailbox.id, message)}>
            {actionTexts.split}
          </MenuItem>
        )}
        <MenuItem icon={Code} onSelect={() => setShowSource(true)}>
          {t.raw}
        </MenuItem>
      </Menu>
      {showLabels && (
        <LabelsDialog mailboxId={mailbox.id} message={message} onClose={() => setShowLabels(false)} />
      )}
      <Suspense>
        {showSource && <SourceDialog messageId={message.id} onClose={() => setShowSource(false)} />}
      </Suspense>
    </>
  );
}

function Details({ message }: { message: Message }) {
  const lines: [string, ReactNode][] = [
    [t.from, message.from],
    [t.toLabel, message.to.join(', ')],
    [t.cc, message.cc.join(', ')],
    [t.bcc, message.bcc.join(', ')],
    [t.replyTo, message.reply_to.join(', ')],
    [t.date, exactTime(message.created_at)],
  ];
  return (
    <details className="group text-[0.8125rem] text-soft open:w-full">
      <summary className="print:hidden flex w-fit cursor-pointer list-none items-center gap-1 rounded hover:text-ink">
        {t.details}
        <ChevronDown aria-hidden className="size-3.5 transition-transform group-open:rotate-180" />
      </summary>
      <dl className="mt-1 grid grid-cols-[5rem_minmax(0,1fr)] gap-x-3">
        {lines
          .filter(([, value]) => value !== '')
          .map(([name, value]) => (
            <div key={name} className="contents">
              <dt>{name}</dt>
              <dd className="break-words text-ink">{value}</dd>
            </div>
          ))}
      </dl>
    </details>
  );
}

function Avatar({ name }: { name: string }) {
  return (
    <span
      aria-hidden
      className="flex size-8 shrink-0 items-center justify-center rounded-full bg-hover text-xs font-semibold text-soft uppercase"
    >
      {[...name][0]}
    </span>
  );
}

/** Who of the team sent it. */
function sentBy({ author }: Message): string[] {
  return author?.name ? [teamTexts.sentBy(author.name)] : [];
}

function recipients(mailbox: Mailbox, { to, cc, bcc }: Message): string {
  const own = mailbox.address.toLowerCase();
  const names = [...to, ...cc, ...bcc].map((person) => (keyOf(person) === own ? t.me : nameOf(person)));
  return names.join(', ');
}

function textOf(html: string | null): string {
  return (html ?? '')
    .slice(0, 2000)
    .replaceAll(/<[^<>]*>/g, ' ')
    .replaceAll(/&\w+;/g, ' ')
    .replaceAll(/\s+/g, ' ');
}

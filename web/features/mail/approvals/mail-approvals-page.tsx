/** The emails of agents that wait in a mailbox: navigation, list and the open email. On a phone each is shown alone. */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { ArrowLeft, MailQuestionMark } from 'lucide-react';
import type { ApprovalItem } from '../../../../src/features/sending/approvals/approvals.schema.ts';
import type { Mailbox } from '../../../../src/features/mailboxes/mailboxes/mailboxes.schema.ts';
import { hasFailed } from '../../../api/has-failed.ts';
import { approvalTexts } from '../../../texts/en/approvals.ts';
import { mailTexts } from '../../../texts/en/mail.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button, IconButton } from '../../../ui/button.tsx';
import { classes } from '../../../ui/classes.ts';
import { Drawer } from '../../../ui/dialogs/drawer.tsx';
import { useTitle } from '../../../ui/page.tsx';
import { EmptyState, Skeleton } from '../../../ui/states.tsx';
import { Time } from '../../../ui/dates/time.tsx';
import { ApprovalDetail } from '../../approvals/approval-detail.tsx';
import { APPROVAL_TONES, approvalQuery, approvalsQuery } from '../../approvals/approvals-api.ts';
import { StateField } from '../../approvals/approvals-page.tsx';
import { MailboxNav } from '../list/mailbox-nav.tsx';
import { ListError, ListSkeleton } from '../list/thread-list.tsx';
import { useLiveMailbox } from '../live/live.ts';
import { MailFrame, NothingOpen, WithMailbox } from '../mail-frame.tsx';
import { nameOf } from '../parts/people.ts';

const t = approvalTexts;

export function MailApprovalsPage() {
  const { mailboxId } = useParams({ from: '/mail/mail/$mailboxId/approvals' });
  return (
    <WithMailbox id={mailboxId}>{(mailbox) => <Panes key={mailbox.id} mailbox={mailbox} />}</WithMailbox>
  );
}

function Panes({ mailbox }: { mailbox: Mailbox }) {
  const { approvalId } = useParams({ strict: false });
  useLiveMailbox(mailbox.id);
  useTitle(`${t.title} · ${mailbox.address}`);
  return (
    <MailFrame
      mailbox={mailbox}
      title={t.title}
      list={<ApprovalList mailbox={mailbox} openId={approvalId} />}
      reader={
        approvalId !== undefined && <Reader key={approvalId} mailboxId={mailbox.id} approvalId={approvalId} />
      }
      noneOpen={
        <NothingOpen icon={MailQuestionMark}>
          <p>{t.none}</p>
        </NothingOpen>
      }
    />
  );
}

function ApprovalList({ mailbox, openId }: { mailbox: Mailbox; openId: string | undefined }) {
  const { state } = useSearch({ from: '/mail/mail/$mailboxId/approvals' });
  const navigate = useNavigate();
  const query = useInfiniteQuery(approvalsQuery({ state, mailboxId: mailbox.id }));
  const items = query.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <section
      aria-label={t.title}
      className={classes(
        'w-full shrink-0 flex-col border-line md:flex md:w-80 md:border-r xl:w-96',
        openId === undefined ? 'flex' : 'hidden print:hidden',
      )}
    >
      <div className="flex h-12 shrink-0 items-center gap-2 border-b border-line px-2 lg:px-4">
        <Drawer title={mailTexts.nav.label} label={mailTexts.nav.open} className="lg:hidden">
          {(close) => <MailboxNav mailbox={mailbox} onNavigate={close} />}
        </Drawer>
        <h2 className="min-w-0 flex-1 truncate font-semibold">{t.title}</h2>
        <StateField
          value={state}
          onChoose={(chosen) =>
            void navigate({
              to: '/mail/$mailboxId/approvals',
              params: { mailboxId: mailbox.id },
              search: chosen ? { state: chosen } : {},
            })
          }
        />
      </div>
      {query.isPending ? (
        <ListSkeleton />
      ) : query.isError && items.length === 0 ? (
        <ListError query={query} />
      ) : items.length === 0 ? (
        <div className="p-4">
          <EmptyState icon={MailQuestionMark} title={t.emptyTitle} text={t.emptyText} />
        </div>
      ) : (
        <ul aria-label={t.title} className="min-h-0 flex-1 divide-y divide-line overflow-y-auto">
          {items.map((item) => (
            <ApprovalRow key={item.id} mailboxId={mailbox.id} item={item} isOpen={item.id === openId} />
          ))}
          {query.hasNextPage && (
            <li className="p-3 text-center">
              <Button size="small" busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
                {t.more}
              </Button>
            </li>
          )}
        </ul>
      )}
    </section>
  );
}

interface ApprovalRowProps {
  mailboxId: string;
  item: ApprovalItem;
  isOpen: boolean;
}

function ApprovalRow({ mailboxId, item, isOpen }: ApprovalRowProps) {
  const { id, byName, message, newText, state, createdAt } = item;
  const people = [...message.to, ...message.cc, ...message.bcc].map(nameOf).join(', ');
  return (
    <li className={classes('relative', isOpen && 'bg-tint')}>
      <Link
        to="/mail/$mailboxId/approvals/$approvalId"
        params={{ mailboxId, approvalId: id }}
        search={(before) => before}
        className="block px-4 py-3 -outline-offset-2 hover:bg-hover/60"
      >
        <span className="flex items-baseline justify-between gap-2">
          <span className="truncate font-medium">{message.subject || t.noSubject}</span>
          <span className="shrink-0 text-xs text-soft">
            <Time at={createdAt} />
          </span>
        </span>
        <span className="block truncate text-note text-soft">
          {byName} · {t.to(people)}
        </span>
        {newText && <span className="mt-1 line-clamp-2 block text-note break-words">{newText}</span>}
        {state !== 'pending' && (
          <span className="mt-1 block">
            <Badge tone={APPROVAL_TONES[state]}>{t.states[state]}</Badge>
          </span>
        )}
      </Link>
    </li>
  );
}

function Reader({ mailboxId, approvalId }: { mailboxId: string; approvalId: string }) {
  const approval = useQuery(approvalQuery(approvalId));
  const navigate = useNavigate();
  const goBack = () => void navigate({ to: '/mail/$mailboxId/approvals', params: { mailboxId }, search: {} });
  if (approval.isPending)
    return (
      <div className="space-y-4 p-6">
        <Skeleton className="h-7 w-2/3" />
        <Skeleton className="h-40" />
      </div>
    );
  if (hasFailed(approval))
    return (
      <div className="p-6">
        <EmptyState
          icon={MailQuestionMark}
          title={t.gone}
          action={<Button onClick={goBack}>{t.back}</Button>}
        />
      </div>
    );
  const { message, state } = approval.data;
  return (
    <article className="mx-auto w-full max-w-4xl px-4 pt-3 sm:px-6">
      <div className="mb-3 flex items-start gap-2">
        <IconButton icon={ArrowLeft} label={t.back} className="-ml-2 md:hidden" onClick={goBack} />
        <h2 className="min-w-0 flex-1 py-1 text-lg font-semibold break-words">
          {message.subject || t.noSubject}
        </h2>
        <span className="py-1.5">
          <Badge tone={APPROVAL_TONES[state]}>{t.states[state]}</Badge>
        </span>
      </div>
      <ApprovalDetail approval={approval.data} onDecided={goBack} />
    </article>
  );
}

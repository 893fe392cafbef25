/** What the pages of webmail share: navigation, list and reader beside each other. On a phone each is shown alone. */
import { useQuery } from '@tanstack/react-query';
import { Navigate } from '@tanstack/react-router';
import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Mailbox } from '../../../src/features/mailboxes/mailboxes/mailboxes.schema.ts';
import { hasFailed } from '../../api/has-failed.ts';
import { mailboxesQuery } from '../../api/mailboxes.ts';
import { SkipLink } from '../../shell/skip-link.tsx';
import { classes } from '../../ui/classes.ts';
import { ErrorState } from '../../ui/states.tsx';
import { MailboxNav } from './list/mailbox-nav.tsx';
import { OpenDialogs } from './open-dialogs.tsx';

interface WithMailboxProps {
  id: string;
  children(mailbox: Mailbox): ReactNode;
}

/** Shows the page of a mailbox once it is loaded. Leads away from a mailbox that is gone. */
export function WithMailbox({ id, children }: WithMailboxProps) {
  const mailboxes = useQuery(mailboxesQuery);
  if (hasFailed(mailboxes))
    return (
      <div className="p-6">
        <ErrorState error={mailboxes.error} retry={() => void mailboxes.refetch()} />
      </div>
    );
  if (mailboxes.isPending) return null;
  const mailbox = mailboxes.data.find((each) => each.id === id);
  return mailbox ? children(mailbox) : <Navigate to="/mail" replace />;
}

interface MailFrameProps {
  mailbox: Mailbox;
  title: string;
  list: ReactNode;
  /** Nothing if nothing is open. */
  reader: ReactNode;
  noneOpen: ReactNode;
}

export function MailFrame({ mailbox, title, list, reader, noneOpen }: MailFrameProps) {
  return (
    <div className="flex h-dvh overflow-hidden print:block print:h-auto print:overflow-visible">
      <SkipLink />
      <aside className="hidden w-56 shrink-0 border-r border-line bg-panel lg:block print:hidden">
        <MailboxNav mailbox={mailbox} />
      </aside>
      <main id="content" tabIndex={-1} className="flex min-w-0 flex-1 outline-none print:block">
        <h1 className="sr-only">{title}</h1>
        {list}
        <div
          className={classes(
            'min-w-0 flex-1 overflow-y-auto overscroll-contain print:overflow-visible',
            !reader && 'hidden md:block',
          )}
        >
          {reader || noneOpen}
        </div>
      </main>
      <OpenDialogs mailbox={mailbox} />
    </div>
  );
}

/** Fills the place of the reader while nothing is open. */
export function NothingOpen({ icon: Icon, children }: { icon: LucideIcon; children: ReactNode }) {
  return (
    <div className="flex h-full flex-col items-center justify-center px-8 text-center text-soft">
      <Icon aria-hidden className="mb-3 size-8" strokeWidth={1.25} />
      {children}
    </div>
  );
}

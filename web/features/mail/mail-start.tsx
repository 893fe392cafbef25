/** Redirects /mail to the last open mailbox, or offers to create the first one. */
import { useQuery } from '@tanstack/react-query';
import { Link, Navigate } from '@tanstack/react-router';
import { Globe } from 'lucide-react';
import { hasFailed } from '../../api/has-failed.ts';
import { mailboxesQuery } from '../../api/mailboxes.ts';
import { mailTexts } from '../../texts/en/mail.ts';
import { buttonClasses } from '../../ui/button.tsx';
import { Card, Page } from '../../ui/page.tsx';
import { EmptyState, ErrorState, SkeletonRows } from '../../ui/states.tsx';
import { domainsQuery } from '../domains/domains-api.ts';
import { lastMailbox } from '../../shell/last-mailbox.ts';
import { NewMailboxForm } from './mailbox-dialog.tsx';

const t = mailTexts.first;
const back = { to: '/', label: mailTexts.nav.dashboard } as const;

export function MailStart() {
  return (
    <main id="content">
      <Start />
    </main>
  );
}

function Start() {
  const mailboxes = useQuery(mailboxesQuery);
  const domains = useQuery(domainsQuery);
  if (hasFailed(mailboxes) || hasFailed(domains)) {
    return (
      <Page title={mailTexts.title} back={back}>
        <ErrorState
          error={mailboxes.error ?? domains.error}
          retry={() => void Promise.all([mailboxes.refetch(), domains.refetch()])}
        />
      </Page>
    );
  }
  if (mailboxes.isPending || domains.isPending) {
    return <Page title={mailTexts.title} back={back} children={<SkeletonRows />} />;
  }
  const last = mailboxes.data.find(({ id }) => id === lastMailbox()) ?? mailboxes.data.at(-1);
  if (last) {
    return (
      <Navigate to="/mail/$mailboxId/$folder" params={{ mailboxId: last.id, folder: 'inbox' }} replace />
    );
  }
  const canCreate = domains.data.some(({ status }) => status === 'SUCCESS');
  return (
    <Page title={t.title} description={t.lead} back={back}>
      {canCreate ? (
        <Card className="max-w-xl">
          <NewMailboxForm />
        </Card>
      ) : (
        <EmptyState
          icon={Globe}
          title={t.noDomain}
          action={
            <Link to="/domains" className={buttonClasses('primary')}>
              {t.toDomains}
            </Link>
          }
          text={t.noDomainText}
        />
      )}
    </Page>
  );
}

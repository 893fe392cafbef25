/** Sends a short message from a verified domain, to see that it arrives. */
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { Send } from 'lucide-react';
import { useState } from 'react';
import type { Domain } from '../../../src/features/sending/domains/domains.schema.ts';
import { sendOnce } from '../../api/send-once.ts';
import { refresh } from '../../api/query-client.ts';
import { emailTexts } from '../../texts/en/emails.ts';
import { domainTexts } from '../../texts/en/domains.ts';
import { Button, buttonClasses } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { useForm } from '../../ui/form.tsx';
import { FormDialog } from '../../ui/dialogs/form-dialog.tsx';
import { showToast } from '../../ui/toasts.ts';
import { domainsQuery } from './domains-api.ts';
import { useSession } from '../people/session.ts';

const t = emailTexts;

export function TestEmailButton({ domain, look }: { domain: Domain; look?: 'primary' }) {
  const [isOpen, setIsOpen] = useState(false);
  if (domain.status !== 'SUCCESS') return null;
  return (
    <>
      <Button look={look} icon={Send} onClick={() => setIsOpen(true)}>
        {t.testAction}
      </Button>
      {isOpen && <TestEmailDialog domain={domain} onClose={() => setIsOpen(false)} />}
    </>
  );
}

/** Returns the first domain that can send email; null if there is none, undefined while that is not known. */
export function useVerifiedDomain(): Domain | null | undefined {
  const { data: domains } = useQuery(domainsQuery);
  return domains && (domains.find(({ status }) => status === 'SUCCESS') ?? null);
}

/** For empty lists of emails: sends one, or leads to the domains if none can send. */
export function FirstTestEmail() {
  const domain = useVerifiedDomain();
  if (domain === undefined) return null;
  return domain === null ? <ToDomains /> : <TestEmailButton domain={domain} look="primary" />;
}

export function ToDomains() {
  return (
    <Link to="/domains" className={buttonClasses('primary')}>
      {domainTexts.first}
    </Link>
  );
}

export function TestEmailDialog({ domain: { name }, onClose }: { domain: Domain; onClose(): void }) {
  const { user } = useSession();
  const navigate = useNavigate();
  const form = useForm({ from: `hello@${name}`, to: user.email }, async ({ from, to }) => {
    const content = { subject: t.testSubject(name), text: t.testBody(name) };
    const { emailId } = await sendOnce<{ emailId: string }>('/emails', { from, to, ...content });
    await refresh('emails');
    showToast(t.testSent);
    await navigate({ to: '/emails/$emailId', params: { emailId } });
  });
  return (
    <FormDialog
      title={t.testTitle}
      description={t.testLead(name)}
      form={form}
      action={t.testAction}
      onClose={onClose}
    >
      <TextField label={t.testFrom} type="email" {...form.text('from')} required />
      <TextField label={t.testTo} type="email" {...form.text('to')} autoFocus required />
    </FormDialog>
  );
}

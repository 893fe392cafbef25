import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Globe } from 'lucide-react';
import type { Domain } from '../../../src/features/sending/domains/domains.schema.ts';
import { sendJson } from '../../api/client.ts';
import { sendOnce } from '../../api/send-once.ts';
import { refresh } from '../../api/query-client.ts';
import { texts } from '../../texts/en.ts';
import { domainTexts } from '../../texts/en/domains.ts';
import { Badge } from '../../ui/badge.tsx';
import { TextField } from '../../ui/field.tsx';
import { useForm } from '../../ui/form.tsx';
import { FormDialog } from '../../ui/dialogs/form-dialog.tsx';
import { CreateFirst, ListPage } from '../../ui/lists/list-page.tsx';
import { Row, RowName, Rows } from '../../ui/lists/rows.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { TextLink } from '../../ui/text-link.tsx';
import { Time } from '../../ui/dates/time.tsx';
import { useIsAdmin } from '../people/session.ts';
import { domainsQuery, toneOfDomain } from './domains-api.ts';

const t = domainTexts;

export function DomainsPage() {
  const domains = useQuery(domainsQuery);
  const isAdmin = useIsAdmin();
  return (
    <ListPage
      title={t.title}
      guide="guides/domains-and-dns"
      description={isAdmin ? t.lead : `${t.lead} ${t.memberNote}`}
      create={isAdmin && { label: t.add, dialog: (close) => <AddDialog onClose={close} /> }}
    >
      <Rows
        label={t.title}
        query={domains}
        items={(data) => data}
        empty={
          <EmptyState
            icon={Globe}
            title={t.emptyTitle}
            text={isAdmin ? t.emptyText : t.memberNote}
            action={<CreateFirst>{t.first}</CreateFirst>}
          />
        }
      >
        {({ id, name, createdAt, status }) => (
          <Row key={id}>
            <RowName
              name={
                <TextLink to="/domains/$domainId" params={{ domainId: String(id) }}>
                  {name}
                </TextLink>
              }
              note={
                <>
                  {texts.common.created} <Time at={createdAt} />
                </>
              }
            />
            <Badge tone={toneOfDomain(status)}>{t.statuses[status]}</Badge>
          </Row>
        )}
      </Rows>
    </ListPage>
  );
}

function AddDialog({ onClose }: { onClose(): void }) {
  const navigate = useNavigate();
  const form = useForm({ name: '' }, async ({ name }) => {
    const domain = await sendOnce<Domain>('/domains', { name: name.trim() });
    // In the sandbox, such a name needs no DNS records. Verify it now, so that the page shows it as verified.
    if (domain.name.endsWith('.test')) await sendJson('PUT', `/domains/${domain.id}/verify`);
    await refresh('domains');
    await navigate({ to: '/domains/$domainId', params: { domainId: String(domain.id) } });
  });
  return (
    <FormDialog title={t.add} form={form} action={t.addAction} onClose={onClose}>
      <TextField
        label={t.name}
        hint={t.nameHint}
        placeholder="mail.example.com"
        {...form.text('name')}
        autoFocus
        required
        autoCapitalize="none"
        spellCheck={false}
      />
    </FormDialog>
  );
}

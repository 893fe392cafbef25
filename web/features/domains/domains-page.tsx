import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { Globe } from 'lucide-react';
import { useState } from 'react';
import type { Domain } from '../../../src/features/domains/domains.schema.ts';
import { sendJson } from '../../api/client.ts';
import { texts } from '../../texts/en.ts';
import { Badge } from '../../ui/badge.tsx';
import { TextField } from '../../ui/field.tsx';
import { useSubmission } from '../../ui/form.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { CreateButton } from '../../ui/list-head.tsx';
import { Page } from '../../ui/page.tsx';
import { Row, RowName, Rows } from '../../ui/rows.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { useIsAdmin } from '../people/session.ts';
import { domainsQuery, toneOfDomain } from './domains-api.ts';

const t = texts.domains;

export function DomainsPage() {
  const domains = useQuery(domainsQuery);
  const [adding, setAdding] = useState(false);
  const isAdmin = useIsAdmin();
  return (
    <Page
      title={t.title}
      description={isAdmin ? t.lead : `${t.lead} ${t.memberNote}`}
      actions={isAdmin && <CreateButton onClick={() => setAdding(true)}>{t.add}</CreateButton>}
    >
      <Rows
        label={t.title}
        query={domains}
        items={(data) => data}
        empty={
          <EmptyState icon={Globe} title={t.emptyTitle}>
            {isAdmin ? t.emptyText : t.memberNote}
          </EmptyState>
        }
      >
        {(data) =>
          data.map((domain) => (
            <Row key={domain.id}>
              <RowName
                name={
                  <Link
                    to="/domains/$domainId"
                    params={{ domainId: String(domain.id) }}
                    className="rounded hover:underline"
                  >
                    {domain.name}
                  </Link>
                }
                note={
                  <>
                    {texts.common.created} <Time at={domain.createdAt} />
                  </>
                }
              />
              <Badge tone={toneOfDomain(domain.status)}>{t.statuses[domain.status]}</Badge>
            </Row>
          ))
        }
      </Rows>
      {adding && <AddDialog onClose={() => setAdding(false)} />}
    </Page>
  );
}

function AddDialog({ onClose }: { onClose(): void }) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const form = useSubmission(async () => {
    const domain = await sendJson<Domain>('POST', '/domains', { name: name.trim() });
    await queryClient.invalidateQueries({ queryKey: ['domains'] });
    await navigate({ to: '/domains/$domainId', params: { domainId: String(domain.id) } });
  });
  return (
    <FormDialog title={t.add} form={form} action={t.addAction} onClose={onClose}>
      <TextField
        label={t.name}
        hint={t.nameHint}
        placeholder="mail.example.com"
        value={name}
        autoFocus
        required
        autoCapitalize="none"
        spellCheck={false}
        error={form.errorOf('name')}
        onChange={(event) => setName(event.target.value)}
      />
    </FormDialog>
  );
}

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { CreatedApiKey } from '../../../src/features/identity/api-keys/api-keys.schema.ts';
import { sendOnce } from '../../api/send-once.ts';
import { refresh } from '../../api/query-client.ts';
import { apiKeyTexts } from '../../texts/en/api-keys.ts';
import { DAY_MS } from '../../ui/dates/date-text.ts';
import { optionsOf, SelectField, TextField } from '../../ui/field.tsx';
import { useForm } from '../../ui/form.tsx';
import { FormDialog, ShownOnceDialog } from '../../ui/dialogs/form-dialog.tsx';
import { FirstRequestBox } from './first-request-box.tsx';
import { domainsQuery } from '../domains/domains-api.ts';

const t = apiKeyTexts;
const EXPIRY_DAYS = { never: null, days30: 30, days90: 90, year: 365 } as const;
type Expiry = keyof typeof EXPIRY_DAYS;

export function KeyDialog({ onClose }: { onClose(): void }) {
  const { data: domains = [] } = useQuery(domainsQuery);
  const [made, setMade] = useState<CreatedApiKey | null>(null);
  const start = { name: '', permission: 'sending', domainId: '', expiresAt: 'never' };
  const form = useForm(start, async ({ domainId, expiresAt, ...values }) => {
    const key = await sendOnce<CreatedApiKey>('/api-keys', {
      ...values,
      domainId: domainId === '' ? null : Number(domainId),
      expiresAt: timeIn(EXPIRY_DAYS[expiresAt as Expiry]),
    });
    setMade(key);
    await refresh('api-keys');
  });

  if (made) {
    return (
      <ShownOnceDialog
        title={t.createdTitle}
        description={t.createdText}
        text={made.key}
        copyLabel={t.copyKey}
        wide
        after={
          <div className="mt-5">
            <p className="mb-2 text-soft">{t.firstRequestNow}</p>
            <FirstRequestBox apiKey={made.key} />
          </div>
        }
        onClose={onClose}
      />
    );
  }
  return (
    <FormDialog title={t.create} form={form} action={t.createAction} onClose={onClose}>
      <TextField label={t.name} hint={t.nameHint} {...form.text('name')} autoFocus required />
      <SelectField
        label={t.permission}
        {...form.text('permission')}
        options={(['sending', 'full'] as const).map((each) => [each, t.permissions[each]])}
      />
      <SelectField
        label={t.domain}
        hint={form.values.domainId === '' ? undefined : t.domainHint}
        {...form.text('domainId')}
        options={[['', t.allDomains], ...optionsOf(domains)]}
      />
      <SelectField
        label={t.expires}
        {...form.text('expiresAt')}
        options={(Object.keys(EXPIRY_DAYS) as Expiry[]).map((each) => [each, t.expiry[each]])}
      />
    </FormDialog>
  );
}

function timeIn(days: number | null): string | null {
  return days === null ? null : new Date(Date.now() + days * DAY_MS).toISOString();
}

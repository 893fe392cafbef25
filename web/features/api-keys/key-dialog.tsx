import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { CreatedApiKey } from '../../../src/features/api-keys/api-keys.schema.ts';
import { sendJson } from '../../api/client.ts';
import { texts } from '../../texts/en.ts';
import { SelectField, TextField } from '../../ui/field.tsx';
import { useSubmission } from '../../ui/form.tsx';
import { FormDialog, ShownOnceDialog } from '../../ui/form-dialog.tsx';
import { domainsQuery } from '../domains/domains-api.ts';

const t = texts.apiKeys;
const DAY_MS = 86_400_000;
const EXPIRY_DAYS = { never: null, days30: 30, days90: 90, year: 365 } as const;
type Expiry = keyof typeof EXPIRY_DAYS;

export function KeyDialog({ onClose }: { onClose(): void }) {
  const queryClient = useQueryClient();
  const { data: domains = [] } = useQuery(domainsQuery);
  const [name, setName] = useState('');
  const [permission, setPermission] = useState<'sending' | 'full'>('sending');
  const [domainId, setDomainId] = useState('');
  const [expiry, setExpiry] = useState<Expiry>('never');
  const [made, setMade] = useState<CreatedApiKey | null>(null);
  const form = useSubmission(async () => {
    const days = EXPIRY_DAYS[expiry];
    const key = await sendJson<CreatedApiKey>('POST', '/api-keys', {
      name,
      permission,
      domainId: domainId === '' ? null : Number(domainId),
      expiresAt: days === null ? null : new Date(Date.now() + days * DAY_MS).toISOString(),
    });
    setMade(key);
    await queryClient.invalidateQueries({ queryKey: ['api-keys'] });
  });

  if (made) {
    return (
      <ShownOnceDialog
        title={t.createdTitle}
        description={t.createdText}
        text={made.key}
        copyLabel={t.copyKey}
        onClose={onClose}
      />
    );
  }
  return (
    <FormDialog title={t.create} form={form} action={t.createAction} onClose={onClose}>
      <TextField
        label={t.name}
        hint={t.nameHint}
        value={name}
        autoFocus
        required
        error={form.errorOf('name')}
        onChange={(event) => setName(event.target.value)}
      />
      <SelectField
        label={t.permission}
        value={permission}
        error={form.errorOf('permission')}
        onChange={(event) => setPermission(event.target.value as 'sending' | 'full')}
      >
        <option value="sending">{t.permissions.sending}</option>
        <option value="full">{t.permissions.full}</option>
      </SelectField>
      <SelectField
        label={t.domain}
        hint={domainId === '' ? undefined : t.domainHint}
        value={domainId}
        error={form.errorOf('domainId')}
        onChange={(event) => setDomainId(event.target.value)}
      >
        <option value="">{t.allDomains}</option>
        {domains.map((domain) => (
          <option key={domain.id} value={domain.id}>
            {domain.name}
          </option>
        ))}
      </SelectField>
      <SelectField
        label={t.expires}
        value={expiry}
        error={form.errorOf('expiresAt')}
        onChange={(event) => setExpiry(event.target.value as Expiry)}
      >
        {(Object.keys(EXPIRY_DAYS) as Expiry[]).map((each) => (
          <option key={each} value={each}>
            {t.expiry[each]}
          </option>
        ))}
      </SelectField>
    </FormDialog>
  );
}

import { useQuery } from '@tanstack/react-query';
import type { SignOn } from '../../../src/features/identity/single-sign-on/sign-on.schema.ts';
import { ApiError, getJson, sendJson } from '../../api/client.ts';
import { refresh } from '../../api/query-client.ts';
import { texts } from '../../texts/en.ts';
import { signOnTexts as t } from '../../texts/en/single-sign-on.ts';
import { Button } from '../../ui/button.tsx';
import { CopyLine } from '../../ui/copy.tsx';
import { SwitchField, TextField } from '../../ui/field.tsx';
import { FormError, useForm, useSubmission } from '../../ui/form.tsx';
import { Card, Section } from '../../ui/page.tsx';
import { ErrorState, Skeleton } from '../../ui/states.tsx';
import { showToast } from '../../ui/toasts.ts';

const KEY = ['sso'];
const PATH = '/sso';

/** The identity provider of the team. Only owners see it. */
export function SignOnSection() {
  const settings = useQuery({ queryKey: KEY, queryFn: readSettings });
  return (
    <Section title={t.title} description={t.lead}>
      {settings.isPending && <Skeleton className="h-40" />}
      {settings.isError && <ErrorState error={settings.error} retry={() => void settings.refetch()} />}
      {settings.data !== undefined && (
        <SignOnForm key={settings.data?.updatedAt ?? ''} settings={settings.data} />
      )}
    </Section>
  );
}

/** Null while the team has none. */
async function readSettings(): Promise<SignOn | null> {
  try {
    return await getJson<SignOn>(PATH);
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}

function SignOnForm({ settings }: { settings: SignOn | null }) {
  const start = {
    issuer: settings?.issuer ?? '',
    clientId: settings?.clientId ?? '',
    clientSecret: '',
    domains: settings?.domains.join(', ') ?? '',
    required: settings?.required ?? false,
  };
  const form = useForm(start, async ({ domains, ...values }) => {
    const { defaultRole, groupsClaim, groupRoles } = settings ?? {};
    const list = domains.split(',').map((domain) => domain.trim());
    await sendJson('PUT', PATH, {
      defaultRole,
      groupsClaim,
      groupRoles,
      ...values,
      domains: list.filter((domain) => domain !== ''),
    });
    await refresh(...KEY);
    showToast(texts.common.saved);
  });
  const removal = useSubmission(async () => {
    await sendJson('DELETE', PATH);
    await refresh(...KEY);
    showToast(t.removed);
  });
  return (
    <Card>
      <form onSubmit={form.onSubmit} className="space-y-4">
        <TextField label={t.issuer} hint={t.issuerHint} type="url" {...form.text('issuer')} required />
        <TextField label={t.clientId} {...form.text('clientId')} required />
        <TextField
          label={t.clientSecret}
          hint={t.secretHint}
          type="password"
          autoComplete="off"
          {...form.text('clientSecret')}
          required
        />
        <TextField label={t.domains} hint={t.domainsHint} {...form.text('domains')} />
        <SwitchField
          label={t.required}
          hint={t.requiredHint}
          checked={form.values.required}
          onChange={(required) => form.set({ required })}
        />
        <div className="flex flex-wrap gap-2">
          <Button type="submit" busy={form.busy}>
            {texts.common.save}
          </Button>
          {settings && (
            <Button look="quiet" busy={removal.busy} onClick={removal.onSubmit}>
              {t.remove}
            </Button>
          )}
        </div>
      </form>
      <FormError error={form.errorBeside() ?? removal.error} />
      {settings && (
        <div className="mt-4 space-y-2">
          <p className="text-soft">{t.register}</p>
          <CopyLine text={settings.redirectUri} label={texts.common.copy} name={t.redirectUri} />
          <CopyLine text={settings.logoutUri} label={texts.common.copy} name={t.logoutUri} />
        </div>
      )}
    </Card>
  );
}

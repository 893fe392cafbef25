import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ApiKey, CreatedApiKey } from '../../../src/features/identity/api-keys/api-keys.schema.ts';
import { sendJson } from '../../api/client.ts';
import { mailboxesQuery } from '../../api/mailboxes.ts';
import { sendOnce } from '../../api/send-once.ts';
import { refresh } from '../../api/query-client.ts';
import { texts } from '../../texts/en.ts';
import { apiKeyTexts } from '../../texts/en/api-keys.ts';
import { SelectField, TextAreaField, TextField } from '../../ui/field.tsx';
import { useForm, type Form } from '../../ui/form.tsx';
import { FormDialog, ShownOnceDialog } from '../../ui/dialogs/form-dialog.tsx';
import { showToast } from '../../ui/toasts.ts';
import { contactBooksQuery } from '../contact-books/contact-books-api.ts';
import { domainsQuery } from '../domains/domains-api.ts';
import { ChoiceList } from '../policies/choice-list.tsx';
import { FormPart } from '../policies/form-part.tsx';
import { policiesQuery } from '../policies/policies-api.ts';
import { PolicyDialog } from '../policies/policy-dialog.tsx';
import { dayOf, describeKey } from './describe-key.ts';
import { FirstRequestBox } from './first-request-box.tsx';
import {
  EXPIRY_DAYS,
  namesOf,
  timeOf,
  toKeyInput,
  toKeyUpdate,
  toKeyValues,
  type Expiry,
  type KeyValues,
} from './key-form.ts';
import { PolicyField } from './policy-field.tsx';
import { AGENT_SCOPES } from './scope-groups.ts';
import { ScopeFields } from './scope-fields.tsx';

const t = apiKeyTexts;
const KINDS = ['application', 'agent'] as const;
const RIGHTS = ['sending', 'scoped', 'full'] as const;

interface KeyDialogProps {
  /** The key to change. */
  apiKey?: ApiKey;
  onClose(): void;
}

export function KeyDialog({ apiKey, onClose }: KeyDialogProps) {
  const [made, setMade] = useState<CreatedApiKey | null>(null);
  const [isCreatingPolicy, setCreatingPolicy] = useState(false);
  const form = useForm(
    () => toKeyValues(apiKey ?? null),
    async (values) => {
      if (apiKey) {
        await sendJson('PATCH', `/api-keys/${apiKey.id}`, toKeyUpdate(values, apiKey));
        await refresh('api-keys');
        showToast(t.saved);
        onClose();
      } else {
        setMade(await sendOnce<CreatedApiKey>('/api-keys', toKeyInput(values)));
        await refresh('api-keys');
      }
    },
  );
  if (made) return <MadeKey made={made} onClose={onClose} />;
  const { values } = form;
  const hasNoScope = values.rights === 'scoped' && values.scopes.length === 0;
  return (
    <>
      <FormDialog
        wide
        title={apiKey ? t.edit : t.create}
        form={form}
        action={apiKey ? texts.common.save : t.createAction}
        disabled={hasNoScope || (values.kind === 'agent' && values.policyId === '')}
        onClose={onClose}
      >
        <TextField label={t.name} hint={t.nameHint} {...form.text('name')} autoFocus required />
        {!apiKey && <Kind form={form} />}
        {values.rights === 'scoped' && (
          <ScopeFields chosen={values.scopes} onChange={(scopes) => form.set({ scopes })} />
        )}
        <PolicyField form={form} isNeeded={values.kind === 'agent'} create={() => setCreatingPolicy(true)} />
        <Bounds form={form} apiKey={apiKey} />
        <Sentence values={values} apiKey={apiKey} />
      </FormDialog>
      {/* Beside the form, because the submission of a form inside would be one of this form as well. */}
      {isCreatingPolicy && (
        <PolicyDialog
          policy={null}
          onSaved={({ id }) => form.set({ policyId: id })}
          onClose={() => setCreatingPolicy(false)}
        />
      )}
    </>
  );
}

/** The whole key is shown only once. */
export function MadeKey({ made, onClose }: { made: CreatedApiKey; onClose(): void }) {
  const sends = made.permission !== null || made.scopes?.includes('emails.send');
  return (
    <ShownOnceDialog
      title={t.createdTitle}
      description={t.createdText}
      text={made.key}
      copyLabel={t.copyKey}
      wide
      after={
        sends && (
          <div className="mt-5">
            <p className="mb-2 text-soft">{t.firstRequestNow}</p>
            <FirstRequestBox apiKey={made.key} />
          </div>
        )
      }
      onClose={onClose}
    />
  );
}

/** An agent begins with what an assistant for a mailbox needs. */
function Kind({ form }: { form: Form<KeyValues> }) {
  const { values, set } = form;
  const setKind = (kind: string) =>
    set(
      kind === 'agent' && values.rights === 'sending'
        ? { kind, rights: 'scoped', scopes: [...AGENT_SCOPES] }
        : { kind },
    );
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <SelectField
        label={t.kind}
        hint={t.kindHints[values.kind as (typeof KINDS)[number]]}
        value={values.kind}
        onChange={({ target }) => setKind(target.value)}
        options={KINDS.map((kind) => [kind, t.kinds[kind]])}
      />
      <SelectField
        label={t.rights}
        {...form.text('rights')}
        options={RIGHTS.map((rights) => [rights, t.rightsChoices[rights]])}
      />
    </div>
  );
}

function choices(things: readonly { id: string | number; name: string }[]) {
  return things.map(({ id, name }) => [String(id), name] as const);
}

function Bounds({ form, apiKey }: { form: Form<KeyValues>; apiKey: ApiKey | undefined }) {
  const { data: domains = [] } = useQuery(domainsQuery);
  const { data: books = [] } = useQuery(contactBooksQuery);
  const { data: mailboxes = [] } = useQuery(mailboxesQuery);
  const { values, set } = form;
  const addresses = mailboxes.map(({ id, address }) => ({ id, name: address }));
  const expiries = (Object.keys(EXPIRY_DAYS) as Expiry[]).map((each) => [each, t.expiry[each]] as const);
  return (
    <FormPart title={t.bounds}>
      {values.rights !== 'sending' && (
        <ChoiceList
          label={t.mailboxes}
          hint={t.boundsHint}
          options={choices(addresses)}
          chosen={values.mailboxIds}
          onChange={(mailboxIds) => set({ mailboxIds })}
        />
      )}
      <ChoiceList
        label={t.domains}
        hint={t.boundsHint}
        options={choices(domains)}
        chosen={values.domainIds}
        onChange={(domainIds) => set({ domainIds })}
      />
      {values.rights !== 'sending' && (
        <ChoiceList
          label={t.books}
          hint={t.boundsHint}
          options={choices(books)}
          chosen={values.contactBookIds}
          onChange={(contactBookIds) => set({ contactBookIds })}
        />
      )}
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField
          label={t.expires}
          {...form.text('expiresAt')}
          options={
            apiKey?.expiresAt ? [['keep', t.keepExpiry(dayOf(apiKey.expiresAt))], ...expiries] : expiries
          }
        />
        <TextAreaField label={t.allowedIps} hint={t.allowedIpsHint} rows={2} {...form.text('allowedIps')} />
      </div>
    </FormPart>
  );
}

function Sentence({ values, apiKey }: { values: KeyValues; apiKey: ApiKey | undefined }) {
  const { data: domains = [] } = useQuery(domainsQuery);
  const { data: books = [] } = useQuery(contactBooksQuery);
  const { data: mailboxes = [] } = useQuery(mailboxesQuery);
  const { data: policies = [] } = useQuery(policiesQuery);
  const { rights, scopes } = values;
  return (
    <FormPart title={t.sentence.title}>
      <p role="status">
        {rights === 'scoped' && scopes.length === 0
          ? t.noScopes
          : describeKey({
              kind: values.kind as (typeof KINDS)[number],
              rights: rights as (typeof RIGHTS)[number],
              scopes,
              mailboxes: namesOf(
                rights === 'sending' ? [] : values.mailboxIds,
                mailboxes.map(({ id, address }) => ({ id, name: address })),
              ),
              domains: namesOf(values.domainIds, domains),
              books: namesOf(values.contactBookIds, books),
              policy: policies.find(({ id }) => id === values.policyId) ?? null,
              expiresAt: timeOf(values, apiKey?.expiresAt ?? null),
              allowedIps: toKeyInput(values).allowedIps ?? [],
            })}
      </p>
    </FormPart>
  );
}

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type {
  EventList,
  Webhook,
  WebhookWithSecret,
} from '../../../src/features/webhooks/webhooks.schema.ts';
import { getJson, sendJson } from '../../api/client.ts';
import { sendOnce } from '../../api/send-once.ts';
import { refresh } from '../../api/query-client.ts';
import { texts } from '../../texts/en.ts';
import { webhookTexts } from '../../texts/en/webhooks.ts';
import { CheckboxField, SelectField, TextField } from '../../ui/field.tsx';
import { useForm } from '../../ui/form.tsx';
import { FormDialog } from '../../ui/dialogs/form-dialog.tsx';
import { showToast } from '../../ui/toasts.ts';
import { SecretDialog } from './secret-dialog.tsx';

const t = webhookTexts;
const FORMATS = Object.entries(t.formats) as [Webhook['format'], string][];

/** Creates a webhook, or changes the given one. */
export function WebhookDialog({ webhook, onClose }: { webhook: Webhook | null; onClose(): void }) {
  const [secret, setSecret] = useState<string | null>(null);
  const form = useForm(
    () => valuesOf(webhook),
    async ({ url, description, format, which, names }) => {
      const events = which === 'all' ? ['*'] : [...names];
      const input = { url: url.trim(), events, description: description.trim() || null, format };
      if (webhook) await sendJson('PATCH', `/webhooks/${webhook.id}`, input);
      else setSecret((await sendOnce<WebhookWithSecret>('/webhooks', input)).secret);
      await refresh('webhooks');
      if (!webhook) return;
      showToast(t.changed);
      onClose();
    },
  );

  if (secret !== null) return <SecretDialog secret={secret} onClose={onClose} />;
  const { which, names } = form.values;
  const lacksEvents = which === 'some' && names.size === 0;
  return (
    <FormDialog
      title={webhook ? t.editTitle : t.create}
      form={form}
      action={webhook ? texts.common.save : t.createAction}
      disabled={lacksEvents}
      onClose={onClose}
    >
      <TextField label={t.url} hint={t.urlHint} type="url" {...form.text('url')} autoFocus required />
      <TextField label={t.description} {...form.text('description')} />
      <SelectField
        label={t.events}
        {...form.text('which')}
        error={lacksEvents ? t.lacksEvents : form.errorOf('events')}
        options={[
          ['all', t.allEvents],
          ['some', t.someEvents],
        ]}
      />
      {which === 'some' && <EventChoice chosen={names} onChange={(next) => form.set({ names: next })} />}
      <SelectField
        label={t.format}
        hint={t.formatHints[form.values.format]}
        {...form.text('format')}
        options={FORMATS}
      />
    </FormDialog>
  );
}

function valuesOf(webhook: Webhook | null) {
  return {
    url: webhook?.url ?? '',
    description: webhook?.description ?? '',
    format: webhook?.format ?? 'posthorn',
    which: !webhook || webhook.events.includes('*') ? 'all' : 'some',
    names: new Set(webhook?.events.filter((name) => name !== '*')),
  };
}

function EventChoice({ chosen, onChange }: { chosen: Set<string>; onChange(chosen: Set<string>): void }) {
  const { data: types } = useQuery({
    queryKey: ['webhook-events'],
    queryFn: () => getJson<EventList>('/webhooks/events'),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <div className="grid grid-cols-1 gap-1.5 sm:grid-cols-2">
      {namesOf(types, chosen).map((name) => (
        <CheckboxField
          key={name}
          label={<code className="text-[0.8125rem]">{name}</code>}
          checked={chosen.has(name)}
          onChange={(event) => onChange(withName(chosen, name, event.target.checked))}
        />
      ))}
    </div>
  );
}

/** Includes patterns that were set through the API, such as `email.*`. */
function namesOf(types: EventList | undefined, chosen: Set<string>): string[] {
  return [...new Set([...(types?.items.map(({ type }) => type) ?? []), ...chosen])];
}

function withName(names: Set<string>, name: string, isIn: boolean): Set<string> {
  const next = new Set(names);
  if (isIn) next.add(name);
  else next.delete(name);
  return next;
}

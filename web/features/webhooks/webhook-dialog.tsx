import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type {
  EventList,
  Webhook,
  WebhookWithSecret,
} from '../../../src/features/webhooks/webhooks.schema.ts';
import { getJson, sendJson } from '../../api/client.ts';
import { texts } from '../../texts/en.ts';
import { CheckboxField, SelectField, TextField } from '../../ui/field.tsx';
import { useSubmission } from '../../ui/form.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { showToast } from '../../ui/toasts.ts';
import { SecretDialog } from './secret-dialog.tsx';

const t = texts.webhooks;

/** Makes a webhook, or changes the one that is given. */
export function WebhookDialog({ webhook, onClose }: { webhook: Webhook | null; onClose(): void }) {
  const queryClient = useQueryClient();
  const { data: types } = useQuery({
    queryKey: ['webhook-events'],
    queryFn: () => getJson<EventList>('/webhooks/events'),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const [url, setUrl] = useState(webhook?.url ?? '');
  const [description, setDescription] = useState(webhook?.description ?? '');
  const [all, setAll] = useState(webhook ? webhook.events.includes('*') : true);
  const [events, setEvents] = useState(() => new Set(webhook?.events.filter((name) => name !== '*')));
  const [secret, setSecret] = useState<string | null>(null);
  const form = useSubmission(async () => {
    const chosen = all ? ['*'] : [...events];
    const input = { url: url.trim(), events: chosen, description: description.trim() || null };
    if (webhook) await sendJson('PATCH', `/webhooks/${webhook.id}`, input);
    else setSecret((await sendJson<WebhookWithSecret>('POST', '/webhooks', input)).secret);
    await queryClient.invalidateQueries({ queryKey: ['webhooks'] });
    if (!webhook) return;
    showToast(t.changed);
    onClose();
  });

  if (secret !== null) return <SecretDialog secret={secret} onClose={onClose} />;
  const lacksEvents = !all && events.size === 0;
  return (
    <FormDialog
      title={webhook ? t.edit : t.create}
      form={form}
      action={webhook ? texts.common.save : t.createAction}
      disabled={lacksEvents}
      onClose={onClose}
    >
      <TextField
        label={t.url}
        hint={t.urlHint}
        type="url"
        value={url}
        autoFocus
        required
        error={form.errorOf('url')}
        onChange={(event) => setUrl(event.target.value)}
      />
      <TextField
        label={t.description}
        value={description}
        error={form.errorOf('description')}
        onChange={(event) => setDescription(event.target.value)}
      />
      <SelectField
        label={t.events}
        value={all ? 'all' : 'some'}
        error={lacksEvents ? t.lacksEvents : form.errorOf('events')}
        onChange={(event) => setAll(event.target.value === 'all')}
      >
        <option value="all">{t.allEvents}</option>
        <option value="some">{t.someEvents}</option>
      </SelectField>
      {!all && (
        <div className="grid gap-1.5 sm:grid-cols-2">
          {namesOf(types, events).map((name) => (
            <CheckboxField
              key={name}
              label={<code className="text-[0.8125rem]">{name}</code>}
              checked={events.has(name)}
              onChange={(event) => setEvents(withName(events, name, event.target.checked))}
            />
          ))}
        </div>
      )}
    </FormDialog>
  );
}

/** Also what was chosen through the API, as `email.*`. */
function namesOf(types: EventList | undefined, chosen: Set<string>): string[] {
  return [...new Set([...(types?.items.map(({ type }) => type) ?? []), ...chosen])];
}

function withName(names: Set<string>, name: string, isIn: boolean): Set<string> {
  const next = new Set(names);
  if (isIn) next.add(name);
  else next.delete(name);
  return next;
}

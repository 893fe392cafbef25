/** The fields of steps that change something. */
import { Plus, X } from 'lucide-react';
import { useState } from 'react';
import { OWN_FIELD_NAMES } from '../../../../src/features/audience/own-fields/own-fields.ts';
import { automationPanelTexts } from '../../../texts/en/automation-panel.ts';
import { Button, IconButton } from '../../../ui/button.tsx';
import { CheckboxField, SelectField, TextAreaField, TextField } from '../../../ui/field.tsx';
import { useColleagues } from '../../mail/live/team-api.ts';
import { ManyField } from './common-fields.tsx';
import { JsonField } from './json-field.tsx';
import type { FieldsOf } from './step-fields.ts';

const p = automationPanelTexts;

export function UpdateFields({ step, set, choices }: FieldsOf<'update'>) {
  const { topics, segments } = choices;
  // Only segments to which contacts are added one by one: a filter on a property named after the segment.
  const named = segments.filter(({ id, filter }) => JSON.stringify(filter).includes(id));
  return (
    <>
      {OWN_FIELD_NAMES.map((name) => (
        <TextField
          key={name}
          label={p.ownFields[name]}
          value={step[name] ?? ''}
          onChange={({ target }) => set({ [name]: target.value || undefined })}
        />
      ))}
      <PropertyList
        properties={step.properties ?? {}}
        onChange={(properties) =>
          set({ properties: Object.keys(properties).length > 0 ? properties : undefined })
        }
      />
      <ManyField
        label={p.joinTopic}
        choices={topics}
        value={step.topics?.join ?? []}
        onChange={(join) => set({ topics: { ...step.topics, join } })}
      />
      <ManyField
        label={p.leaveTopic}
        choices={topics}
        value={step.topics?.leave ?? []}
        onChange={(leave) => set({ topics: { ...step.topics, leave } })}
      />
      <ManyField
        label={p.addSegment}
        choices={named}
        value={step.segments?.add ?? []}
        onChange={(add) => set({ segments: { ...step.segments, add } })}
      />
      <ManyField
        label={p.removeSegment}
        choices={named}
        value={step.segments?.remove ?? []}
        onChange={(remove) => set({ segments: { ...step.segments, remove } })}
      />
      <CheckboxField
        label={p.unsubscribe}
        checked={step.subscribed === false}
        onChange={({ target }) => set({ subscribed: target.checked ? false : undefined })}
      />
    </>
  );
}

type Properties = NonNullable<FieldsOf<'update'>['step']['properties']>;

function PropertyList({
  properties,
  onChange,
}: {
  properties: Properties;
  onChange(next: Properties): void;
}) {
  const [name, setName] = useState('');
  const add = () => {
    if (name.trim() !== '') onChange({ ...properties, [name.trim()]: '' });
    setName('');
  };
  return (
    <fieldset>
      <legend className="mb-1.5 font-medium">{p.properties}</legend>
      <div className="space-y-2">
        {Object.entries(properties).map(([key, value]) => (
          <div key={key} className="flex items-end gap-2">
            <TextField
              className="flex-1"
              label={p.propertyValue(key)}
              value={String(value ?? '')}
              onChange={({ target }) => onChange({ ...properties, [key]: target.value })}
            />
            <IconButton
              icon={X}
              label={p.removeProperty(key)}
              onClick={() => {
                const { [key]: _, ...others } = properties;
                onChange(others);
              }}
            />
          </div>
        ))}
        <div className="flex items-end gap-2">
          <TextField
            className="flex-1"
            label={p.propertyName}
            value={name}
            onChange={({ target }) => setName(target.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Enter') return;
              event.preventDefault();
              add();
            }}
          />
          <Button icon={Plus} onClick={add}>
            {p.addProperty}
          </Button>
        </div>
      </div>
      <p className="mt-1.5 text-note text-soft">{p.valueHint}</p>
    </fieldset>
  );
}

export function WebhookFields({ step, set }: FieldsOf<'webhook'>) {
  return (
    <>
      <TextField
        label={p.url}
        hint={p.urlHint}
        type="url"
        value={step.url}
        onChange={({ target }) => set({ url: target.value.trim() })}
      />
      <JsonField
        label={p.data}
        hint={p.dataHint}
        value={step.data ?? null}
        onChange={(data) => set({ data: data ?? undefined })}
      />
    </>
  );
}

export function ThreadFields({ step, set, choices }: FieldsOf<'thread'>) {
  const colleagues = useColleagues(step.mailboxId);
  const { draft } = step;
  return (
    <>
      <SelectField
        label={p.threadMailbox}
        value={step.mailboxId}
        options={choices.mailboxes.map(({ id, address }) => [id, address] as const)}
        onChange={({ target }) => set({ mailboxId: target.value })}
      />
      <TextField
        label={p.label}
        value={step.label ?? ''}
        maxLength={100}
        onChange={({ target }) => set({ label: target.value || undefined })}
      />
      <SelectField
        label={p.assign}
        value={step.assign ?? ''}
        options={[['', p.nobody], ...colleagues.map(({ user_id, name }) => [user_id, name] as const)]}
        onChange={({ target }) => set({ assign: target.value || undefined })}
      />
      <TextAreaField
        label={p.note}
        rows={3}
        value={step.note ?? ''}
        onChange={({ target }) => set({ note: target.value || undefined })}
      />
      <TextAreaField
        label={p.draftHtml}
        hint={p.draftHint}
        rows={5}
        value={draft?.html ?? ''}
        onChange={({ target }) =>
          set({ draft: target.value === '' ? undefined : { ...draft, html: target.value } })
        }
      />
      {draft && (
        <TextField
          label={p.draftSubject}
          value={draft.subject ?? ''}
          onChange={({ target }) => set({ draft: { ...draft, subject: target.value || null } })}
        />
      )}
    </>
  );
}

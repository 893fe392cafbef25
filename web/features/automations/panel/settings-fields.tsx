/** What holds for the whole automation. */
import { useState } from 'react';
import { automationTexts } from '../../../texts/en/automations.ts';
import { automationPanelTexts } from '../../../texts/en/automation-panel.ts';
import { ZoneField } from '../../../ui/dates/zone-field.tsx';
import { CheckboxField, SelectField, TextField } from '../../../ui/field.tsx';
import type { AutomationFields } from '../saving/automation-fields.ts';
import type { Draft } from '../saving/use-automation.ts';
import { DurationField } from './common-fields.tsx';

const p = automationPanelTexts;

export function SettingsFields({ draft }: { draft: Draft }) {
  const { fields, change } = draft;
  return (
    <div className="space-y-4">
      <TextField
        label={automationTexts.name}
        required
        maxLength={200}
        value={fields.name}
        onChange={({ target }) => change({ name: target.value }, 'name')}
      />
      <Exits draft={draft} />
      <SelectField
        label={p.reentry}
        value={fields.reentry}
        options={Object.entries(p.reentries)}
        onChange={({ target }) => change({ reentry: target.value as AutomationFields['reentry'] })}
      />
      <div>
        <ZoneField
          label={p.zone}
          value={fields.timezone}
          onChange={({ target }) => change({ timezone: target.value })}
        />
        <p className="mt-1.5 text-note text-soft">{p.zoneHint}</p>
      </div>
      <DurationField
        label={p.hold}
        value={fields.holdOnAutoReply}
        onChange={(holdOnAutoReply) => change({ holdOnAutoReply }, 'hold')}
      />
      <TextField
        label={p.rate}
        hint={p.rateHint}
        type="number"
        min={1}
        max={1_000_000}
        value={fields.ratePerMinute ?? ''}
        onChange={({ target }) =>
          change({ ratePerMinute: target.value === '' ? null : Number(target.value) }, 'rate')
        }
      />
    </div>
  );
}

type Exit = AutomationFields['exitOn'][number];

function Exits({ draft: { fields, change } }: { draft: Draft }) {
  const { exitOn } = fields;
  const own = exitOn.filter((exit): exit is Exclude<Exit, string> => typeof exit !== 'string');
  const [events, setEvents] = useState(() => own.map(({ event }) => event).join(', '));
  const toggle = (name: 'unsubscribed' | 'replied', isOn: boolean) =>
    change({ exitOn: [...exitOn.filter((exit) => exit !== name), ...(isOn ? [name] : [])] });
  const setOwn = (text: string) => {
    setEvents(text);
    const names = text.split(',').map((name) => name.trim().toLowerCase());
    const exits = [...new Set(names)]
      .filter((name) => /^[a-z][a-z0-9_.-]{0,99}$/.test(name))
      .map((event): Exit => own.find((exit) => exit.event === event) ?? { event });
    change({ exitOn: [...exitOn.filter((exit) => typeof exit === 'string'), ...exits] }, 'exits');
  };
  return (
    <fieldset className="space-y-2">
      <legend className="mb-1.5 font-medium">{p.exits}</legend>
      <CheckboxField
        label={p.exitUnsubscribed}
        checked={exitOn.includes('unsubscribed')}
        onChange={({ target }) => toggle('unsubscribed', target.checked)}
      />
      <CheckboxField
        label={p.exitReplied}
        hint={p.exitRepliedHint}
        checked={exitOn.includes('replied')}
        onChange={({ target }) => toggle('replied', target.checked)}
      />
      <TextField
        label={p.exitEvents}
        hint={p.exitEventsHint}
        value={events}
        onChange={({ target }) => setOwn(target.value)}
      />
    </fieldset>
  );
}

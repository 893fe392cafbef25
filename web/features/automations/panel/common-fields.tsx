/** Fields that several steps have. */
import { X } from 'lucide-react';
import { useId, useState } from 'react';
import { automationTexts } from '../../../texts/en/automations.ts';
import { automationPanelTexts } from '../../../texts/en/automation-panel.ts';
import { IconButton } from '../../../ui/button.tsx';
import { Field, SelectField, TextField } from '../../../ui/field.tsx';
import { controlClasses, controlHeight, Select } from '../../../ui/select.tsx';
import { classes } from '../../../ui/classes.ts';
import { GroupEditor } from '../../segments/filter-builder.tsx';
import { isComplete, readFilter, toFilter } from '../../segments/filter-model.ts';
import type { Options } from '../../../ui/options.ts';
import { readDuration, UNITS, writeDuration, type Unit } from '../words/duration-parts.ts';

const t = automationTexts;

interface DurationFieldProps {
  label: string;
  value: string;
  onChange(value: string): void;
}

export function DurationField({ label, value, onChange }: DurationFieldProps) {
  const parts = readDuration(value);
  return (
    <Field label={label}>
      {(described) => (
        <span className="grid grid-cols-[6rem_minmax(0,1fr)] gap-2">
          <input
            type="number"
            min={1}
            required
            {...described}
            className={classes(controlClasses, controlHeight)}
            value={parts.count}
            onChange={({ target }) => onChange(writeDuration({ ...parts, count: target.value }))}
          />
          <Select
            label={automationPanelTexts.durationUnit}
            aria-label={automationPanelTexts.durationUnit}
            value={parts.unit}
            options={UNITS.map((unit) => [unit, t.units[unit]])}
            onChange={({ target }) => onChange(writeDuration({ ...parts, unit: target.value as Unit }))}
          />
        </span>
      )}
    </Field>
  );
}

interface WhereFieldProps {
  label: string;
  /** Null for none, which matches always. */
  value: object | null;
  properties: readonly string[];
  runFields: Options;
  onChange(filter: never): void;
}

/** The conditions of segments. What is not complete stays here until it is. */
export function WhereField({ label, value, properties, runFields, onChange }: WhereFieldProps) {
  const [group, setGroup] = useState(() => readFilter((value ?? { all: [] }) as Record<string, unknown>));
  const id = useId();
  return (
    <div role="group" aria-labelledby={id} className="@container">
      <p id={id} className="mb-1.5 font-medium">
        {label}
      </p>
      <GroupEditor
        isNarrow
        group={group}
        properties={properties}
        runFields={runFields}
        onChange={(next) => {
          setGroup(next);
          if (isComplete(next)) onChange(toFilter(next) as never);
        }}
      />
    </div>
  );
}

interface ManyFieldProps {
  label: string;
  choices: readonly { id: string; name: string }[];
  value: readonly string[];
  onChange(ids: string[]): void;
}

/** Several of a list. */
export function ManyField({ label, choices, value, onChange }: ManyFieldProps) {
  const left = choices.filter(({ id }) => !value.includes(id));
  if (choices.length === 0) return null;
  return (
    <div>
      <SelectField
        label={label}
        value=""
        placeholder={automationPanelTexts.chooseMore}
        options={left.map(({ id, name }) => [id, name])}
        onChange={({ target }) => onChange([...value, target.value])}
      />
      {value.length > 0 && (
        <ul className="mt-1.5 flex flex-wrap gap-1.5">
          {value.map((id) => {
            const name = choices.find((choice) => choice.id === id)?.name ?? id;
            return (
              <li key={id} className="inline-flex items-center rounded-md bg-hover pl-2 text-note">
                {name}
                <IconButton
                  icon={X}
                  label={automationPanelTexts.removeChoice(name)}
                  className="size-7"
                  onClick={() => onChange(value.filter((each) => each !== id))}
                />
              </li>
            );
          })}
        </ul>
      )}
    </div>
  );
}

/** The names of our own events, and a field for others. */
interface EventFieldProps {
  label: string;
  value: string;
  /** Names besides those of events that happen to a contact. */
  special?: Options;
  onChange(event: string): void;
}

const OWN = 'own';

export function EventField({ label, value, special = [], onChange }: EventFieldProps) {
  const ours: Options = [...special, ...Object.entries(t.eventStarts)];
  const isOurs = ours.some(([name]) => name === value);
  return (
    <>
      <SelectField
        label={label}
        value={isOurs ? value : OWN}
        options={[...ours, [OWN, automationPanelTexts.kinds.own]]}
        hasSearch={false}
        onChange={({ target }) => onChange(target.value === OWN ? 'order.placed' : target.value)}
      />
      {!isOurs && (
        <TextField
          label={automationPanelTexts.eventName}
          hint={automationPanelTexts.eventHint}
          value={value}
          onChange={({ target }) => onChange(target.value.trim().toLowerCase())}
        />
      )}
    </>
  );
}

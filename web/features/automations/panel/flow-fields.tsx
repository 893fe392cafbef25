/** The fields of steps that wait or choose a way. */
import { Plus, X } from 'lucide-react';
import { automationTexts } from '../../../texts/en/automations.ts';
import { automationPanelTexts } from '../../../texts/en/automation-panel.ts';
import { Button, IconButton } from '../../../ui/button.tsx';
import { CheckboxField, SelectField, TextField } from '../../../ui/field.tsx';
import type { Step, StepOf } from '../steps/tree.ts';
import { DurationField, EventField, WhereField } from './common-fields.tsx';
import type { FieldsOf } from './step-fields.ts';

const t = automationTexts;
const p = automationPanelTexts;
const MAX_SHARES = 10;

export function DelayFields({ step, set }: FieldsOf<'delay'>) {
  const { until } = step;
  return (
    <>
      <SelectField
        label={p.delayKind}
        value={until ? 'until' : 'for'}
        options={Object.entries(p.delayKinds)}
        onChange={({ target }) =>
          set(
            target.value === 'until'
              ? { for: undefined, until: { at: '09:00' } }
              : { for: '1 day', until: undefined },
          )
        }
      />
      {until ? (
        <>
          <TextField
            label={p.at}
            type="time"
            required
            value={until.at}
            onChange={({ target }) => set({ until: { ...until, at: target.value } })}
          />
          <fieldset>
            <legend className="mb-1.5 font-medium">{p.weekdaysLabel}</legend>
            <div className="grid grid-cols-2 gap-1.5">
              {t.weekdays.map((name, index) => (
                <CheckboxField
                  key={name}
                  label={name}
                  checked={until.weekdays?.includes(index + 1) ?? false}
                  onChange={({ target }) =>
                    set({
                      until: { ...until, weekdays: toggle(until.weekdays ?? [], index + 1, target.checked) },
                    })
                  }
                />
              ))}
            </div>
            <p className="mt-1.5 text-note text-soft">{p.weekdaysHint}</p>
          </fieldset>
        </>
      ) : (
        <DurationField
          label={p.duration}
          value={step.for ?? '1 day'}
          onChange={(value) => set({ for: value })}
        />
      )}
    </>
  );
}

function toggle(days: readonly number[], day: number, isOn: boolean): number[] {
  const others = days.filter((each) => each !== day);
  return isOn ? [...others, day].toSorted((a, b) => a - b) : others;
}

export function WaitFields({ step, set, properties, runFields }: FieldsOf<'wait'>) {
  return (
    <>
      <EventField
        label={p.waitFor}
        value={step.event}
        special={Object.entries(p.waitKinds)}
        onChange={(event) => set({ event })}
      />
      <DurationField label={p.timeout} value={step.timeout} onChange={(timeout) => set({ timeout })} />
      <CheckboxField
        label={p.sinceRun}
        hint={p.sinceRunHint}
        checked={step.since === 'run'}
        onChange={({ target }) => set({ since: target.checked ? 'run' : 'step' })}
      />
      {!(step.event in p.waitKinds) && (
        <WhereField
          key={step.event}
          label={p.onlyIf}
          value={step.where ?? null}
          properties={properties}
          runFields={runFields}
          onChange={(where) => set({ where })}
        />
      )}
    </>
  );
}

export function ConditionFields({ step, set, properties, runFields }: FieldsOf<'condition'>) {
  return (
    <WhereField
      label={p.where}
      value={step.where}
      properties={properties}
      runFields={runFields}
      onChange={(where) => set({ where })}
    />
  );
}

export function SplitFields({ step, set }: FieldsOf<'split'>) {
  const names = Object.keys(step.shares).toSorted();
  const free = 'abcdefghij'.split('').find((name) => !names.includes(name));
  return (
    <fieldset>
      <legend className="mb-1.5 font-medium">{p.shares}</legend>
      <div className="space-y-2">
        {names.map((name) => (
          <div key={name} className="flex items-center gap-2">
            <span aria-hidden className="w-4 font-medium uppercase">
              {name}
            </span>
            <TextField
              bare
              className="w-24"
              label={p.share(name)}
              type="number"
              min={0}
              value={step.shares[name]}
              onChange={({ target }) =>
                set({ shares: { ...step.shares, [name]: Math.max(0, Number(target.value)) } })
              }
            />
            {names.length > 2 && (
              <IconButton
                icon={X}
                label={p.removeShare(name)}
                onClick={() => {
                  const { [name]: _, ...shares } = step.shares;
                  set({ shares });
                }}
              />
            )}
          </div>
        ))}
      </div>
      <p className="mt-1.5 mb-3 text-note text-soft">{p.splitHint}</p>
      {free !== undefined && names.length < MAX_SHARES && (
        <Button size="small" icon={Plus} onClick={() => set({ shares: { ...step.shares, [free]: 50 } })}>
          {p.addShare}
        </Button>
      )}
    </fieldset>
  );
}

export function GoalFields({ step, set, properties, runFields }: FieldsOf<'goal'>) {
  return (
    <>
      <EventField label={p.event} value={step.event} onChange={(event) => set({ event })} />
      <WhereField
        key={step.event}
        label={p.onlyIf}
        value={step.where ?? null}
        properties={properties}
        runFields={runFields}
        onChange={(where) => set({ where })}
      />
    </>
  );
}

export function ExitFields({ step, set }: FieldsOf<'exit'>) {
  return (
    <TextField
      label={p.reason}
      hint={p.reasonHint}
      maxLength={200}
      value={step.reason ?? ''}
      onChange={({ target }) => set({ reason: target.value || null })}
    />
  );
}

/** The emails of the automation as fields of a condition. */
export function emailFields(steps: readonly Step[]): (readonly [string, string])[] {
  return steps
    .filter((step): step is StepOf<'email'> => step.type === 'email')
    .map(({ key, subject }) => [`step.${key}`, `${t.cards.email}: ${subject || key}`] as const);
}

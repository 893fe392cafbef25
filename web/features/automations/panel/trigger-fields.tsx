/** What starts an automation: an event, a segment that someone enters, or a date. */
import { automationTexts } from '../../../texts/en/automations.ts';
import { automationPanelTexts } from '../../../texts/en/automation-panel.ts';
import { CheckboxField, optionsOf, SelectField, TextField } from '../../../ui/field.tsx';
import type { Draft } from '../saving/use-automation.ts';
import type { Choices } from '../data/use-choices.ts';
import { offsetDays, type Trigger } from '../words/describe-step.ts';
import { WhereField } from './common-fields.tsx';

const t = automationTexts;
const p = automationPanelTexts;

interface TriggerFieldsProps {
  draft: Draft;
  choices: Choices;
}

const FIRST: Record<string, (segmentId: string) => Trigger> = {
  own: () => ({ event: 'order.placed' }),
  segment: (segmentId) => ({ segmentId }),
  date: () => ({ date: { property: 'birthday', at: '09:00', yearly: true } }),
};

export function TriggerFields({ draft, choices }: TriggerFieldsProps) {
  const { trigger } = draft.fields;
  const set = (next: Trigger) => draft.change({ trigger: next }, 'trigger');
  return (
    <div className="space-y-4">
      <SelectField
        label={p.startsWith}
        value={kindOf(trigger)}
        placeholder={t.triggers.none}
        hasSearch={false}
        options={[...Object.entries(t.eventStarts), ...Object.entries(p.kinds)]}
        onChange={({ target: { value } }) =>
          set(FIRST[value]?.(choices.segments[0]?.id ?? '') ?? { event: value })
        }
      />
      {trigger && 'event' in trigger && <EventTrigger {...{ trigger, choices, set }} />}
      {trigger && 'segmentId' in trigger && (
        <SelectField
          label={p.segment}
          placeholder={choices.segments.length === 0 ? p.noSegments : p.chooseSegment}
          value={trigger.segmentId}
          options={optionsOf(choices.segments)}
          onChange={({ target }) => set({ segmentId: target.value })}
        />
      )}
      {trigger && 'date' in trigger && <DateTrigger date={trigger.date} set={set} />}
    </div>
  );
}

function kindOf(trigger: Trigger | null): string {
  if (!trigger) return '';
  if ('segmentId' in trigger) return 'segment';
  if ('date' in trigger) return 'date';
  return t.eventStarts[trigger.event] ? trigger.event : 'own';
}

interface EventTriggerProps {
  trigger: Extract<Trigger, { event: string }>;
  choices: Choices;
  set(trigger: Trigger): void;
}

function EventTrigger({ trigger, choices, set }: EventTriggerProps) {
  return (
    <>
      {!t.eventStarts[trigger.event] && (
        <TextField
          label={p.eventName}
          hint={p.eventHint}
          value={trigger.event}
          onChange={({ target }) => set({ ...trigger, event: target.value.trim().toLowerCase() })}
        />
      )}
      <WhereField
        key={trigger.event}
        label={p.onlyIf}
        value={trigger.where ?? null}
        properties={choices.book?.variables ?? []}
        runFields={[]}
        onChange={(where) => set({ ...trigger, where })}
      />
    </>
  );
}

type TriggerDate = Extract<Trigger, { date: unknown }>['date'];

function DateTrigger({ date, set }: { date: TriggerDate; set(trigger: Trigger): void }) {
  const days = offsetDays(date.offset ?? '');
  const way = days === 0 ? 'on' : days < 0 ? 'before' : 'after';
  const change = (part: Partial<TriggerDate>) => set({ date: { ...date, ...part } });
  const setOffset = (count: number, sign: string) =>
    change({ offset: sign === 'on' ? null : `${sign === 'before' ? '-' : ''}${Math.max(1, count)} days` });
  return (
    <>
      <TextField
        label={p.property}
        value={date.property}
        onChange={({ target }) => change({ property: target.value })}
      />
      <div className="grid grid-cols-[6rem_minmax(0,1fr)] gap-2">
        <TextField
          label={p.offset}
          type="number"
          min={1}
          max={366}
          disabled={way === 'on'}
          value={way === 'on' ? '' : Math.abs(days)}
          onChange={({ target }) => setOffset(Number(target.value), way)}
        />
        <SelectField
          label={p.offset}
          bare
          className="self-end"
          value={way}
          options={Object.entries(p.offsetWays)}
          onChange={({ target }) => setOffset(Math.abs(days) || 7, target.value)}
        />
      </div>
      <TextField
        label={p.at}
        type="time"
        required
        value={date.at}
        onChange={({ target }) => change({ at: target.value })}
      />
      <CheckboxField
        label={p.yearly}
        hint={p.yearlyHint}
        checked={date.yearly}
        onChange={({ target }) => change({ yearly: target.checked })}
      />
    </>
  );
}

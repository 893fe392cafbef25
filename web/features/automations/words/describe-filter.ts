/** A filter in a few words, for a card. */
import { automationTexts } from '../../../texts/en/automations.ts';
import { segmentTexts } from '../../../texts/en/audience.ts';

const t = automationTexts.filters;

interface Condition {
  field: string;
  op: string;
  value?: string | number | boolean | null;
}

type Part = Condition | Filter;
type Filter = { all?: Part[]; any?: Part[] };

/** `names` are those of topics and campaigns, by their IDs. */
export function describeFilter(filter: object, names: ReadonlyMap<string, string>): string {
  const { all, any } = filter as Filter;
  const parts = all ?? any ?? [];
  if (parts.length === 0) return t.everyone;
  return parts
    .map((part) => ('field' in part ? describeCondition(part, names) : `(${describeFilter(part, names)})`))
    .join(all ? t.and : t.or);
}

function describeCondition({ field, op, value }: Condition, names: ReadonlyMap<string, string>): string {
  const operators: Record<string, string> = {
    ...segmentTexts.operators,
    ...(field.startsWith('step.') && segmentTexts.stepOperators),
  };
  const words = [nameField(field), operators[op] ?? op];
  if (op === 'exists' || op === 'notExists' || field.startsWith('step.')) return words.join(' ');
  const shown = names.get(String(value)) ?? String(value ?? '');
  const isDays = op === 'withinLastDays' || op === 'moreThanDaysAgo' || op === 'withinNextDays';
  return [...words, isDays ? `${shown} ${segmentTexts.days}` : shown].join(' ');
}

function nameField(field: string): string {
  const names: Record<string, string> = segmentTexts.fields;
  if (names[field]) return names[field];
  if (field.startsWith('properties.')) return field.slice('properties.'.length);
  if (field.startsWith('step.')) return t.step(field.slice('step.'.length));
  return field;
}

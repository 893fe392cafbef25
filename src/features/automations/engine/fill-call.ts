/** Fills the merge tags of a webhook step: in its URL, its headers and the texts of its data. */
import { readPath } from '../../../mail/html/slotted-text.ts';
import type { StepOfType } from '../definition/automations.schema.ts';
import { fillValue, type StepRecipient } from './step-email.ts';

const MAX_HEADER = 1_000;
/** All values together, so that a tag that occurs often cannot make a call large. */
const MAX_FILLED = 256 * 1024;
const ONE_TAG = /^\{\{\s*(event|step)\.([^{}|,]{1,256})\}\}$/;

export interface FilledCall {
  url: string;
  headers: Record<string, string>;
  data: Record<string, unknown>;
}

/** Returns null if the result would be too large. */
export function fillCall(
  { url, headers, data }: StepOfType<'webhook'>,
  recipient: StepRecipient,
): FilledCall | null {
  let size = 0;
  const fill = (text: string) => {
    const filled = fillValue(text, recipient);
    size += filled.length;
    return filled;
  };
  const filled = mapTexts(data ?? {}, (text) => (size > MAX_FILLED ? '' : valueOf(text, recipient, fill)));
  if (size > MAX_FILLED) return null;
  return {
    // Values in URLs are encoded for them.
    url: fillValue(url, recipient),
    headers: Object.fromEntries(
      Object.entries(headers ?? {}).map(([name, value]) => [name, toHeader(fillValue(value, recipient))]),
    ),
    data: filled as Record<string, unknown>,
  };
}

/** A text that is one tag of the event keeps the type of its value, such as a number. */
function valueOf(text: string, recipient: StepRecipient, fill: (text: string) => string): unknown {
  const [, root, path] = ONE_TAG.exec(text) ?? [];
  if (!root || !path) return fill(text);
  const values = root === 'event' ? recipient.event : recipient.outputs;
  const value = readPath({ values }, `values.${path.trim()}`);
  return typeof value === 'number' || typeof value === 'boolean' ? value : fill(text);
}

function mapTexts(value: unknown, change: (text: string) => unknown): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((each) => mapTexts(each, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, mapTexts(each, change)]));
}

/** A value of a header is printable ASCII. */
function toHeader(value: string): string {
  return value.replaceAll(/[^\t\x20-\x7e]+/g, ' ').slice(0, MAX_HEADER);
}

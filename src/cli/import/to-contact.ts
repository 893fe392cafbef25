/** Converts a vendor's contact to ours, by the same rules as contacts from the API. */
import { contactInput } from '../../features/audience/contacts/contacts.schema.ts';
import { eachOwnField } from '../../features/audience/own-fields/own-fields.ts';
import type { UpsertInput } from '../../features/audience/contacts/upsert-contacts.ts';
import { isStorable } from '../../platform/schema.ts';
import type { ImportedContact } from './items.ts';

const MAX_DEPTH = 3;
const MAX_NAME = 256;

export interface ConvertedContact {
  contact: UpsertInput;
  consent: 'confirmed' | 'none';
  topics: { id: string; subscribed: boolean }[];
}

/** Returns the contact, or the reason why it is rejected. */
export function toContact(
  imported: ImportedContact,
  segmentIds: string[],
  { isConfirmed }: { isConfirmed: boolean },
): ConvertedContact | string {
  const { status } = imported;
  const properties = {
    ...flatten(imported.properties ?? {}),
    ...Object.fromEntries(segmentIds.map((id) => [id, true])),
  };
  const hasLeft = status === 'unsubscribed' || status === 'cleaned';
  const own = eachOwnField((name) => imported[name]?.trim() || undefined);
  const input = {
    email: imported.email,
    ...own,
    subscribed: hasLeft ? false : undefined,
    properties,
  };
  const texts = [input.email, ...Object.values(own), ...Object.entries(properties).flat()];
  if (texts.some((each) => typeof each === 'string' && !isStorable(each)))
    return 'It contains NUL characters or unpaired surrogates.';
  const result = contactInput.safeParse(input);
  if (!result.success) {
    const { path, message } = result.error.issues[0]!;
    return `${path.join('.')} ${message}.`;
  }
  return {
    contact: { ...result.data, ...(hasLeft ? { unsubscribeReason: reasonOf(imported) } : {}) },
    consent: status === 'subscribed' && isConfirmed ? 'confirmed' : 'none',
    topics: imported.topics ?? [],
  };
}

function reasonOf({ status, reason }: ImportedContact): string {
  if (status === 'cleaned') return 'BOUNCED';
  const text = reason?.trim() ?? '';
  return text === '' || !isStorable(text) ? 'UNSUBSCRIBED' : [...text].slice(0, 200).join('');
}

/** `{address: {city: 'Paris'}}` becomes `{address_city: 'Paris'}`. Lists become text; empty values are left out. */
function flatten(
  values: Record<string, unknown>,
  prefix = '',
  depth = 1,
): Record<string, string | number | boolean> {
  const flat: Record<string, string | number | boolean> = {};
  for (const [key, value] of Object.entries(values)) {
    const name = `${prefix}${key}`.trim();
    if (name === '' || name.length > MAX_NAME || value === null || value === undefined || value === '')
      continue;
    if (Array.isArray(value))
      flat[name] = value.map((each) => (isPlain(each) ? String(each) : JSON.stringify(each))).join(', ');
    else if (isPlain(value)) flat[name] = keepNumber(value);
    else if (depth < MAX_DEPTH)
      Object.assign(flat, flatten(value as Record<string, unknown>, `${name}_`, depth + 1));
    else flat[name] = JSON.stringify(value);
  }
  return flat;
}

function isPlain(value: unknown): value is string | number | boolean {
  return ['string', 'number', 'boolean'].includes(typeof value);
}

/** Integers above 2^53 are kept as text. */
function keepNumber(value: string | number | boolean): string | number | boolean {
  return typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)
    ? String(value)
    : value;
}

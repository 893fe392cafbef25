/**
 * Resend's names for the fields that a contact has of its own. Fields that Resend does not know are not here, and
 * nobody sees them through its API.
 */
import type { OwnField } from '../../../../features/audience/own-fields/own-fields.ts';

const NAMES = { first_name: 'firstName', last_name: 'lastName' } as const satisfies Record<string, OwnField>;

type ResendName = keyof typeof NAMES;
type KnownField = (typeof NAMES)[ResendName];

export const CONTACT_NAMES = Object.entries(NAMES) as [ResendName, KnownField][];

/** An object with a value for each field that Resend knows. */
export function eachName<Value>(valueOf: (ours: KnownField) => Value): Record<ResendName, Value> {
  return Object.fromEntries(CONTACT_NAMES.map(([theirs, ours]) => [theirs, valueOf(ours)])) as Record<
    ResendName,
    Value
  >;
}

/** The same object from Resend's fields to ours. */
export function eachField<Value>(valueOf: (theirs: ResendName) => Value): Record<KnownField, Value> {
  return Object.fromEntries(CONTACT_NAMES.map(([theirs, ours]) => [ours, valueOf(theirs)])) as Record<
    KnownField,
    Value
  >;
}

/** The names in tags and rules: `contact.first_name` is our `firstName`. */
export const OURS_OF_PATH: Readonly<Record<string, string>> = {
  ...Object.fromEntries(CONTACT_NAMES.map(([theirs, ours]) => [`contact.${theirs}`, ours])),
  'contact.email': 'email',
};

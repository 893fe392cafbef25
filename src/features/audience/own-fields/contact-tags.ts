/** Values of a contact's merge tags, for campaigns, confirmation emails and saved replies. */
import { findName, plainName, propertyKey } from '../../../mail/html/tag-names.ts';
import type { TaggedContact } from './own-columns.ts';
import { OWN_FIELD_NAMES } from './own-fields.ts';

/** Returns a reader for a built-in field or a property. Names are case-insensitive. */
export function contactField<Contact extends TaggedContact>(
  written: string,
  emailOf: (contact: Contact) => string,
): (contact: Contact) => string | number | boolean | null {
  const name = plainName(written);
  if (propertyKey(name) === 'email') return emailOf;
  const own = OWN_FIELD_NAMES.find((each) => propertyKey(each) === propertyKey(name));
  if (own) return (contact) => contact[own];
  return ({ properties }) => findProperty(properties, written) ?? findProperty(properties, name);
}

function findProperty(properties: Record<string, unknown>, name: string): string | number | boolean | null {
  const key = Object.hasOwn(properties, name) ? name : findName(Object.keys(properties), name);
  const value = key === undefined ? undefined : properties[key];
  const isShown = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  return isShown ? value : null;
}

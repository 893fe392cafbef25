/** Values of a contact's merge tags, for campaigns, confirmation emails and saved replies. */
import { findName, plainName, propertyKey } from '../../../mail/html/tag-names.ts';

export interface TaggedContact {
  firstName: string | null;
  lastName: string | null;
  properties: Record<string, unknown>;
}

/** Returns a reader for a built-in field or a property. Names are case-insensitive. */
export function contactField<Contact extends TaggedContact>(
  written: string,
  emailOf: (contact: Contact) => string,
): (contact: Contact) => string | number | boolean | null {
  const name = plainName(written);
  switch (propertyKey(name)) {
    case 'email':
      return emailOf;
    case 'firstname':
      return ({ firstName }) => firstName;
    case 'lastname':
      return ({ lastName }) => lastName;
    default:
      return ({ properties }) => findProperty(properties, written) ?? findProperty(properties, name);
  }
}

function findProperty(properties: Record<string, unknown>, name: string): string | number | boolean | null {
  const key = Object.hasOwn(properties, name) ? name : findName(Object.keys(properties), name);
  const value = key === undefined ? undefined : properties[key];
  const isShown = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  return isShown ? value : null;
}

/** The values of the form of a contact, and the input that is sent to the server. */
import type { ContactBook } from '../../../src/features/audience/contact-books/contact-books.schema.ts';
import type { Contact } from '../../../src/features/audience/contacts/contacts.schema.ts';
import { eachOwnField, type OwnField } from '../../../src/features/audience/own-fields/own-fields.ts';
import { findName } from '../../../src/mail/html/tag-names.ts';

export interface Property {
  name: string;
  value: string;
  /** The variables of the book keep their names. */
  fixed: boolean;
}

export interface ContactValues extends Record<OwnField, string> {
  email: string;
  subscribed: boolean;
  properties: Property[];
}

type PropertyInput = Record<string, string | number | boolean | null>;

export function valuesOf(book: Pick<ContactBook, 'variables'>, contact: Contact | null): ContactValues {
  return {
    email: contact?.email ?? '',
    ...eachOwnField((name) => contact?.[name] ?? ''),
    subscribed: contact?.subscribed ?? true,
    properties: propertiesOf(book.variables, contact?.properties ?? {}),
  };
}

/** Everything but the address, which a contact keeps. */
export function toInput({ subscribed, properties, ...values }: ContactValues, contact: Contact | null) {
  return {
    // Empty removes the value of a contact; of a new one it says nothing.
    ...eachOwnField((name) => values[name].trim() || (contact ? null : undefined)),
    properties: toProperties(properties, contact?.properties ?? {}),
    // Sent only when it was changed: saving the name of a pending contact must not unsubscribe it.
    ...(subscribed === (contact?.subscribed ?? true) ? {} : { subscribed }),
  };
}

function propertiesOf(variables: readonly string[], known: Contact['properties']): Property[] {
  const stored = Object.keys(known);
  // A variable that the contact has in another spelling keeps the stored one, so that it is shown once.
  const named = variables.map((name) => findName(stored, name) ?? name);
  const names = [...new Set([...named, ...stored])];
  return names.map((name) => ({ name, value: name in known ? String(known[name]) : '', fixed: true }));
}

/** The server merges properties key by key, so one that was removed is sent as null. */
function toProperties(properties: readonly Property[], before: Contact['properties']): PropertyInput {
  const input: PropertyInput = {};
  for (const name of Object.keys(before)) input[name] = null;
  for (const { name, value } of properties) {
    if (name.trim() === '' || value === '') continue;
    // An unchanged value keeps its type: a number stays a number.
    input[name.trim()] = String(before[name]) === value ? before[name]! : value;
  }
  return input;
}

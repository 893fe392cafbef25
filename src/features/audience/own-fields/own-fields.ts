/**
 * The fields that every contact has of its own, besides its address and the properties that a team invents. This table
 * drives the columns that statements read and write (own-columns.ts), requests and responses, import, export, segments,
 * forms, merge tags, automations, the tools for assistants and the web app. A field that is added here needs a migration
 * for its column. Vendors' APIs have it only if the vendor knows it (`src/http/vendors/resend/audience/contact-names.ts`).
 *
 * The web app imports this file. It may import only files with names.
 */
import { findName, plainName } from '../../../mail/html/tag-names.ts';

interface OwnFieldDescription {
  /** In the table `contacts`, and the name of the field where an API writes names in snake case. The value is text. */
  column: string;
  /** The most characters. */
  max: number;
  /** In the languages of the public pages. */
  labels: Record<'en' | 'de' | 'fr' | 'es' | 'nl', string>;
  /** Names of columns in files of others, in lower case without spaces and punctuation. */
  imported: string;
  /** The token of the HTML attribute, with which browsers fill in a form. */
  autocomplete: string;
  /** In the documentation of the API. */
  example: string;
}

export const OWN_FIELDS = {
  firstName: {
    column: 'first_name',
    max: 200,
    labels: { en: 'First name', de: 'Vorname', fr: 'Prénom', es: 'Nombre', nl: 'Voornaam' },
    imported: 'firstname first givenname forename fname',
    autocomplete: 'given-name',
    example: 'Ada',
  },
  lastName: {
    column: 'last_name',
    max: 200,
    labels: { en: 'Last name', de: 'Nachname', fr: 'Nom', es: 'Apellidos', nl: 'Achternaam' },
    imported: 'lastname last surname familyname lname',
    autocomplete: 'family-name',
    example: 'Lovelace',
  },
} as const satisfies Record<string, OwnFieldDescription>;

export type OwnField = keyof typeof OWN_FIELDS;
export type OwnColumn = (typeof OWN_FIELDS)[OwnField]['column'];
/** What a contact has. */
export type OwnValues = Record<OwnField, string | null>;
/** What a request sends: undefined keeps the value, null clears it. */
export type SentOwnValues = { [Name in OwnField]?: string | null | undefined };

export const OWN_FIELD_NAMES = Object.keys(OWN_FIELDS) as OwnField[];

export function isOwnField(name: string): name is OwnField {
  return Object.hasOwn(OWN_FIELDS, name);
}

/** An object with a value for each field, such as `{ firstName: …, lastName: … }`. */
export function eachOwnField<Value>(valueOf: (name: OwnField) => Value): Record<OwnField, Value> {
  const values: Partial<Record<OwnField, Value>> = {};
  for (const name of OWN_FIELD_NAMES) values[name] = valueOf(name);
  return values as Record<OwnField, Value>;
}

/** The same in snake case: `{ first_name: …, last_name: … }`. */
export function eachOwnColumn<Value>(valueOf: (name: OwnField) => Value): Record<OwnColumn, Value> {
  const values: Partial<Record<OwnColumn, Value>> = {};
  for (const name of OWN_FIELD_NAMES) values[OWN_FIELDS[name].column] = valueOf(name);
  return values as Record<OwnColumn, Value>;
}

/** The fields for which `valueOf` returns something. Those that were not sent stay out of the object. */
export function givenOwnFields<Value>(
  valueOf: (name: OwnField) => Value | undefined,
): Partial<Record<OwnField, Value>> {
  const values: Partial<Record<OwnField, Value>> = {};
  for (const name of OWN_FIELD_NAMES) {
    const value = valueOf(name);
    if (value !== undefined) values[name] = value;
  }
  return values;
}

export function ownLabelsIn(language: keyof OwnFieldDescription['labels']): Record<OwnField, string> {
  return eachOwnField((name) => OWN_FIELDS[name].labels[language]);
}

/** The names in sentences of the documentation. */
export const WRITTEN_OWN_FIELDS = OWN_FIELD_NAMES.map((name) => `\`${name}\``).join(', ');

/** The merge tags that every contact has. */
export const CONTACT_TAGS = [...OWN_FIELD_NAMES, 'email'] as const;

/** True when the tag names one of the fields above or one of the variables. */
export function isContactTag(name: string, variables: readonly string[]): boolean {
  const known = [...CONTACT_TAGS, ...variables];
  return findName(known, plainName(name)) !== undefined || findName(known, name) !== undefined;
}

/** Header fields in the forms of JMAP (RFC 8621 section 4.1.2), such as `header:List-Id:asText:all`. */
import { isUtf8 } from 'node:buffer';
import { toStorable } from '../../platform/storable-text.ts';
import { decodeWestern } from '../mime/parse/decode.ts';
import { readAnyHeaders, type RawHeader } from '../mime/parse/raw-headers.ts';
import { readDate } from '../mime/parse/read-date.ts';
import { readEntries } from '../mime/parse/read-people.ts';
import { readMessageIds, readText } from '../mime/parse/read-values.ts';

const FORMS = ['Raw', 'Text', 'Addresses', 'GroupedAddresses', 'MessageIds', 'Date', 'URLs'] as const;
export type HeaderForm = (typeof FORMS)[number];

export interface HeaderProperty {
  /** The name of the field, in lower case. */
  name: string;
  form: HeaderForm;
  all: boolean;
}

export interface EmailAddress {
  name: string | null;
  email: string;
}

const PROPERTY = /^header:([!-9;-~]{1,200})(?::as([A-Za-z]{1,20}))?(:all)?$/;
const ADDRESS_FIELDS = ['from', 'sender', 'reply-to', 'to', 'cc', 'bcc'];
const ID_FIELDS = ['message-id', 'in-reply-to', 'references', 'resent-message-id'];
const URL_FIELDS = [
  'list-help',
  'list-unsubscribe',
  'list-subscribe',
  'list-post',
  'list-owner',
  'list-archive',
];
const DATE_FIELDS = ['date', 'resent-date'];
const TEXT_FIELDS = ['subject', 'comments', 'keywords', 'list-id'];
const RESENT_FIELDS = [
  'resent-from',
  'resent-sender',
  'resent-reply-to',
  'resent-to',
  'resent-cc',
  'resent-bcc',
];
const OTHER_FIELDS = ['return-path', 'received'];
/** The fields that each form may be used for, apart from those that neither RFC 5322 nor RFC 2369 defines. */
const FIELDS_OF: Record<HeaderForm, readonly string[] | null> = {
  Raw: null,
  Text: TEXT_FIELDS,
  Addresses: [...ADDRESS_FIELDS, ...RESENT_FIELDS],
  GroupedAddresses: [...ADDRESS_FIELDS, ...RESENT_FIELDS],
  MessageIds: ID_FIELDS,
  Date: DATE_FIELDS,
  URLs: URL_FIELDS,
};
const DEFINED_FIELDS = new Set([
  ...ADDRESS_FIELDS,
  ...RESENT_FIELDS,
  ...ID_FIELDS,
  ...URL_FIELDS,
  ...DATE_FIELDS,
  ...TEXT_FIELDS,
  ...OTHER_FIELDS,
]);

/** The properties of Email that are short for a header field. */
export const SHORT_PROPERTIES: Record<string, HeaderProperty> = {
  messageId: { name: 'message-id', form: 'MessageIds', all: false },
  inReplyTo: { name: 'in-reply-to', form: 'MessageIds', all: false },
  references: { name: 'references', form: 'MessageIds', all: false },
  sender: { name: 'sender', form: 'Addresses', all: false },
  from: { name: 'from', form: 'Addresses', all: false },
  to: { name: 'to', form: 'Addresses', all: false },
  cc: { name: 'cc', form: 'Addresses', all: false },
  bcc: { name: 'bcc', form: 'Addresses', all: false },
  replyTo: { name: 'reply-to', form: 'Addresses', all: false },
  subject: { name: 'subject', form: 'Text', all: false },
  sentAt: { name: 'date', form: 'Date', all: false },
};

/** Returns null if it is not a header property, or if the form is not allowed for the field. */
export function parseHeaderProperty(property: string): HeaderProperty | null {
  const [, field, formName = 'Raw', all] = PROPERTY.exec(property) ?? [];
  const form = FORMS.find((known) => known === formName);
  if (field === undefined || !form) return null;
  const name = field.toLowerCase();
  const fields = FIELDS_OF[form];
  if (fields && DEFINED_FIELDS.has(name) && !fields.includes(name)) return null;
  return { name, form, all: all !== undefined };
}

/** The parsed header of a message or a part. */
export interface ReadHeader {
  bytes: Buffer;
  fields: RawHeader[];
}

export function readHeader(bytes: Buffer): ReadHeader {
  return { bytes, fields: readAnyHeaders(bytes).headers };
}

export function readHeaderProperty(
  { bytes, fields }: ReadHeader,
  { name, form, all }: HeaderProperty,
): unknown {
  const own = fields.filter((field) => field.name.toLowerCase() === name);
  if (all) return own.map((field) => readForm(bytes, [field], form));
  // Lists are read from all fields, as by the API and IMAP, although RFC 5322 section 3.6 allows only one.
  const isList = form === 'Addresses' || form === 'GroupedAddresses' || form === 'MessageIds';
  if (own.length === 0) return null;
  return readForm(bytes, isList ? own : own.slice(-1), form);
}

/** Returns all fields in order, unparsed. */
export function listHeaders({ bytes, fields }: ReadHeader): { name: string; value: string }[] {
  return fields.map((field) => ({ name: toStorable(field.name), value: readRaw(bytes, field) }));
}

/** `fields` has the fields of a list, or one field. */
function readForm(bytes: Buffer, fields: RawHeader[], form: HeaderForm): unknown {
  const values = fields.map(({ value }) => value);
  switch (form) {
    case 'Raw':
      return readRaw(bytes, fields[0]!);
    case 'Text':
      return readText(values[0]!);
    case 'Addresses':
      return readGroups(values).flatMap(({ addresses }) => addresses);
    case 'GroupedAddresses':
      return readGroups(values);
    case 'MessageIds':
      return readIds(values.join(' '));
    case 'Date':
      return readDate(values[0]!)?.text ?? null;
    case 'URLs':
      return readUrls(values[0]!);
  }
}

/** Returns the text from the colon to the line break that ends the field. NUL is left out. */
function readRaw(bytes: Buffer, { valueStart, end }: RawHeader): string {
  const raw = bytes.subarray(valueStart, end);
  return toStorable((isUtf8(raw) ? raw.toString('utf8') : decodeWestern(raw)).replace(/\r?\n$/, ''));
}

interface AddressGroup {
  name: string | null;
  addresses: EmailAddress[];
}

function readGroups(values: string[]): AddressGroup[] {
  const groups: AddressGroup[] = [];
  let current: AddressGroup | null = null;
  for (const entry of readEntries(values)) {
    if ('group' in entry) {
      current = entry.group === null ? null : { name: entry.group, addresses: [] };
      if (current) groups.push(current);
      continue;
    }
    if (!current) groups.push((current = { name: null, addresses: [] }));
    current.addresses.push({ name: entry.name, email: entry.address });
  }
  return groups;
}

/** Returns the IDs without angle brackets, or null if there are none. */
function readIds(value: string): string[] | null {
  const ids = readMessageIds(value);
  return ids.length > 0 ? ids.map((id) => id.slice(1, -1)) : null;
}

function readUrls(value: string): string[] | null {
  const urls = value.match(/<[^<>]{1,2000}>/g) ?? [];
  return urls.length > 0 ? urls.map((url) => toStorable(url.slice(1, -1).replaceAll(/\s/g, ''))) : null;
}

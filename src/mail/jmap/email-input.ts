/** Reads the Email objects that clients create (RFC 8621 section 4.6). Errors name the invalid properties. */
import { parseHeaderProperty, SHORT_PROPERTIES, type EmailAddress, type HeaderForm } from './header-forms.ts';

/** Thrown when the object cannot be stored as it is. `properties` lists the invalid ones. */
export class InvalidEmail extends Error {
  readonly properties: string[];

  constructor(property: string, message: string) {
    super(message);
    this.properties = [property];
  }
}

export interface NewField {
  /** The name as it is written into the message. */
  name: string;
  form: HeaderForm;
  value: unknown;
}

export interface NewPart {
  type: string;
  /** The text of a part, or the ID of a blob with its content. Both are null in a multipart. */
  text: string | null;
  blobId: string | null;
  charset: string | null;
  name: string | null;
  disposition: string | null;
  cid: string | null;
  language: string[] | null;
  location: string | null;
  fields: NewField[];
  subParts: NewPart[];
}

export interface NewEmail {
  fields: NewField[];
  body: NewPart;
}

const MAX_DEPTH = 10;
const MAX_PARTS = 500;
const MAX_FIELDS = 200;
const TYPE = /^[A-Za-z0-9!#$&^_.+-]{1,60}\/[A-Za-z0-9!#$&^_.+-]{1,60}$/;
const LANGUAGE_TAG = /^[A-Za-z0-9-]{1,35}$/;
const DISPLAY_NAMES: Record<string, string> = {
  messageId: 'Message-ID',
  inReplyTo: 'In-Reply-To',
  references: 'References',
  sender: 'Sender',
  from: 'From',
  to: 'To',
  cc: 'Cc',
  bcc: 'Bcc',
  replyTo: 'Reply-To',
  subject: 'Subject',
  sentAt: 'Date',
};
/** Properties that are not part of the message. */
const OTHER_PROPERTIES = new Set(['mailboxIds', 'keywords', 'receivedAt']);
const BODY_PROPERTIES = new Set(['bodyStructure', 'bodyValues', 'textBody', 'htmlBody', 'attachments']);

export function readNewEmail(email: Record<string, unknown>): NewEmail {
  for (const name of Object.keys(email)) {
    const isKnown =
      OTHER_PROPERTIES.has(name) ||
      BODY_PROPERTIES.has(name) ||
      Object.hasOwn(SHORT_PROPERTIES, name) ||
      name.startsWith('header:');
    if (!isKnown) throw new InvalidEmail(name, 'This property cannot be set.');
  }
  const fields = readFields(email, '');
  const content = fields.find(({ name }) => /^content-/i.test(name));
  if (content) throw new InvalidEmail(`header:${content.name}`, 'Content fields belong to body parts.');
  return { fields, body: readBody(email) };
}

/** `path` is empty for the Email itself, otherwise it is the path of a body part. */
function readFields(object: Record<string, unknown>, path: string): NewField[] {
  const fields: NewField[] = [];
  const seen = new Set<string>();
  for (const [property, value] of Object.entries(object)) {
    const short =
      path === '' && Object.hasOwn(SHORT_PROPERTIES, property) ? SHORT_PROPERTIES[property]! : null;
    const header = short ?? (property.startsWith('header:') ? readHeaderName(property, path) : null);
    if (!header) continue;
    if (value === null) continue;
    if (seen.has(header.name)) throw new InvalidEmail(path + property, 'This field is given twice.');
    seen.add(header.name);
    const name = short ? DISPLAY_NAMES[property]! : property.split(':')[1]!;
    const values = header.all ? readArray(value, path + property) : [value];
    for (const each of values) {
      checkForm(header.form, each, path + property);
      fields.push({ name, form: header.form, value: each });
    }
    if (fields.length > MAX_FIELDS) throw new InvalidEmail(path + property, 'There are too many fields.');
  }
  return fields;
}

function readHeaderName(property: string, path: string) {
  const header = parseHeaderProperty(property);
  if (!header) throw new InvalidEmail(path + property, 'This field cannot be set in this form.');
  if (header.name === 'content-transfer-encoding')
    throw new InvalidEmail(path + property, 'The server chooses the transfer encoding.');
  return header;
}

function readArray(value: unknown, property: string): unknown[] {
  if (!Array.isArray(value) || value.length > MAX_FIELDS)
    throw new InvalidEmail(property, 'Expected a list.');
  return value;
}

function checkForm(form: HeaderForm, value: unknown, property: string): void {
  const isValid = {
    Raw: isText,
    Text: isText,
    Date: (date: unknown) => typeof date === 'string' && !Number.isNaN(Date.parse(date)),
    Addresses: (list: unknown) => Array.isArray(list) && list.every(isAddress),
    GroupedAddresses: (list: unknown) => Array.isArray(list) && list.every(isGroup),
    MessageIds: (list: unknown) => Array.isArray(list) && list.every(isId),
    URLs: (list: unknown) => Array.isArray(list) && list.every(isText),
  }[form](value);
  if (!isValid) throw new InvalidEmail(property, 'The value has the wrong type.');
  if (Array.isArray(value) && value.length > 2_000) throw new InvalidEmail(property, 'The list is too long.');
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value.length <= 100_000;
}

function isId(value: unknown): boolean {
  return typeof value === 'string' && /^[^<>\s\p{Cc}]{1,995}$/u.test(value);
}

export function isAddress(value: unknown): value is EmailAddress {
  if (typeof value !== 'object' || value === null) return false;
  const { name = null, email } = value as Record<string, unknown>;
  return (
    (name === null || (typeof name === 'string' && name.length <= 1_000)) &&
    typeof email === 'string' &&
    email.length <= 1_000 &&
    /^[^@\s][^\s]*@[^@\s]+$/.test(email)
  );
}

function isGroup(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { name = null, addresses } = value as Record<string, unknown>;
  return (
    (name === null || isText(name)) &&
    Array.isArray(addresses) &&
    addresses.length <= 2_000 &&
    addresses.every(isAddress)
  );
}

interface BodyInput {
  /** `bodyValues` of the Email. */
  values: Record<string, unknown>;
  /** How many parts were read so far. */
  parts: number;
}

/** Where a part stands, and what it has if it does not say otherwise. */
interface PartPlace {
  path: string;
  depth?: number;
  type?: string;
  disposition?: string;
}

function readBody(email: Record<string, unknown>): NewPart {
  const input: BodyInput = { values: readObject(email.bodyValues ?? {}, 'bodyValues'), parts: 0 };
  if (email.bodyStructure !== undefined && email.bodyStructure !== null) {
    for (const name of ['textBody', 'htmlBody', 'attachments'])
      if (email[name] !== undefined && email[name] !== null)
        throw new InvalidEmail(name, 'bodyStructure describes the whole body already.');
    return readPart(email.bodyStructure, { path: 'bodyStructure' }, input);
  }
  const text = readSingle(email.textBody, { property: 'textBody', type: 'text/plain' }, input);
  const html = readSingle(email.htmlBody, { property: 'htmlBody', type: 'text/html' }, input);
  const files = readArray(email.attachments ?? [], 'attachments').map((part, at) =>
    readPart(part, { path: `attachments/${at}`, disposition: 'attachment' }, input),
  );
  const related = files.filter(({ cid, disposition }) => html && cid !== null && disposition === 'inline');
  const others = files.filter((file) => !related.includes(file));
  const shownHtml = html && related.length > 0 ? multipart('related', [html, ...related]) : html;
  const content =
    text && shownHtml ? multipart('alternative', [text, shownHtml]) : (shownHtml ?? text ?? emptyText());
  return others.length === 0 ? content : multipart('mixed', [content, ...others]);
}

function readSingle(
  value: unknown,
  { property, type }: { property: string; type: string },
  input: BodyInput,
): NewPart | null {
  const list = readArray(value ?? [], property);
  if (list.length === 0) return null;
  if (list.length > 1) throw new InvalidEmail(property, 'This list must have exactly one part.');
  const part = readPart(list[0], { path: `${property}/0`, type }, input);
  if (part.type !== type) throw new InvalidEmail(property, `This part must have the type ${type}.`);
  return part;
}

function multipart(kind: string, subParts: NewPart[]): NewPart {
  return { ...emptyText(), type: `multipart/${kind}`, text: null, subParts };
}

function emptyText(): NewPart {
  return {
    type: 'text/plain',
    text: '',
    blobId: null,
    charset: null,
    name: null,
    disposition: null,
    cid: null,
    language: null,
    location: null,
    fields: [],
    subParts: [],
  };
}

function readPart(
  value: unknown,
  { path, depth = 0, type: defaultType, disposition: defaultDisposition }: PartPlace,
  input: BodyInput,
): NewPart {
  const part = readObject(value, path);
  input.parts += 1;
  if (input.parts > MAX_PARTS || depth > MAX_DEPTH) throw new InvalidEmail(path, 'There are too many parts.');
  if (part.headers !== undefined) throw new InvalidEmail(`${path}/headers`, 'This property cannot be set.');
  const text = (name: string) => readText(part[name], `${path}/${name}`);
  const subParts = readArray(part.subParts ?? [], `${path}/subParts`).map((each, at) =>
    readPart(each, { path: `${path}/subParts/${at}`, depth: depth + 1 }, input),
  );
  const isMultipart = subParts.length > 0;
  const type = text('type') ?? defaultType ?? (isMultipart ? 'multipart/mixed' : 'text/plain');
  requireMediaType(type, path, isMultipart);
  const content = { partId: text('partId'), blobId: text('blobId'), charset: text('charset') };
  requireContent(content, path, isMultipart);
  return {
    type: type.toLowerCase(),
    text: content.partId === null ? null : readValue(input.values, content.partId),
    blobId: content.blobId,
    charset: content.charset,
    name: text('name'),
    disposition: text('disposition') ?? defaultDisposition ?? null,
    cid: text('cid'),
    language: readLanguage(part.language ?? null, path),
    location: text('location'),
    fields: readFields(part, `${path}/`),
    subParts,
  };
}

function requireMediaType(type: string, path: string, isMultipart: boolean): void {
  if (!TYPE.test(type)) throw new InvalidEmail(`${path}/type`, 'The type is not a valid media type.');
  if (/^multipart\//i.test(type) !== isMultipart)
    throw new InvalidEmail(
      `${path}/subParts`,
      'A multipart must have parts, and nothing else can have them.',
    );
}

function requireContent(
  { partId, blobId, charset }: Record<'partId' | 'blobId' | 'charset', string | null>,
  path: string,
  isMultipart: boolean,
): void {
  if (isMultipart && (partId !== null || blobId !== null))
    throw new InvalidEmail(`${path}/partId`, 'A multipart cannot have content of its own.');
  if (!isMultipart && (partId === null) === (blobId === null))
    throw new InvalidEmail(`${path}/partId`, 'A part must have either partId or blobId.');
  if (partId !== null && charset !== null)
    throw new InvalidEmail(`${path}/charset`, 'The server chooses the charset of a part with a partId.');
}

function readLanguage(value: unknown, path: string): NewPart['language'] {
  if (value === null) return null;
  if (Array.isArray(value) && value.every((tag) => LANGUAGE_TAG.test(String(tag)))) return value as string[];
  throw new InvalidEmail(`${path}/language`, 'Expected a list of language tags.');
}

function readValue(values: Record<string, unknown>, partId: string): string {
  const property = `bodyValues/${partId}`;
  if (!Object.hasOwn(values, partId)) throw new InvalidEmail(property, 'There is no value for this part.');
  const { value, isEncodingProblem = false, isTruncated = false } = readObject(values[partId], property);
  if (typeof value !== 'string') throw new InvalidEmail(property, 'The value must be a string.');
  if (isEncodingProblem !== false || isTruncated !== false)
    throw new InvalidEmail(property, 'isEncodingProblem and isTruncated must be false.');
  return value;
}

function readText(value: unknown, property: string): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value !== 'string' || value.length > 2_000)
    throw new InvalidEmail(property, 'Expected a string.');
  return value;
}

function readObject(value: unknown, property: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new InvalidEmail(property, 'Expected an object.');
  return value as Record<string, unknown>;
}

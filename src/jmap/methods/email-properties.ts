/** Which properties of an Email a client requests, and which data they need (RFC 8621 section 4.2). */
import { z } from 'zod';
import { parseHeaderProperty, SHORT_PROPERTIES, type HeaderProperty } from '../../mail/jmap/header-forms.ts';
import { readArguments, unsigned } from '../calls/arguments.ts';
import { MethodError, type Arguments } from '../calls/tools.ts';

const METADATA = [
  'id',
  'blobId',
  'threadId',
  'mailboxIds',
  'keywords',
  'size',
  'receivedAt',
  'hasAttachment',
  'preview',
];
const BODY = ['bodyStructure', 'bodyValues', 'textBody', 'htmlBody', 'attachments'];
export const DEFAULT_PROPERTIES = [
  ...METADATA,
  ...Object.keys(SHORT_PROPERTIES),
  'bodyValues',
  'textBody',
  'htmlBody',
  'attachments',
];
const DEFAULT_PART_PROPERTIES = [
  'partId',
  'blobId',
  'size',
  'name',
  'type',
  'charset',
  'disposition',
  'cid',
  'language',
  'location',
];
const PART_PROPERTIES = [...DEFAULT_PART_PROPERTIES, 'subParts', 'headers'];

export interface EmailProperties {
  metadata: Set<string>;
  /** The header properties by the names that the client used. */
  headers: Map<string, HeaderProperty>;
  hasAllHeaders: boolean;
  body: Set<string>;
  part: { names: Set<string>; headers: Map<string, HeaderProperty> };
  fetchText: boolean;
  fetchHtml: boolean;
  fetchAll: boolean;
  maxBodyValueBytes: number;
}

const bodyArguments = z.object({
  bodyProperties: z.array(z.string().max(300)).max(200).nullish(),
  fetchTextBodyValues: z.boolean().nullish(),
  fetchHTMLBodyValues: z.boolean().nullish(),
  fetchAllBodyValues: z.boolean().nullish(),
  maxBodyValueBytes: unsigned.nullish(),
});

export function readEmailProperties(
  properties: readonly string[] | null,
  args: Arguments,
  byDefault: readonly string[] = DEFAULT_PROPERTIES,
): EmailProperties {
  const given = readArguments(bodyArguments, args);
  const names = properties ?? byDefault;
  const headers = new Map<string, HeaderProperty>();
  for (const name of names) {
    const isKnown = METADATA.includes(name) || BODY.includes(name) || name === 'headers';
    const short = Object.hasOwn(SHORT_PROPERTIES, name) ? SHORT_PROPERTIES[name]! : null;
    if (!isKnown) headers.set(name, short ?? requireHeader(name));
  }
  const partNames = given.bodyProperties ?? DEFAULT_PART_PROPERTIES;
  const partHeaders = new Map<string, HeaderProperty>();
  for (const name of partNames)
    if (!PART_PROPERTIES.includes(name)) partHeaders.set(name, requireHeader(name));
  return {
    metadata: new Set(names.filter((name) => METADATA.includes(name))),
    headers,
    hasAllHeaders: names.includes('headers'),
    body: new Set(names.filter((name) => BODY.includes(name))),
    part: { names: new Set(partNames), headers: partHeaders },
    fetchText: given.fetchTextBodyValues ?? false,
    fetchHtml: given.fetchHTMLBodyValues ?? false,
    fetchAll: given.fetchAllBodyValues ?? false,
    maxBodyValueBytes: given.maxBodyValueBytes ?? 0,
  };
}

function requireHeader(name: string): HeaderProperty {
  const header = parseHeaderProperty(name);
  if (!header)
    throw new MethodError('invalidArguments', `The property ${name.slice(0, 100)} does not exist.`);
  return header;
}

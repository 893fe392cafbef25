/**
 * The parts of a message with their offsets. IMAP and JMAP show this tree, and parse-body.ts makes one body of it for
 * display. Nothing is decoded, because BODYSTRUCTURE and BODY[…] are about the bytes of the message. Any input gives a
 * tree. The number of parts and levels is limited; a multipart without parts or beyond the limits is text.
 */
import { readField, readRawField, type MimeField } from './fields.ts';
import { readAnyHeaders, valueOf, type HeaderSection, type RawHeader } from './raw-headers.ts';

export interface MimePart {
  /** The offset of its header. */
  start: number;
  /** The offset of its body. */
  bodyStart: number;
  end: number;
  headers: RawHeader[];
  /** The decoded Content-Type field. Its value is empty if there is none. */
  contentType: MimeField;
  type: string;
  subtype: string;
  /** The parameters of Content-Type as they are in the message. */
  params: [string, string][];
  encoding: string;
  /** The parts of a multipart. */
  children: MimePart[];
  /** The message in a message/rfc822. */
  message: MimePart | null;
}

const MAX_DEPTH = 100;
const MAX_PARTS = 2_000;
/** Counts all lines that begin like a boundary. */
const MAX_BOUNDARIES = 10_000;
const MAX_PARAMS = 100;

/** `section` holds the headers of `raw` if the caller has read them. */
export function parseMimeTree(raw: Buffer, section: HeaderSection = readAnyHeaders(raw)): MimePart {
  return parsePart(raw, { start: 0, end: raw.length }, section, TEXT, 0, { parts: 0 });
}

interface Progress {
  parts: number;
}

interface Place {
  start: number;
  end: number;
}

type MediaType = Pick<MimePart, 'type' | 'subtype'>;

const TEXT: MediaType = { type: 'text', subtype: 'plain' };

function parsePart(
  raw: Buffer,
  { start, end }: Place,
  { headers, bodyStart }: HeaderSection,
  byDefault: MediaType,
  depth: number,
  progress: Progress,
): MimePart {
  progress.parts += 1;
  const part: MimePart = {
    start,
    bodyStart: start + bodyStart,
    end,
    headers,
    ...readContentType(valueOf({ headers }, 'content-type'), byDefault),
    encoding: readField(valueOf({ headers }, 'content-transfer-encoding') ?? '').value || '7bit',
    children: [],
    message: null,
  };
  const mayHaveParts = depth < MAX_DEPTH && progress.parts < MAX_PARTS;
  const parseInner = (place: Place, inner: MediaType) => {
    const section = readAnyHeaders(raw.subarray(place.start, place.end));
    return parsePart(raw, place, section, inner, depth + 1, progress);
  };
  if (part.type === 'multipart') {
    const boundary = part.contentType.parameters.get('boundary') ?? '';
    const inner = part.subtype === 'digest' ? { type: 'message', subtype: 'rfc822' } : TEXT;
    const places = mayHaveParts && boundary !== '' ? splitAt(raw, part.bodyStart, end, boundary) : [];
    for (const place of places) {
      if (progress.parts >= MAX_PARTS) break;
      part.children.push(parseInner(place, inner));
    }
    // A multipart must have a part (RFC 9051: body-type-mpart), so without one it is shown as text.
    if (part.children.length === 0) return { ...part, ...TEXT, params: [] };
  } else if (mayHaveParts && isMessage(part)) part.message = parseInner({ start: part.bodyStart, end }, TEXT);
  return part;
}

function isMessage({ type, subtype, encoding }: MimePart): boolean {
  return type === 'message' && (subtype === 'rfc822' || subtype === 'global') && isIdentity(encoding);
}

function isIdentity(encoding: string): boolean {
  return encoding === '7bit' || encoding === '8bit' || encoding === 'binary';
}

const LF = 0x0a;
const CR = 0x0d;

/** Returns the offsets of the parts between the boundary lines (RFC 2046 section 5.1.1). */
function splitAt(raw: Buffer, from: number, end: number, boundary: string): Place[] {
  const delimiter = Buffer.from(`\n--${boundary}`, 'utf8');
  const places: Place[] = [];
  let open: number | null = null;
  let looked = 0;
  const body = raw.subarray(0, end);
  // The first line has no line break before it.
  const first = delimiter.subarray(1);
  const startsWithIt = body.subarray(from, from + first.length).equals(first);
  for (
    let at = startsWithIt ? from - 1 : body.indexOf(delimiter, from);
    at >= from - 1 && looked < MAX_BOUNDARIES;
    at = body.indexOf(delimiter, at + 1)
  ) {
    looked += 1;
    const after = at + delimiter.length;
    const lf = body.indexOf(LF, after);
    const lineEnd = lf === -1 ? end : lf;
    const rest = raw.toString('latin1', after, Math.min(lineEnd, after + 200)).trimEnd();
    if (rest !== '' && rest !== '--') continue;
    // The line break before a boundary belongs to it.
    const before = raw[at - 1] === CR ? at - 1 : at;
    if (open !== null) places.push({ start: open, end: Math.max(open, before) });
    open = rest === '--' || lineEnd >= end ? null : lineEnd + 1;
    if (rest === '--' || places.length >= MAX_PARTS) return places;
  }
  if (open !== null) places.push({ start: open, end });
  return places;
}

const MEDIA_TYPE = /^([\w!#$&^.+'*-]{1,100})\s*\/\s*([\w!#$&^.+'*-]{1,100})/;

function readContentType(
  value: string | null,
  byDefault: MediaType,
): Pick<MimePart, 'contentType' | 'type' | 'subtype' | 'params'> {
  const contentType = readField(value ?? '');
  const [, type, subtype] = MEDIA_TYPE.exec(contentType.value) ?? [];
  if (type) return { contentType, type, subtype: subtype!, params: readParams(value!) };
  // RFC 2045 section 5.2: without a valid type it is text in US-ASCII. A part with a name is a file.
  if (contentType.parameters.has('name'))
    return { contentType, type: 'application', subtype: 'octet-stream', params: readParams(value!) };
  return { contentType, ...byDefault, params: byDefault.type === 'text' ? [['charset', 'us-ascii']] : [] };
}

/** Returns the parameters as they are in the field. RFC 2231 continuations are not joined. */
export function readParams(value: string): [string, string][] {
  return [...readRawField(value).parameters].slice(0, MAX_PARAMS);
}

/**
 * The parts of a message with their offsets, as IMAP and JMAP show them: nothing is decoded, because BODYSTRUCTURE and
 * BODY[…] are about the bytes of the message. parse-body.ts reads messages for display instead: it decodes, and makes one
 * body of all parts. Any input gives a tree. The number of parts and levels is limited; a multipart beyond the limits
 * becomes a part without children.
 */

export interface MimePart {
  /** The offset of its header. */
  start: number;
  /** The offset of its body. */
  bodyStart: number;
  end: number;
  fields: HeaderField[];
  type: string;
  subtype: string;
  params: [string, string][];
  encoding: string;
  /** The parts of a multipart. */
  children: MimePart[];
  /** The message in a message/rfc822. */
  message: MimePart | null;
}

/** Latin-1, unfolded. */
export interface HeaderField {
  name: string;
  value: string;
}

const MAX_DEPTH = 30;
const MAX_PARTS = 2_000;
/** Counts all lines that begin like a boundary. */
const MAX_BOUNDARIES = 10_000;
const MAX_HEADER_BYTES = 256 * 1024;
const MAX_PARAMS = 100;

export function parseMimeTree(raw: Buffer): MimePart {
  return parsePart(raw, 0, raw.length, { type: 'text', subtype: 'plain' }, 0, { parts: 0 });
}

interface Progress {
  parts: number;
}

function parsePart(
  raw: Buffer,
  start: number,
  end: number,
  byDefault: { type: string; subtype: string },
  depth: number,
  progress: Progress,
): MimePart {
  progress.parts += 1;
  const bodyStart = findBody(raw, start, end);
  const fields = readFields(raw.toString('latin1', start, Math.min(bodyStart, start + MAX_HEADER_BYTES)));
  const { type, subtype, params } = readContentType(fieldOf(fields, 'content-type'), byDefault);
  const encoding = (fieldOf(fields, 'content-transfer-encoding') ?? '').trim().toLowerCase() || '7bit';
  const part: MimePart = {
    start,
    bodyStart,
    end,
    fields,
    type,
    subtype,
    params,
    encoding,
    children: [],
    message: null,
  };
  if (depth >= MAX_DEPTH || progress.parts >= MAX_PARTS) return part;
  if (type === 'multipart') {
    const boundary = params.find(([name]) => name === 'boundary')?.[1];
    const inner = {
      type: subtype === 'digest' ? 'message' : 'text',
      subtype: subtype === 'digest' ? 'rfc822' : 'plain',
    };
    for (const place of boundary ? splitAt(raw, bodyStart, end, boundary) : []) {
      if (progress.parts >= MAX_PARTS) break;
      part.children.push(parsePart(raw, place.start, place.end, inner, depth + 1, progress));
    }
    // A multipart must have a part (RFC 9051: body-type-mpart), so without one it is shown as text.
    if (part.children.length === 0) return { ...part, type: 'text', subtype: 'plain', params: [] };
  } else if (type === 'message' && (subtype === 'rfc822' || subtype === 'global') && isIdentity(encoding)) {
    part.message = parsePart(raw, bodyStart, end, { type: 'text', subtype: 'plain' }, depth + 1, progress);
  }
  return part;
}

function isIdentity(encoding: string): boolean {
  return encoding === '7bit' || encoding === '8bit' || encoding === 'binary';
}

const [CR, LF] = [0x0d, 0x0a];

/** Returns the offset after the empty line, or the end. */
function findBody(raw: Buffer, start: number, end: number): number {
  // The offset before the first line counts as a line break.
  for (let at = start - 1; at < end; at += 1) {
    if (at >= start && raw[at] !== LF) continue;
    if (raw[at + 1] === LF && at + 1 < end) return at + 2;
    if (raw[at + 1] === CR && raw[at + 2] === LF && at + 2 < end) return at + 3;
  }
  return end;
}

export function readFields(header: string): HeaderField[] {
  const lines = header.split(/\r?\n/);
  const fields: HeaderField[] = [];
  let folded: string[] = [];
  const flush = () => {
    const [, name, value] = /^([^\s:]+)[ \t]*:([^]*)$/.exec(folded.join('')) ?? [];
    if (name !== undefined) fields.push({ name: name.toLowerCase(), value: value!.trim() });
    folded = [];
  };
  for (const line of lines) {
    if (folded.length > 0 && !/^[ \t]/.test(line)) flush();
    folded.push(line);
  }
  flush();
  return fields;
}

export function fieldOf(fields: HeaderField[], name: string): string | null {
  return fields.find((field) => field.name === name)?.value ?? null;
}

/** Returns the offsets of the parts between the boundary lines (RFC 2046 section 5.1.1). */
function splitAt(raw: Buffer, from: number, end: number, boundary: string): { start: number; end: number }[] {
  const delimiter = Buffer.from(`\n--${boundary}`, 'latin1');
  const places: { start: number; end: number }[] = [];
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
    const before = raw[at - 1] === 0x0d ? at - 1 : at;
    if (open !== null) places.push({ start: open, end: Math.max(open, before) });
    open = rest === '--' || lineEnd >= end ? null : lineEnd + 1;
    if (rest === '--' || places.length >= MAX_PARTS) return places;
  }
  if (open !== null) places.push({ start: open, end });
  return places;
}

function readContentType(
  value: string | null,
  byDefault: { type: string; subtype: string },
): Pick<MimePart, 'type' | 'subtype' | 'params'> {
  const [, type, subtype] = /^([^\s/;"(]{1,100})\s*\/\s*([^\s;"(]{1,100})/.exec(value ?? '') ?? [];
  // RFC 2045 section 5.2: text in US-ASCII.
  if (!type) return { ...byDefault, params: byDefault.type === 'text' ? [['charset', 'us-ascii']] : [] };
  return { type: type.toLowerCase(), subtype: subtype!.toLowerCase(), params: readParams(value!) };
}

const PARAM = /;\s*([^\s=;"]{1,100})\s*=\s*(?:"((?:[^"\\]|\\[^])*)"|([^\s;"]*))/y;

/** Returns the parameters after the first semicolon. Names are in lower case; RFC 2231 continuations are not joined. */
export function readParams(value: string): [string, string][] {
  const params: [string, string][] = [];
  let at = value.indexOf(';');
  while (at !== -1 && params.length < MAX_PARAMS) {
    PARAM.lastIndex = at;
    const [whole, name, quoted, plain] = PARAM.exec(value) ?? [];
    if (whole === undefined) {
      at = value.indexOf(';', at + 1);
      continue;
    }
    params.push([name!.toLowerCase(), quoted === undefined ? plain! : quoted.replaceAll(/\\([^])/g, '$1')]);
    at = value.indexOf(';', at + whole.length);
  }
  return params;
}

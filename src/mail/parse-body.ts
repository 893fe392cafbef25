/**
 * The body of a message as people see it: one HTML, one text, and attachments. Every byte is looked at a bounded
 * number of times: boundaries are compared only where a line starts with "--", and there is a most of parts, levels and
 * such lines, behind which the rest is one piece. Broken MIME is shown as text; nothing is refused.
 */
import { decodeWords } from './encoded-words.ts';
import { nameOfType } from './file-types.ts';
import { escapeText } from './html-entities.ts';
import { htmlToPlainText } from './html-text.ts';
import { decodeCharset, decodeHtml, decodeTransfer, toStorable, unflow } from './mime-decode.ts';
import { readField, type MimeField } from './mime-fields.ts';
import { findHeader, readHeaders, type HeaderSection } from './raw-headers.ts';

interface MessageAttachment {
  filename: string | null;
  contentType: string;
  /** Without the angle brackets. */
  contentId: string | null;
  inline: boolean;
  content: Buffer;
}

export interface MessageBody {
  html: string | null;
  text: string | null;
  attachments: MessageAttachment[];
}

const MAX_DEPTH = 100;
const MAX_PARTS = 1_000;
const MAX_BOUNDARY_LINES = 200_000;
/** Of all that is shown as the body; the rest is in the message itself. */
const MAX_SHOWN_BYTES = 5 * 1024 * 1024;
const MAX_FILENAME_LENGTH = 255;
const MAX_ID_LENGTH = 998;
const LINE_WITH_DASHES = Buffer.from('\n--');
const LF = 0x0a;
const CR = 0x0d;
const DASH = 0x2d;
const MEDIA_TYPE = /^[a-z0-9!#$&^_.+'*-]+\/[a-z0-9!#$&^_.+'*-]+$/;
// Other faces of the same letter, for programs of one maker.
const UNSHOWN_ALTERNATIVES = new Set([
  'text/x-amp-html',
  'text/watch-html',
  'text/enriched',
  'text/richtext',
]);

interface Shown {
  html: string | null;
  text: string | null;
}

interface Work {
  attachments: MessageAttachment[];
  parts: number;
  boundaryLines: number;
  shownBytes: number;
  hasText: boolean;
}

const NOTHING: Shown = { html: null, text: null };

/** `section` are the headers of the message that `raw` is. */
export function parseBody(raw: Buffer, section: HeaderSection): MessageBody {
  const work: Work = { attachments: [], parts: 0, boundaryLines: 0, shownBytes: 0, hasText: false };
  const shown = readEntity(raw.subarray(section.bodyStart), section, { work, depth: 0, parent: '' });
  return { ...shown, attachments: nameAttachments(dropTwin(work.attachments)) };
}

/** Calendars send one invitation twice: as another face of the letter, and as a file with a name. */
function dropTwin(attachments: MessageAttachment[]): MessageAttachment[] {
  const face = attachments.find(
    ({ filename, contentType }) => filename === null && contentType === 'text/calendar',
  );
  if (!face) return attachments;
  const calendar = toLines(face.content);
  const hasTwin = attachments.some(
    ({ filename, content }) =>
      filename !== null && content.length <= 2 * face.content.length + 2 && toLines(content) === calendar,
  );
  return hasTwin ? attachments.filter((attachment) => attachment !== face) : attachments;
}

/** The last line end is lost to the boundary where the bytes are not encoded. */
function toLines(content: Buffer): string {
  return content.toString('latin1').replaceAll('\r\n', '\n').trimEnd();
}

/** Who saves a file that came without a name, as invitations do, needs at least its ending. */
function nameAttachments(attachments: MessageAttachment[]): MessageAttachment[] {
  const taken = new Map<string, number>();
  return attachments.map((attachment) => {
    const name = attachment.filename === null ? nameOfType(attachment.contentType) : null;
    if (name === null) return attachment;
    const count = (taken.get(name) ?? 0) + 1;
    taken.set(name, count);
    return { ...attachment, filename: count === 1 ? name : name.replace('.', `-${count}.`) };
  });
}

interface Place {
  work: Work;
  depth: number;
  /** The type of the multipart around it. */
  parent: string;
}

function readEntity(body: Buffer, section: HeaderSection, place: Place): Shown {
  const usual = place.parent === 'multipart/digest' ? 'message/rfc822' : 'text/plain';
  const type = readField(findHeader(section, 'content-type')?.value || usual);
  if (type.value.startsWith('multipart/') && place.depth < MAX_DEPTH) {
    const parts = splitParts(body, type.parameters.get('boundary') ?? '', place.work);
    if (parts) return readMultipart(parts, type.value, place);
    // It says that it has parts and has none: what is there is shown.
    return readLeaf(body, section, { ...type, value: 'text/plain' }, place);
  }
  // RFC 2045 section 5.2: what nobody can read as a type is text; one with a name is a file all the same.
  const isText = !MEDIA_TYPE.test(type.value) && !type.parameters.has('name');
  return readLeaf(body, section, isText ? { ...type, value: 'text/plain' } : type, place);
}

function readMultipart(parts: Buffer[], type: string, { work, depth }: Place): Shown {
  const children = parts.map((part): Shown => {
    const section = readHeaders(part) ?? { headers: [], headersEnd: 0, bodyStart: 0 };
    return readEntity(part.subarray(section.bodyStart), section, { work, depth: depth + 1, parent: type });
  });
  if (type === 'multipart/alternative') {
    // RFC 2046 section 5.1.4: the last one that can be shown is the best.
    return {
      html: children.findLast(({ html }) => html !== null)?.html ?? null,
      text: children.findLast(({ text }) => text !== null)?.text ?? null,
    };
  }
  return joinShown(children.filter(({ html, text }) => html !== null || text !== null));
}

/** One behind the other; where one has only the other form it is turned into this one. */
function joinShown(children: Shown[]): Shown {
  if (children.length < 2) return children[0] ?? NOTHING;
  const hasHtml = children.some(({ html }) => html !== null);
  const hasText = children.some(({ text }) => text !== null);
  return {
    html: hasHtml ? children.map(({ html, text }) => html ?? asHtml(text ?? '')).join('\n') : null,
    text: hasText ? children.map(({ html, text }) => text ?? htmlToPlainText(html ?? '')).join('\n') : null,
  };
}

function asHtml(text: string): string {
  return `<div>${escapeText(text).replaceAll('\n', '<br>')}</div>`;
}

function readLeaf(body: Buffer, section: HeaderSection, type: MimeField, place: Place): Shown {
  const { work } = place;
  work.parts += 1;
  if (work.parts > MAX_PARTS) return NOTHING;
  const disposition = readField(findHeader(section, 'content-disposition')?.value ?? '');
  const encoding = readField(findHeader(section, 'content-transfer-encoding')?.value ?? '').value;
  const filename = readFilename(disposition.parameters.get('filename') ?? type.parameters.get('name'));
  // RFC 2046 section 4.1.4: any other text is shown as it is where nothing else is; invitations are files.
  const isBareText = place.depth === 0 && filename === null && /^text\/(?!calendar$)/.test(type.value);
  const isText = type.value === 'text/plain' || type.value === 'text/html' || isBareText;
  const isFile = disposition.value === 'attachment' || (filename !== null && work.hasText);
  if (isText && !isFile) {
    work.hasText = true;
    const room = Math.max(MAX_SHOWN_BYTES - work.shownBytes, 0);
    const decoded = decodeTransfer(body, encoding);
    const isWholeMessage = place.depth === 0 && encoding !== 'base64';
    const bytes = isWholeMessage ? withoutLastLineEnd(decoded) : decoded;
    work.shownBytes += bytes.length;
    return readText(bytes.subarray(0, room), bytes.length > room, type);
  }
  if (place.parent === 'multipart/alternative' && UNSHOWN_ALTERNATIVES.has(type.value)) return NOTHING;
  const contentId = readContentId(findHeader(section, 'content-id')?.value);
  work.attachments.push({
    filename,
    contentType: MEDIA_TYPE.test(type.value) ? type.value.slice(0, 127) : 'application/octet-stream',
    contentId,
    inline:
      disposition.value === 'inline' ||
      (contentId !== null && place.parent === 'multipart/related' && disposition.value === ''),
    content: decodeTransfer(body, encoding),
  });
  return NOTHING;
}

function readText(bytes: Buffer, isCut: boolean, type: MimeField): Shown {
  const decode = type.value === 'text/html' ? decodeHtml : decodeCharset;
  const decoded = decode(bytes, type.parameters.get('charset') ?? '') + (isCut ? ' …' : '');
  const text = decoded.replaceAll(/\r\n?/g, '\n');
  if (type.value === 'text/html') return { html: text, text: null };
  const isFlowed = type.parameters.get('format')?.toLowerCase() === 'flowed';
  const deletesBlanks = type.parameters.get('delsp')?.toLowerCase() === 'yes';
  return { html: null, text: isFlowed ? unflow(text, deletesBlanks) : text };
}

function readFilename(written: string | undefined): string | null {
  const name = toStorable(decodeWords((written ?? '').slice(0, 4_000)))
    // No name leads out of a folder, hides its end, or breaks a header.
    .replaceAll(/[\p{Cc}\u202a-\u202e\u2066-\u2069/\\]+/gu, '_')
    .trim();
  return [...name].slice(0, MAX_FILENAME_LENGTH).join('') || null;
}

function readContentId(value: string | undefined): string | null {
  const id = /<([^<>\s]+)>/.exec(value ?? '')?.[1] ?? value?.trim() ?? '';
  return id === '' || id.length > MAX_ID_LENGTH ? null : toStorable(id);
}

/** RFC 2046 section 5.1.1. Null where the boundary stands nowhere; without the last one the rest is the last part. */
function splitParts(body: Buffer, boundary: string, work: Work): Buffer[] | null {
  if (boundary === '' || boundary.length > 1_000) return null;
  const mark = Buffer.from(boundary, 'utf8');
  const parts: Buffer[] = [];
  let partStart = -1;
  let at = body[0] === DASH && body[1] === DASH ? 0 : findDashes(body, 0);
  while (at !== -1) {
    work.boundaryLines += 1;
    if (work.boundaryLines > MAX_BOUNDARY_LINES) break;
    const line = matchBoundary(body, at, mark);
    if (line) {
      if (partStart !== -1)
        parts.push(body.subarray(partStart, Math.max(beforeLineEnd(body, at), partStart)));
      partStart = line.end;
      if (line.isLast || parts.length === MAX_PARTS) return parts;
    }
    at = findDashes(body, at);
  }
  if (partStart === -1) return null;
  parts.push(body.subarray(partStart));
  return parts;
}

function findDashes(body: Buffer, from: number): number {
  const found = body.indexOf(LINE_WITH_DASHES, from);
  return found === -1 ? -1 : found + 1;
}

function matchBoundary(body: Buffer, at: number, mark: Buffer): { end: number; isLast: boolean } | null {
  let end = at + 2 + mark.length;
  if (end > body.length || mark.compare(body, at + 2, end) !== 0) return null;
  const isLast = body[end] === DASH && body[end + 1] === DASH;
  if (isLast) end += 2;
  while (body[end] === 0x20 || body[end] === 0x09) end += 1;
  if (body[end] === CR) end += 1;
  if (end < body.length && body[end] !== LF) return null;
  return { end: Math.min(end + 1, body.length), isLast };
}

/** Every message ends with one on the wire; that of a part belongs to the boundary behind it. */
function withoutLastLineEnd(body: Buffer): Buffer {
  return body.at(-1) === LF ? body.subarray(0, beforeLineEnd(body, body.length)) : body;
}

/** The line end before a boundary belongs to the boundary. */
function beforeLineEnd(body: Buffer, at: number): number {
  if (at === 0) return 0;
  return body[at - 2] === CR ? at - 2 : at - 1;
}

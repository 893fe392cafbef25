/**
 * Reads the body of a message for display: one HTML, one text and attachments of all parts in its tree (mime-tree.ts).
 * Broken MIME is shown as text.
 */
import { toStorable } from '../../../platform/storable-text.ts';
import { decodeWords } from './encoded-words.ts';
import { nameOfType } from '../file-types.ts';
import { escapeText } from '../../html/entities.ts';
import { htmlToPlainText } from '../../html/text.ts';
import { decodeCharset, decodeHtml, decodeTransfer, unflow } from './decode.ts';
import { readField, type MimeField } from './fields.ts';
import { parseMimeTree, type MimePart } from './mime-tree.ts';
import { valueOf, type HeaderSection } from './raw-headers.ts';

interface MessageAttachment {
  filename: string | null;
  contentType: string;
  /** The Content-ID without angle brackets. */
  contentId: string | null;
  inline: boolean;
  content: Buffer;
}

export interface MessageBody {
  html: string | null;
  text: string | null;
  attachments: MessageAttachment[];
}

export const MAX_PARTS = 1_000;
/** Limits the displayed body. The rest is only in the raw message. */
export const MAX_SHOWN_BYTES = 5 * 1024 * 1024;
const MAX_FILENAME_LENGTH = 255;
const MAX_ID_LENGTH = 998;
const LF = 0x0a;
const CR = 0x0d;
const MEDIA_TYPE = /^[a-z0-9!#$&^_.+'*-]+\/[a-z0-9!#$&^_.+'*-]+$/;
// Alternative versions for particular software, which are not displayed.
export const UNSHOWN_ALTERNATIVES = new Set([
  'text/x-amp-html',
  'text/watch-html',
  'text/enriched',
  'text/richtext',
]);

interface DisplayedBody {
  html: string | null;
  text: string | null;
}

interface Progress {
  attachments: MessageAttachment[];
  parts: number;
  shownBytes: number;
  hasText: boolean;
}

const NOTHING: DisplayedBody = { html: null, text: null };

/** `section` must hold the headers of `raw`. */
export function parseBody(raw: Buffer, section: HeaderSection): MessageBody {
  const progress: Progress = { attachments: [], parts: 0, shownBytes: 0, hasText: false };
  const shown = readPart(raw, parseMimeTree(raw, section), { progress, depth: 0, parent: '' });
  return { ...shown, attachments: nameAttachments(dropDuplicateInvitation(progress.attachments)) };
}

/**
 * Calendar software sends an invitation twice: as an alternative part and as a named attachment. Keeps the named one.
 */
function dropDuplicateInvitation(attachments: MessageAttachment[]): MessageAttachment[] {
  const alternative = attachments.find(
    ({ filename, contentType }) => filename === null && contentType === 'text/calendar',
  );
  if (!alternative) return attachments;
  const calendar = toLines(alternative.content);
  const hasDuplicate = attachments.some(
    ({ filename, content }) =>
      filename !== null &&
      content.length <= 2 * alternative.content.length + 2 &&
      toLines(content) === calendar,
  );
  return hasDuplicate ? attachments.filter((attachment) => attachment !== alternative) : attachments;
}

/** In an unencoded part, the last line break belongs to the boundary. */
function toLines(content: Buffer): string {
  return content.toString('latin1').replaceAll('\r\n', '\n').trimEnd();
}

/** Attachments without a name, such as invitations, get at least a name with an extension. */
function nameAttachments(attachments: MessageAttachment[]): MessageAttachment[] {
  const used = new Map<string, number>();
  return attachments.map((attachment) => {
    const name = attachment.filename === null ? nameOfType(attachment.contentType) : null;
    if (name === null) return attachment;
    const count = (used.get(name) ?? 0) + 1;
    used.set(name, count);
    return { ...attachment, filename: count === 1 ? name : name.replace('.', `-${count}.`) };
  });
}

interface PartContext {
  progress: Progress;
  depth: number;
  /** The content type of the enclosing multipart. */
  parent: string;
}

function readPart(raw: Buffer, part: MimePart, context: PartContext): DisplayedBody {
  if (part.children.length === 0) return readLeaf(raw.subarray(part.bodyStart, part.end), part, context);
  const type = `${part.type}/${part.subtype}`;
  const inner = { progress: context.progress, depth: context.depth + 1, parent: type };
  const children = part.children.map((child) => readPart(raw, child, inner));
  if (type === 'multipart/alternative') {
    return { html: lastOf(children.map(({ html }) => html)), text: lastOf(children.map(({ text }) => text)) };
  }
  return joinParts(children.filter(({ html, text }) => html !== null || text !== null));
}

/** RFC 2046 section 5.1.4: the last alternative that can be shown is the best. An empty one shows nothing. */
function lastOf(alternatives: (string | null)[]): string | null {
  const shown = alternatives.filter((each) => each !== null);
  return shown.findLast((each) => each.trim() !== '') ?? shown.at(-1) ?? null;
}

/** Joins parts in order. A part that exists in only one form is converted to the other. */
function joinParts(children: DisplayedBody[]): DisplayedBody {
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

function readLeaf(body: Buffer, part: MimePart, context: PartContext): DisplayedBody {
  const { progress } = context;
  progress.parts += 1;
  if (progress.parts > MAX_PARTS) return NOTHING;
  const type = { ...part.contentType, value: `${part.type}/${part.subtype}` };
  const disposition = readField(valueOf(part, 'content-disposition') ?? '');
  const { encoding } = part;
  const filename = readFilename(disposition.parameters.get('filename') ?? type.parameters.get('name'));
  // RFC 2046 section 4.1.4: unknown text types are shown when they are the whole message. Invitations are
  // attachments.
  const isBareText = context.depth === 0 && filename === null && /^text\/(?!calendar$)/.test(type.value);
  const isText = type.value === 'text/plain' || type.value === 'text/html' || isBareText;
  const isFile = disposition.value === 'attachment' || (filename !== null && progress.hasText);
  if (isText && !isFile) {
    progress.hasText = true;
    const remainingBytes = Math.max(MAX_SHOWN_BYTES - progress.shownBytes, 0);
    const decoded = decodeTransfer(body, encoding);
    const isWholeMessage = context.depth === 0 && encoding !== 'base64';
    const bytes = isWholeMessage ? removeLastLineBreak(decoded) : decoded;
    progress.shownBytes += bytes.length;
    return readText(bytes.subarray(0, remainingBytes), bytes.length > remainingBytes, type);
  }
  if (context.parent === 'multipart/alternative' && UNSHOWN_ALTERNATIVES.has(type.value)) return NOTHING;
  const contentId = readContentId(valueOf(part, 'content-id'));
  progress.attachments.push({
    filename,
    contentType: MEDIA_TYPE.test(type.value) ? type.value.slice(0, 127) : 'application/octet-stream',
    contentId,
    inline:
      disposition.value === 'inline' ||
      (contentId !== null && context.parent === 'multipart/related' && disposition.value === ''),
    content: decodeTransfer(body, encoding),
  });
  return NOTHING;
}

function readText(bytes: Buffer, isCut: boolean, type: MimeField): DisplayedBody {
  const decode = type.value === 'text/html' ? decodeHtml : decodeCharset;
  const decoded = decode(bytes, type.parameters.get('charset') ?? '') + (isCut ? ' …' : '');
  const text = decoded.replaceAll(/\r\n?/g, '\n');
  if (type.value === 'text/html') return { html: text, text: null };
  const isFlowed = type.parameters.get('format')?.toLowerCase() === 'flowed';
  const deletesBlanks = type.parameters.get('delsp')?.toLowerCase() === 'yes';
  return { html: null, text: isFlowed ? unflow(text, deletesBlanks) : text };
}

/** The name of an attachment. */
export function readFilename(value: string | undefined): string | null {
  const name = toStorable(decodeWords((value ?? '').slice(0, 4_000)))
    // A name must not leave its folder, hide its extension or break a header.
    .replaceAll(/[\p{Cc}\u202a-\u202e\u2066-\u2069/\\]+/gu, '_')
    .trim();
  return [...name].slice(0, MAX_FILENAME_LENGTH).join('') || null;
}

function readContentId(value: string | null): string | null {
  const id = /<([^<>\s]+)>/.exec(value ?? '')?.[1] ?? value?.trim() ?? '';
  return id === '' || id.length > MAX_ID_LENGTH ? null : toStorable(id);
}

/** SMTP ends every message with a line break. In a part, it belongs to the following boundary. */
function removeLastLineBreak(body: Buffer): Buffer {
  if (body.at(-1) !== LF) return body;
  return body.subarray(0, body.at(-2) === CR ? -2 : -1);
}

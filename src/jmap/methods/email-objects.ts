/** Messages as Email objects (RFC 8621 section 4.1). */
import type { JmapEmailRow } from '../../features/mailboxes/jmap/email-rows.ts';
import { readBodyValue, sizeOfPart, type Body, type BodyPart } from '../../mail/jmap/body-parts.ts';
import {
  listHeaders,
  readHeader,
  readHeaderProperty,
  type ReadHeader,
} from '../../mail/jmap/header-forms.ts';
import { keywordsOf } from '../../mail/jmap/keywords.ts';
import { jsonLength } from '../../mail/jmap/result-references.ts';
import { blobIdOf, partBlobId } from '../calls/blobs.ts';
import { toEmailId, toThreadId } from '../calls/ids.ts';
import { MethodError } from '../calls/tools.ts';
import type { EmailProperties } from './email-properties.ts';

/** Limits the texts of one response. A client can ask for fewer messages, or set maxBodyValueBytes. */
const MAX_VALUES_BYTES = 20 * 1024 * 1024;

export interface ValuesBudget {
  leftBytes: number;
}

export function newValuesBudget(): ValuesBudget {
  return { leftBytes: MAX_VALUES_BYTES };
}

/** Header fields and parts count like texts, because a client can request each of them in many forms. */
export function spendOn(budget: ValuesBudget, values: Record<string, unknown>): void {
  spend(budget, jsonLength(values, budget.leftBytes));
}

function spend(budget: ValuesBudget, bytes: number): void {
  budget.leftBytes -= bytes;
  if (budget.leftBytes < 0)
    throw new MethodError(
      'requestTooLarge',
      'The messages are too long. Ask for fewer of them, or set maxBodyValueBytes.',
    );
}

export function presentMetadata(
  row: JmapEmailRow,
  wanted: EmailProperties,
  size: number | null,
): Record<string, unknown> {
  const all: Record<string, () => unknown> = {
    id: () => toEmailId(row),
    blobId: () => blobIdOf(row),
    threadId: () => toThreadId(row.threadId),
    mailboxIds: () => ({ [row.folder]: true }),
    keywords: () => keywordsOf(row),
    size: () => row.size ?? size ?? 0,
    receivedAt: () => toUtcDate(row.createdAt),
    hasAttachment: () => row.hasAttachment,
    preview: () => row.snippet,
  };
  return Object.fromEntries([...wanted.metadata].map((name) => [name, all[name]!()]));
}

/** RFC 8620 section 1.4 forbids a fraction of zero. */
export function toUtcDate(date: Date): string {
  return date.toISOString().replace(/\.000Z$/, 'Z');
}

export function presentHeaders(header: ReadHeader, wanted: EmailProperties): Record<string, unknown> {
  const values = [...wanted.headers].map(([name, property]) => [name, readHeaderProperty(header, property)]);
  const all = wanted.hasAllHeaders ? [['headers', listHeaders(header)]] : [];
  return Object.fromEntries([...values, ...all]) as Record<string, unknown>;
}

export function presentBody(
  body: Body,
  blobId: string,
  wanted: EmailProperties,
  budget: ValuesBudget,
): Record<string, unknown> {
  const present = (part: BodyPart) => presentPart(body.raw, part, blobId, wanted);
  const all: Record<string, () => unknown> = {
    bodyStructure: () => presentTree(body.raw, body.root, blobId, wanted),
    textBody: () => body.textBody.map(present),
    htmlBody: () => body.htmlBody.map(present),
    attachments: () => body.attachments.map(present),
    bodyValues: () => presentValues(body, wanted, budget),
  };
  return Object.fromEntries([...wanted.body].map((name) => [name, all[name]!()]));
}

function presentTree(
  raw: Buffer,
  part: BodyPart,
  blobId: string,
  wanted: EmailProperties,
): Record<string, unknown> {
  const own = presentPart(raw, part, blobId, wanted);
  if (part.subParts.length === 0) return own;
  return { ...own, subParts: part.subParts.map((each) => presentTree(raw, each, blobId, wanted)) };
}

function presentPart(
  raw: Buffer,
  part: BodyPart,
  blobId: string,
  { part: wanted }: EmailProperties,
): Record<string, unknown> {
  const { partId, type, charset, disposition, name, cid, language, location } = part;
  const own: [string, unknown][] = [];
  const values = { partId, type, charset, disposition, name, cid, language, location };
  for (const [property, value] of Object.entries(values))
    if (wanted.names.has(property)) own.push([property, value]);
  if (wanted.names.has('blobId')) own.push(['blobId', partId === null ? null : partBlobId(blobId, partId)]);
  if (wanted.names.has('size')) own.push(['size', partId === null ? 0 : sizeOfPart(raw, part)]);
  if (wanted.names.has('headers') || wanted.headers.size > 0) {
    const header = readHeader(raw.subarray(part.mime.start, part.mime.bodyStart));
    if (wanted.names.has('headers')) own.push(['headers', listHeaders(header)]);
    for (const [property, parsed] of wanted.headers) own.push([property, readHeaderProperty(header, parsed)]);
  }
  return Object.fromEntries(own);
}

function presentValues(body: Body, wanted: EmailProperties, budget: ValuesBudget): Record<string, unknown> {
  const parts = new Map<string, BodyPart>();
  const add = (part: BodyPart) => {
    if (part.partId !== null && part.type.startsWith('text/')) parts.set(part.partId, part);
  };
  if (wanted.fetchText || wanted.fetchAll) body.textBody.forEach(add);
  if (wanted.fetchHtml || wanted.fetchAll) body.htmlBody.forEach(add);
  if (wanted.fetchAll) addTexts(body.root, add);
  const values = [...parts].map(([partId, part]): [string, unknown] => {
    const value = readBodyValue(body.raw, part, wanted.maxBodyValueBytes);
    spend(budget, value.value.length);
    return [partId, value];
  });
  return Object.fromEntries(values);
}

function addTexts(part: BodyPart, add: (part: BodyPart) => void): void {
  add(part);
  for (const each of part.subParts) addTexts(each, add);
}

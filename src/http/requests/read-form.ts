/**
 * Reads forms: multipart/form-data (RFC 7578) and application/x-www-form-urlencoded. The body is already in memory,
 * within the limit of its route. Texts are UTF-8. Everything that the RFCs allow but no client sends is rejected:
 * nested multiparts, transfer encodings, other charsets.
 */
import { isUtf8 } from 'node:buffer';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { readField } from '../../mail/mime/parse/fields.ts';
import { AppError, badRequest } from '../../platform/errors.ts';
import { isStorable } from '../../platform/schema.ts';
import { refuseOtherType } from './body.ts';

const MULTIPART = 'multipart/form-data';
const URL_ENCODED = 'application/x-www-form-urlencoded';

/** Enough for a thousand recipients, each in a separate field, and as many other fields. */
const MAX_FIELDS = 2_000;
const MAX_NAME_LENGTH = 300;
const MAX_HEADER_BYTES = 8 * 1024;
const MAX_TEXT_BYTES = 20 * 1024 * 1024;
/** Decoding is slow, and nobody sends files in this format. */
const MAX_URL_ENCODED_BYTES = 10 * 1024 * 1024;
/** How much is decoded before other requests run. */
const SLICE_BYTES = 4 * 1024 * 1024;

export interface FormFile {
  name: string;
  filename: string;
  contentType: string | null;
  content: Buffer;
}

/** A form. A name can occur several times. */
export class FormBody {
  readonly texts: { name: string; value: string }[] = [];
  readonly files: FormFile[] = [];
}

export function isForm(contentType: string | undefined): boolean {
  return (
    contentType !== undefined && /^\s*(multipart\/|application\/x-www-form-urlencoded)/i.test(contentType)
  );
}

export async function readForm(contentType: string, body: Buffer): Promise<FormBody> {
  refuseOtherType(
    contentType,
    [MULTIPART, URL_ENCODED],
    `The request body must be a form in UTF-8. Send it as ${MULTIPART} or ${URL_ENCODED}.`,
  );
  const { value, parameters } = readField(contentType);
  const form = new FormBody();
  const pace = createPace();
  if (value === URL_ENCODED) {
    for (const pair of splitPairs(body)) await pace(addPair(form, pair));
    return form;
  }
  const boundary = parameters.get('boundary') ?? '';
  if (boundary.length < 1 || boundary.length > 70)
    throw badRequest('Content-Type must name the boundary of the form, with 1 to 70 characters.');
  for (const part of splitParts(body, boundary)) await pace(addPart(form, part));
  return form;
}

/** Counts decoded bytes, and lets other requests run after each slice. */
function createPace(): (bytes: number) => Promise<void> {
  let sum = 0;
  return async (bytes) => {
    sum += bytes;
    if (sum < SLICE_BYTES) return;
    sum = 0;
    await yieldToEventLoop();
  };
}

function splitPairs(body: Buffer): string[] {
  if (body.length > MAX_URL_ENCODED_BYTES)
    throw new AppError(
      'TOO_LARGE',
      `A form of more than ${MAX_URL_ENCODED_BYTES} bytes must be ${MULTIPART}.`,
    );
  let fields = 1;
  for (let at = body.indexOf('&'); at !== -1; at = body.indexOf('&', at + 1)) countField(++fields);
  if (!isUtf8(body)) throw badRequest('The form is not valid UTF-8.');
  return body
    .toString('utf8')
    .split('&')
    .filter((pair) => pair !== '');
}

function countField(count: number): void {
  if (count > MAX_FIELDS) throw badRequest(`The form must have at most ${MAX_FIELDS} fields.`);
}

function addPair(form: FormBody, pair: string): number {
  const equals = pair.indexOf('=');
  const name = decodePiece(equals === -1 ? pair : pair.slice(0, equals));
  addText(form, name, equals === -1 ? '' : decodePiece(pair.slice(equals + 1)));
  return pair.length;
}

function decodePiece(piece: string): string {
  try {
    return decodeURIComponent(piece.replaceAll('+', ' '));
  } catch {
    throw badRequest('The form has an invalid percent-encoding.');
  }
}

interface Part {
  head: Buffer;
  content: Buffer;
}

const LINE_END = '\r\n';
const HEAD_END = '\r\n\r\n';
const BLANK = /^[ \t]*$/;

/** A line that begins with the boundary and continues with anything else is rejected, because no client writes one. */
function* splitParts(body: Buffer, boundary: string): Generator<Part> {
  const opening = Buffer.from(`--${boundary}`);
  const delimiter = Buffer.from(`${LINE_END}--${boundary}`);
  const isAtStart = body.subarray(0, opening.length).equals(opening);
  let at = isAtStart ? opening.length : body.indexOf(delimiter) + delimiter.length;
  if (!isAtStart && at < delimiter.length) throw incomplete();
  for (let fields = 1; ; fields++) {
    if (body.toString('latin1', at, at + 2) === '--') return;
    countField(fields);
    const lineEnd = body.indexOf(LINE_END, at);
    if (
      lineEnd === -1 ||
      lineEnd > at + MAX_HEADER_BYTES ||
      !BLANK.test(body.toString('latin1', at, lineEnd))
    )
      throw incomplete();
    const headEnd = body.indexOf(HEAD_END, lineEnd);
    if (headEnd === -1) throw incomplete();
    if (headEnd - lineEnd > MAX_HEADER_BYTES)
      throw badRequest(`The header of a form field must have at most ${MAX_HEADER_BYTES} bytes.`);
    const start = headEnd + HEAD_END.length;
    const end = body.indexOf(delimiter, start);
    if (end === -1) throw incomplete();
    yield { head: body.subarray(lineEnd, headEnd), content: body.subarray(start, end) };
    at = end + delimiter.length;
  }
}

function incomplete(): AppError {
  return badRequest('The form is incomplete: a part has no end, or the boundary does not match.');
}

function addPart(form: FormBody, { head, content }: Part): number {
  const headers = readHead(head);
  const { parameters } = readField(headers.get('content-disposition') ?? '');
  const name = unescapeName(parameters.get('name'));
  if (name === undefined) throw badRequest('Each part of the form must have a name.');
  const contentType = headers.get('content-type');
  const type = contentType === undefined ? null : readField(contentType);
  if (type?.value.startsWith('multipart/'))
    throw badRequest(`${shown(name)} must not be a multipart itself.`);
  const encoding = headers.get('content-transfer-encoding')?.trim().toLowerCase() ?? 'binary';
  if (!['binary', '8bit', '7bit'].includes(encoding))
    throw badRequest(`${shown(name)} must not have a Content-Transfer-Encoding.`);
  const filename = unescapeName(parameters.get('filename'));
  if (filename !== undefined) {
    if (!isStorable(filename) || name.length > MAX_NAME_LENGTH)
      throw badRequest(`${shown(name)} has a filename or name that is not valid.`);
    form.files.push({ name, filename, contentType: contentType?.trim() ?? null, content });
    return 0;
  }
  const charset = type?.parameters.get('charset')?.toLowerCase() ?? 'utf-8';
  if (!['utf-8', 'utf8', 'us-ascii'].includes(charset) || !isUtf8(content))
    throw badRequest(`${shown(name)} must be UTF-8.`);
  if (content.length > MAX_TEXT_BYTES)
    throw new AppError('TOO_LARGE', `${shown(name)} must have at most ${MAX_TEXT_BYTES} bytes.`);
  addText(form, name, content.toString('utf8'));
  return content.length;
}

function readHead(head: Buffer): Map<string, string> {
  if (!isUtf8(head)) throw badRequest('The headers of the form must be UTF-8.');
  const headers = new Map<string, string>();
  // Folded lines are joined.
  for (const line of head
    .toString('utf8')
    .replaceAll(/\r\n[ \t]/g, ' ')
    .split(LINE_END)) {
    const colon = line.indexOf(':');
    if (colon > 0) headers.set(line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1));
  }
  return headers;
}

/** Browsers and fetch escape quotes and line breaks in a name like this. */
function unescapeName(name: string | undefined): string | undefined {
  return name?.replaceAll('%22', '"').replaceAll(/%0D/gi, '\r').replaceAll(/%0A/gi, '\n');
}

function addText(form: FormBody, name: string, value: string): void {
  if (name.length > MAX_NAME_LENGTH || !isStorable(name))
    throw badRequest(`The name of a form field must have at most ${MAX_NAME_LENGTH} characters, and no NUL.`);
  if (!isStorable(value))
    throw badRequest(`${shown(name)} must not contain NUL characters or unpaired surrogates.`);
  form.texts.push({ name, value });
}

function shown(name: string): string {
  return name === '' ? 'A field' : name.slice(0, 100).toWellFormed();
}

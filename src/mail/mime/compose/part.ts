/** Builds the parts of a message (RFC 2045, 2046, 2183) and their parameters (RFC 2231). */
import { OCTETS, typeOfFile } from '../file-types.ts';
import { quote, toOneLine } from '../header-encoding.ts';
import { encodeBase64, encodeText, type EncodedBody } from './transfer-encoding.ts';

export interface Attachment {
  filename: string;
  /** Null to derive the type from the file name. */
  contentType: string | null;
  content: Buffer;
  /** Without angle brackets. A part with a Content-ID is shown inside the HTML that refers to it with `cid:`. */
  contentId: string | null;
}

export interface ComposedPart {
  /** The Content-* fields, each with its line break. */
  header: string;
  body: Buffer[];
}

const CRLF = Buffer.from('\r\n');
const MAX_FILENAME_LENGTH = 255;
const SHORT_PARAMETER = 60;

const TOKEN = "[A-Za-z0-9!#$&^_.+'*-]+";
const MEDIA_TYPE = new RegExp(`^${TOKEN}/${TOKEN}$`);
const PARAMETER = new RegExp(`^(${TOKEN})=(${TOKEN}|"[ !#-\\[\\]-~]*")$`);
const OWN_PARAMETERS = new Set(['name', 'boundary']);

export function textPart(subtype: 'plain' | 'html', text: string): ComposedPart {
  const { encoding, bytes } = encodeText(text);
  const header = `Content-Type: text/${subtype}; charset=utf-8\r\nContent-Transfer-Encoding: ${encoding}\r\n`;
  return { header, body: [bytes] };
}

export function attachmentPart(attachment: Attachment, disposition: 'attachment' | 'inline'): ComposedPart {
  const filename =
    [...toOneLine(attachment.filename)].slice(0, MAX_FILENAME_LENGTH).join('').toWellFormed() || 'attachment';
  const { type, encoded } = encodeAttachment(attachment, filename);
  const contentId = (attachment.contentId ?? '').replaceAll(/[^!-~]|[<>]/g, '');
  const header = [
    `Content-Type: ${type}${formatParameter('name', filename)}\r\n`,
    `Content-Transfer-Encoding: ${encoded.encoding}\r\n`,
    contentId === '' ? '' : `Content-ID: <${contentId.slice(0, 250)}>\r\n`,
    `Content-Disposition: ${disposition}${formatParameter('filename', filename)}\r\n`,
  ].join('');
  return { header, body: [encoded.bytes] };
}

export function multipart(subtype: string, boundary: string, parts: ComposedPart[]): ComposedPart {
  const body: Buffer[] = [];
  for (const part of parts) {
    body.push(Buffer.from(`--${boundary}\r\n${part.header}\r\n`, 'latin1'), ...part.body, CRLF);
  }
  body.push(Buffer.from(`--${boundary}--\r\n`, 'latin1'));
  return { header: `Content-Type: multipart/${subtype};\r\n boundary="${boundary}"\r\n`, body };
}

function encodeAttachment(attachment: Attachment, filename: string): { type: string; encoded: EncodedBody } {
  const type = readContentType(attachment.contentType) ?? typeOfFile(filename);
  const media = type.slice(0, type.indexOf('/')).toLowerCase();
  if (media === 'message' && isPlainLines(attachment.content)) {
    return { type, encoded: { encoding: '7bit', bytes: attachment.content } };
  }
  // RFC 2045 section 6.4 forbids base64 for composite types, so they are sent as application/octet-stream.
  const isComposite = media === 'message' || media === 'multipart';
  return {
    type: isComposite ? OCTETS : type,
    encoded: { encoding: 'base64', bytes: encodeBase64(attachment.content) },
  };
}

/**
 * Returns `type/subtype` with the valid parameters, except those that we set ourselves, or null for an invalid type.
 */
function readContentType(text: string | null): string | null {
  const [media = '', ...parameters] = toOneLine(text ?? '').split(';');
  if (media.length > 127 || !MEDIA_TYPE.test(media.trim())) return null;
  let type = media.trim();
  for (const parameter of parameters.slice(0, 10)) {
    const match = PARAMETER.exec(parameter.trim());
    if (!match || match[0].length > SHORT_PARAMETER || OWN_PARAMETERS.has(match[1]!.toLowerCase())) continue;
    type += `;\r\n ${match[0]}`;
  }
  return type;
}

/**
 * Encodes a parameter as percent-encoded UTF-8, in numbered pieces if it does not fit on a line (RFC 2231). Text that
 * looks like an encoded word is encoded too, because many email apps decode encoded words inside quotes.
 */
export function formatParameter(name: string, value: string): string {
  if (value.length <= SHORT_PARAMETER && !/[^ -~]|=\?/.test(value)) return `;\r\n ${name}=${quote(value)}`;
  const pieces: string[] = [];
  let piece = "UTF-8''";
  for (const character of value) {
    const encoded = encodeURIComponent(character).replaceAll(/['()*]/g, percentEncode);
    if (piece.length + encoded.length > SHORT_PARAMETER) {
      pieces.push(piece);
      piece = '';
    }
    piece += encoded;
  }
  pieces.push(piece);
  if (pieces.length === 1) return `;\r\n ${name}*=${pieces[0]}`;
  return pieces.map((part, index) => `;\r\n ${name}*${index}*=${part}`).join('');
}

function percentEncode(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

/** True when the content needs no encoding (RFC 5322 section 2.1.1): ASCII, CRLF only, no line over 998. */
function isPlainLines(content: Buffer): boolean {
  let lineStart = 0;
  for (let at = 0; at < content.length; at += 1) {
    const byte = content[at]!;
    if (byte === 0 || byte > 0x7f || at - lineStart > 998) return false;
    if (byte === 0x0d && content[at + 1] !== 0x0a) return false;
    if (byte === 0x0a) {
      if (content[at - 1] !== 0x0d) return false;
      lineStart = at + 1;
    }
  }
  return true;
}

/**
 * Encodes the header fields of the parts of a submitted message (encode-field.ts). An attached message keeps its bytes,
 * and so do the parts of multipart/signed, because any change breaks their signature (RFC 1847 section 2.1).
 */
import { isAscii } from 'node:buffer';
import { editBytes, type Edit } from './edit-bytes.ts';
import { encodeField } from './encode-field.ts';
import { parseMimeTree, type MimePart } from '../parse/mime-tree.ts';

/** Expects CRLF line ends. Changes only the parts of the message, not its own header section. */
export function encodePartFields(raw: Buffer): Buffer {
  return isAscii(raw) ? raw : editBytes(raw, editsOfParts(raw, parseMimeTree(raw)));
}

function editsOfParts(raw: Buffer, { children, subtype }: MimePart): Edit[] {
  if (subtype === 'signed') return [];
  return children.flatMap((part) => {
    const bytes = raw.subarray(part.start, part.end);
    if (isAscii(bytes)) return [];
    const fields = part.headers.map((header) => ({
      start: part.start + header.start,
      end: part.start + header.end,
      bytes: encodeField(bytes, header),
    }));
    return [...fields, ...editsOfParts(raw, part)];
  });
}

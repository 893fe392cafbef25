/**
 * Encodes the header fields of the parts of a submitted message (encode-field.ts). An attached message keeps its bytes,
 * and so do the parts of multipart/signed, because any change breaks their signature (RFC 1847 section 2.1).
 */
import { isAscii } from 'node:buffer';
import { encodeField } from './encode-field.ts';
import { readField } from '../parse/fields.ts';
import { findHeader, readHeaders } from '../parse/raw-headers.ts';
import { splitParts } from '../parse/split-parts.ts';

const MAX_DEPTH = 20;

/** Expects CRLF line ends. Changes only the parts of `entity`, not its own header section. */
export function encodePartFields(entity: Buffer, depth = 0): Buffer {
  if (depth > MAX_DEPTH || isAscii(entity)) return entity;
  const section = readHeaders(entity);
  if (!section) return entity;
  const type = readField(findHeader(section, 'content-type')?.value ?? '');
  if (!type.value.startsWith('multipart/') || type.value === 'multipart/signed') return entity;
  const pieces = splitParts(entity.subarray(section.bodyStart), type.parameters.get('boundary') ?? '');
  return Buffer.concat([
    entity.subarray(0, section.bodyStart),
    ...pieces.map(({ isPart, bytes }) => (isPart ? encodePart(bytes, depth + 1) : bytes)),
  ]);
}

function encodePart(part: Buffer, depth: number): Buffer {
  if (isAscii(part)) return part;
  const section = readHeaders(part);
  if (!section) return part;
  const fields = section.headers.map((header) => encodeField(part, header));
  return encodePartFields(Buffer.concat([...fields, part.subarray(section.headersEnd)]), depth);
}

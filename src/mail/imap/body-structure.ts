/** Writes BODY and BODYSTRUCTURE (RFC 9051 section 7.5.2). */
import type { LineCounter } from './count-lines.ts';
import { writeEnvelope } from './envelope.ts';
import { readParams, type MimePart } from '../mime/parse/mime-tree.ts';
import { valueOf } from '../mime/parse/raw-headers.ts';
import { toBytes, writeNstring, writeString } from './write-values.ts';

const NO_ENVELOPE = writeEnvelope({ headers: [] });
const NO_STRUCTURE = '("TEXT" "PLAIN" NIL NIL NIL "7BIT" 0 0)';

/** BODY omits the extension data. */
export function writeBodyStructure(countLines: LineCounter, part: MimePart, isExtended: boolean): string {
  if (part.children.length > 0) {
    const children = part.children.map((child) => writeBodyStructure(countLines, child, isExtended)).join('');
    const extension = isExtended ? ` ${writeParams(part.params)} ${writeExtension(part)}` : '';
    return `(${children} ${upper(part.subtype)}${extension})`;
  }
  const values = [
    upper(part.type),
    upper(part.subtype),
    writeParams(part.params),
    writeField(part, 'content-id'),
    writeField(part, 'content-description'),
    upper(part.encoding),
    String(part.end - part.bodyStart),
  ];
  if (part.message) {
    values.push(writeEnvelope(part.message), writeBodyStructure(countLines, part.message, isExtended));
    values.push(String(countLines(part.bodyStart, part.end)));
  } else if (part.type === 'message' && (part.subtype === 'rfc822' || part.subtype === 'global')) {
    // It is encoded or too deep, so that nothing in it is known. The grammar demands an envelope and a structure.
    values.push(NO_ENVELOPE, NO_STRUCTURE, String(countLines(part.bodyStart, part.end)));
  } else if (part.type === 'text') values.push(String(countLines(part.bodyStart, part.end)));
  if (isExtended) values.push(writeField(part, 'content-md5'), writeExtension(part));
  return `(${values.join(' ')})`;
}

/** Disposition, language and location. */
function writeExtension(part: MimePart): string {
  const disposition = valueOf(part, 'content-disposition');
  const kind = /^[^\s;]+/.exec(disposition ?? '')?.[0];
  const shown = kind === undefined ? 'NIL' : `(${upper(kind)} ${writeParams(readParams(disposition!))})`;
  const languages = (valueOf(part, 'content-language') ?? '')
    .split(',')
    .flatMap((language) => language.trim() || []);
  const language =
    languages.length === 0 ? 'NIL' : `(${languages.map((tag) => writeString(toBytes(tag))).join(' ')})`;
  return `${shown} ${language} ${writeField(part, 'content-location')}`;
}

function writeParams(params: [string, string][]): string {
  if (params.length === 0) return 'NIL';
  return `(${params.map(([name, value]) => `${upper(name)} ${writeString(toBytes(value))}`).join(' ')})`;
}

function upper(text: string): string {
  return writeString(toBytes(text.toUpperCase()));
}

function writeField(part: MimePart, name: string): string {
  const value = valueOf(part, name);
  return writeNstring(value === null ? null : toBytes(value));
}

/** Writes BODY and BODYSTRUCTURE (RFC 9051 section 7.5.2). */
import type { LineCounter } from './count-lines.ts';
import { writeEnvelope } from './envelope.ts';
import { fieldOf, readParams, type MimePart } from '../mime/parse/mime-tree.ts';
import { writeNstring, writeString } from './write-values.ts';

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
    writeNstring(fieldOf(part.fields, 'content-id')),
    writeNstring(fieldOf(part.fields, 'content-description')),
    upper(part.encoding),
    String(part.end - part.bodyStart),
  ];
  if (part.message) {
    values.push(writeEnvelope(part.message.fields), writeBodyStructure(countLines, part.message, isExtended));
    values.push(String(countLines(part.bodyStart, part.end)));
  } else if (part.type === 'text') values.push(String(countLines(part.bodyStart, part.end)));
  if (isExtended) values.push(writeNstring(fieldOf(part.fields, 'content-md5')), writeExtension(part));
  return `(${values.join(' ')})`;
}

/** Disposition, language and location. */
function writeExtension({ fields }: MimePart): string {
  const disposition = fieldOf(fields, 'content-disposition');
  const kind = /^[^\s;]+/.exec(disposition ?? '')?.[0];
  const shown = kind === undefined ? 'NIL' : `(${upper(kind)} ${writeParams(readParams(disposition!))})`;
  const languages = (fieldOf(fields, 'content-language') ?? '')
    .split(',')
    .flatMap((language) => language.trim() || []);
  const language = languages.length === 0 ? 'NIL' : `(${languages.map(writeString).join(' ')})`;
  return `${shown} ${language} ${writeNstring(fieldOf(fields, 'content-location'))}`;
}

function writeParams(params: [string, string][]): string {
  if (params.length === 0) return 'NIL';
  return `(${params.map(([name, value]) => `${writeString(name.toUpperCase())} ${writeString(value)}`).join(' ')})`;
}

function upper(text: string): string {
  return writeString(text.toUpperCase());
}

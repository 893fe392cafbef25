/** Reads the first lines of a CSV file in the browser, to show the columns before the upload. */
import { SAMPLE_ROWS } from '../../../src/features/audience/contacts/imports/column-names.ts';

export interface CsvHead {
  columns: string[];
  /** The first rows, which show what the columns contain. */
  rows: string[][];
}

const HEAD_BYTES = 64 * 1024;

export async function readHead(file: Blob): Promise<CsvHead | null> {
  // The server also skips blank lines before the header.
  const text = (await file.slice(0, HEAD_BYTES).text()).replace(/^\uFEFF?[\r\n]*/, '');
  const header = text.slice(0, (text.search(/[\r\n]/) + 1 || text.length + 1) - 1);
  const separator = separatorOf(header);
  const [columns, ...rows] = readRecords(text, separator, SAMPLE_ROWS + 1);
  const named = columns?.map((name) => name.trim()) ?? [];
  if (named.every((name) => name === '') || text.includes('\0')) return null;
  return { columns: named, rows };
}

/** The separator that the header contains most often (comma, semicolon or tab), as on the server. */
function separatorOf(header: string): string {
  const counts = [',', ';', '\t'].map((each) => [header.split(each).length, each] as const);
  return counts.reduce((best, each) => (each[0] > best[0] ? each : best))[1];
}

/** RFC 4180: fields can be quoted, and quotes inside them are doubled. */
function readRecords(text: string, separator: string, count: number): string[][] {
  const records: string[][] = [];
  let record: string[] = [];
  let field = '';
  let quoted = false;
  for (let at = 0; at < text.length && records.length < count; at++) {
    const character = text[at]!;
    if (quoted) {
      if (character !== '"') field += character;
      else if (text[at + 1] === '"') field += text[at++];
      else quoted = false;
    } else if (character === '"' && field === '') quoted = true;
    else if (character === separator) {
      record.push(field);
      field = '';
    } else if (character === '\n' || character === '\r') {
      if (character === '\r' && text[at + 1] === '\n') at += 1;
      records.push([...record, field]);
      record = [];
      field = '';
    } else field += character;
  }
  if (records.length < count && (field !== '' || record.length > 0)) records.push([...record, field]);
  return records;
}

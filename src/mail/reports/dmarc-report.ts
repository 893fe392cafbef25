/**
 * Reads an aggregate report of DMARC, as in RFC 7489 appendix C and RFC 9990 section 3, in pieces. Input comes from
 * strangers: document types are rejected, elements that are not known are ignored, and depth, texts and rows are
 * limited. Equal rows are added up.
 */
import { SaxesParser } from 'saxes';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { toStorable } from '../../platform/storable-text.ts';
import { ReportProblem } from './report-problem.ts';
import {
  packRow,
  toDmarcReport,
  toRow,
  unpackRow,
  type DmarcReport,
  type ReportRow,
  type XmlElement,
} from './dmarc-report-values.ts';

const MAX_ROWS = 200_000;
/** The bytes of all different rows together. */
const MAX_ROW_BYTES = 40_000_000;
const MAX_DEPTH = 30;
const MAX_TEXT = 500;
/** Repeated elements of one row, such as signatures. */
const MAX_REPEATED = 10;
/** No element, comment or attribute of a report is longer. */
const MAX_SILENCE = 1_000_000;

export interface ReadReport {
  report: DmarcReport;
  /** Each row once, with its number of messages. */
  rows: { row: ReportRow; messages: number }[];
}

/** Counts are added up only as far as the column of the database reaches. */
const MAX_COUNT = 2_000_000_000;

/** Some reporters put `<xs:schema>` around the report, and forget to close it. */
const WRAPPER = 'schema';

function plainName(tag: string): string {
  return tag.slice(tag.lastIndexOf(':') + 1).toLowerCase();
}

class DmarcReader {
  readonly root: XmlElement = { text: '', children: new Map() };
  events = 0;
  private path: { name: string; element: XmlElement }[] = [];
  private rows = new Map<string, number>();
  private rowCount = 0;
  private rowBytes = 0;

  open(tag: string): void {
    this.events += 1;
    const name = plainName(tag);
    if (this.path.length === 0 && name === WRAPPER) return;
    if (this.path.length === 0 && name !== 'feedback') throw new ReportProblem('This is no DMARC report.');
    if (this.path.length >= MAX_DEPTH)
      throw new ReportProblem('The elements of the report are nested too deep.');
    this.path.push({ name, element: { text: '', children: new Map() } });
  }

  append(text: string): void {
    this.events += 1;
    const last = this.path.at(-1);
    if (last && last.element.text.length < MAX_TEXT)
      last.element.text = (last.element.text + text.trim()).slice(0, MAX_TEXT);
  }

  close(): void {
    this.events += 1;
    const last = this.path.pop();
    // The wrapper ends.
    if (!last) return;
    const { name, element } = last;
    element.text = toStorable(element.text);
    if (this.path.length === 1 && name === 'record') return this.addRow(element);
    const parent = this.path.at(-1)?.element ?? this.root;
    const same = parent.children.get(name);
    if (!same) parent.children.set(name, [element]);
    else if (same.length < MAX_REPEATED) same.push(element);
  }

  private addRow(record: XmlElement): void {
    this.rowCount += 1;
    if (this.rowCount > MAX_ROWS) throw new ReportProblem(`The report has more than ${MAX_ROWS} rows.`);
    const { row, messages } = toRow(record);
    const key = packRow(row);
    const known = this.rows.get(key);
    if (known === undefined) this.rowBytes += key.length;
    if (this.rowBytes > MAX_ROW_BYTES) throw new ReportProblem('The rows of the report are too large.');
    this.rows.set(key, Math.min((known ?? 0) + messages, MAX_COUNT));
  }

  take(): ReadReport {
    const feedback = this.root.children.get('feedback')?.[0];
    if (!feedback) throw new ReportProblem('The report is not complete.');
    const report = toDmarcReport(feedback);
    return { report, rows: [...this.rows].map(([key, messages]) => ({ row: unpackRow(key), messages })) };
  }
}

export async function readDmarcReport(pieces: AsyncIterable<Buffer>): Promise<ReadReport> {
  const reader = new DmarcReader();
  const parser = createParser(reader);
  const decoder = new TextDecoder();
  let silence = 0;
  for await (const piece of pieces) {
    const before = reader.events;
    parser.write(decoder.decode(piece, { stream: true }));
    silence = reader.events === before ? silence + piece.length : 0;
    if (silence > MAX_SILENCE) throw new ReportProblem('An element of the report is too long.');
    await nextTurn();
  }
  parser.write(decoder.decode()).close();
  return reader.take();
}

function createParser(reader: DmarcReader): SaxesParser<{ xmlns: false; position: false }> {
  // Namespaces are not looked at: both versions of the schema, and reports without one, have the same names.
  const parser = new SaxesParser({ xmlns: false, position: false });
  parser.on('doctype', () => {
    throw new ReportProblem('The report has a document type, which reports do not need.');
  });
  parser.on('error', (error) => {
    // An entity that is not known stays as it is written. Names of organisations have a bare & now and then.
    if (/entity/i.test(error.message)) return;
    if (error.message.startsWith('unclosed tag') && plainName(error.message) === WRAPPER) return;
    throw new ReportProblem('The XML of the report is not well-formed.');
  });
  parser.on('opentag', (tag) => reader.open(tag.name));
  parser.on('text', (text) => reader.append(text));
  parser.on('cdata', (text) => reader.append(text));
  parser.on('closetag', () => reader.close());
  return parser;
}

/** Finds the report in a zip file (APPNOTE.TXT 6.3). Only one file is read, without ZIP64 and encryption. */
import { ReportProblem } from './report-problem.ts';

interface PackedFile {
  content: Buffer;
  /** Not compressed. */
  isStored: boolean;
}

const END_SIGNATURE = 0x06054b50;
const END_BYTES = 22;
const MAX_COMMENT = 65_535;
const CENTRAL_SIGNATURE = 0x02014b50;
const CENTRAL_BYTES = 46;
const LOCAL_SIGNATURE = 0x04034b50;
const LOCAL_BYTES = 30;
const ENCRYPTED = 1;
const STORED = 0;
const DEFLATED = 8;
/** An archive of a report has one file, and sometimes folders or a text beside it. */
const MAX_ENTRIES = 20;
const REPORT_NAME = /\.(?:xml|json)$/i;

export function findZipEntry(zip: Buffer): PackedFile {
  const entries = listEntries(zip);
  const files = entries.filter(({ name }) => !name.endsWith('/'));
  const entry = files.find(({ name }) => REPORT_NAME.test(name)) ?? files[0];
  if (!entry) throw new ReportProblem('The zip file has no report.');
  if (entry.flags & ENCRYPTED) throw new ReportProblem('The zip file is encrypted.');
  if (entry.method !== STORED && entry.method !== DEFLATED)
    throw new ReportProblem('The zip file uses a compression that is not known.');
  const { offset, size } = entry;
  if (offset + LOCAL_BYTES > zip.length || zip.readUInt32LE(offset) !== LOCAL_SIGNATURE) throw damaged();
  const start = offset + LOCAL_BYTES + zip.readUInt16LE(offset + 26) + zip.readUInt16LE(offset + 28);
  if (start + size > zip.length) throw damaged();
  return { content: zip.subarray(start, start + size), isStored: entry.method === STORED };
}

function listEntries(zip: Buffer) {
  const end = findEnd(zip);
  const count = zip.readUInt16LE(end + 10);
  if (count > MAX_ENTRIES) throw new ReportProblem('The zip file has more than one report.');
  const entries: { name: string; flags: number; method: number; size: number; offset: number }[] = [];
  let at = zip.readUInt32LE(end + 16);
  for (let no = 0; no < count; no += 1) {
    if (at + CENTRAL_BYTES > zip.length || zip.readUInt32LE(at) !== CENTRAL_SIGNATURE) throw damaged();
    const nameBytes = zip.readUInt16LE(at + 28);
    const nameAt = at + CENTRAL_BYTES;
    entries.push({
      name: zip.subarray(nameAt, nameAt + nameBytes).toString('latin1'),
      flags: zip.readUInt16LE(at + 8),
      method: zip.readUInt16LE(at + 10),
      size: zip.readUInt32LE(at + 20),
      offset: zip.readUInt32LE(at + 42),
    });
    at = nameAt + nameBytes + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32);
  }
  return entries;
}

function findEnd(zip: Buffer): number {
  const last = zip.length - END_BYTES;
  for (let at = last; at >= Math.max(0, last - MAX_COMMENT); at -= 1)
    if (zip.readUInt32LE(at) === END_SIGNATURE) return at;
  throw damaged();
}

function damaged(): ReportProblem {
  return new ReportProblem('The zip file is damaged or not complete.');
}

/** Finds the report in a zip file. Only one file is read, without ZIP64 and encryption. */
import {
  contentOffset,
  DEFLATED,
  findDirectory,
  LOCAL_HEADER_BYTES,
  readDirectory,
  STORED,
  type ZipEntry,
} from '../../platform/zip-directory.ts';
import { ReportProblem } from './report-problem.ts';

interface PackedFile {
  content: Buffer;
  /** Not compressed. */
  isStored: boolean;
}

/** An archive of a report has one file, and sometimes folders or a text beside it. */
const MAX_ENTRIES = 20;
const REPORT_NAME = /\.(?:xml|json)$/i;

export function findZipEntry(zip: Buffer): PackedFile {
  const entries = listEntries(zip);
  const files = entries.filter(({ name }) => !name.endsWith('/'));
  const entry = files.find(({ name }) => REPORT_NAME.test(name)) ?? files[0];
  if (!entry) throw new ReportProblem('The zip file has no report.');
  if (entry.isEncrypted) throw new ReportProblem('The zip file is encrypted.');
  if (entry.method !== STORED && entry.method !== DEFLATED)
    throw new ReportProblem('The zip file uses a compression that is not known.');
  const { headerStart, packedSize } = entry;
  const offset = contentOffset(zip.subarray(headerStart, headerStart + LOCAL_HEADER_BYTES));
  if (offset === null) throw damaged();
  const start = headerStart + offset;
  if (start + packedSize > zip.length) throw damaged();
  return { content: zip.subarray(start, start + packedSize), isStored: entry.method === STORED };
}

function listEntries(zip: Buffer): ZipEntry[] {
  const directory = findDirectory(zip);
  if (!directory) throw damaged();
  if (directory.count > MAX_ENTRIES) throw new ReportProblem('The zip file has more than one report.');
  const entries = readDirectory(zip.subarray(directory.start), directory.count);
  if (!entries) throw damaged();
  return entries;
}

function damaged(): ReportProblem {
  return new ReportProblem('The zip file is damaged or not complete.');
}

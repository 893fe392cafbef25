/**
 * The format of a backup file: a gzip stream of frames. A frame is one byte for its kind, the length of its body in four
 * bytes (big-endian), and the body.
 *
 *   H                 header (JSON): versions, migrations, sequences, partitions and the instance secret
 *   S D* E            section: a description (JSON), the data in pieces, the number of rows and bytes (JSON)
 *   S D* E  …         one for each table; older versions wrote the waiting jobs last
 *   Z                 end (JSON): the SHA-256 of all bytes before it. A file without it is truncated.
 *
 * Rows are in PostgreSQL's COPY text format, which every version since 15 reads. Writing and reading are streamed.
 */
import type { Hash } from 'node:crypto';
import type { AppliedMigration } from '../database/migrations.ts';

export const FORMAT = 1;

/** Data pieces have 64 KB; only a header with very many partitions is larger. */
export const MAX_BODY_BYTES = 16 * 1024 * 1024;
export const FRAME_HEAD_BYTES = 5;

export type FrameKind = 'H' | 'S' | 'D' | 'E' | 'Z';

export interface Header {
  format: number;
  posthorn: string;
  postgres: string;
  createdAt: string;
  migrations: AppliedMigration[];
  /** The next value of each sequence, as text because it may exceed a JavaScript number. */
  sequences: { name: string; next: string }[];
  /** Partitions are created at run time and not by migrations. */
  partitions: { name: string; of: string; bound: string }[];
  /** The instance secret in hexadecimal. Encrypted columns cannot be decrypted without it. */
  secret: string;
}

export type BackupSection =
  | { kind: 'table'; name: string; columns: string[] }
  | { kind: 'jobs'; columns: string[] }
  | { kind: 'crontabs'; columns: string[] };

export interface SectionEnd {
  rows: number;
  bytes: number;
}

export interface Closing {
  sha256: string;
}

/** A summary of a whole file. */
export interface Contents {
  /** The names of the tables. */
  tables: string[];
  rows: number;
  jobs: number;
}

export function emptyContents(): Contents {
  return { tables: [], rows: 0, jobs: 0 };
}

export function addToContents(contents: Contents, section: BackupSection, { rows }: SectionEnd): void {
  if (section.kind === 'jobs') contents.jobs += rows;
  else if (section.kind === 'table') {
    contents.tables.push(section.name);
    contents.rows += rows;
    if (section.name === 'jobs') contents.jobs += rows;
  }
}

export function encodeFrame(kind: FrameKind, body: Buffer): Buffer {
  const head = Buffer.alloc(FRAME_HEAD_BYTES);
  head.write(kind, 'latin1');
  head.writeUInt32BE(body.length, 1);
  return Buffer.concat([head, body]);
}

export function encodeJson(kind: FrameKind, value: Header | BackupSection | SectionEnd | Closing): Buffer {
  return encodeFrame(kind, Buffer.from(JSON.stringify(value)));
}

/** Passes the frames on and appends a frame with the checksum of all of them. */
export async function* closeFrames(frames: AsyncIterable<Buffer>, hash: Hash): AsyncGenerator<Buffer> {
  for await (const frame of frames) {
    hash.update(frame);
    yield frame;
  }
  yield encodeJson('Z', { sha256: hash.digest('hex') });
}

/** In COPY's text format a line break always ends a row, because line breaks in the data are escaped as \n. */
export function countRows(chunk: Buffer): number {
  let rows = 0;
  for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) rows += 1;
  return rows;
}

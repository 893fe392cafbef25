/**
 * The file of a backup: a gzip stream of frames, each of one byte for its kind, four for the length of its body
 * (big-endian), and the body.
 *
 *   H                 header, JSON: what made it, the migrations, sequences and partitions, the instance secret
 *   S D* E            a section: what it holds (JSON), its bytes in pieces, how many rows and bytes those were (JSON)
 *   S D* E  …         tables first, then the jobs that wait
 *   Z                 closing, JSON: the SHA-256 of every byte before it. A file without it was cut off.
 *
 * Rows are in PostgreSQL's COPY text format, which every version since 15 reads alike. No part is ever held in
 * memory whole, on either side.
 */
import type { Hash } from 'node:crypto';
import type { AppliedMigration } from '../migrations.ts';

export const FORMAT = 1;

/** Pieces are of 64 KB; only a header with a great many partitions is larger. */
export const MAX_BODY_BYTES = 16 * 1024 * 1024;
export const FRAME_HEAD_BYTES = 5;

export type FrameKind = 'H' | 'S' | 'D' | 'E' | 'Z';

export interface Header {
  format: number;
  posthorn: string;
  postgres: string;
  createdAt: string;
  migrations: AppliedMigration[];
  /** Of graphile-worker's own. Jobs are kept in a form of ours; this is for whoever must explain an old file. */
  jobsMigration: number | null;
  /** The number that each gives next, as text: it may pass what a JavaScript number holds. */
  sequences: { name: string; next: string }[];
  /** Made while running, by no migration. */
  partitions: { name: string; of: string; bound: string }[];
  /** The instance secret, in hexadecimal: without it what is sealed in the tables stays shut. */
  secret: string;
}

export type Section =
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

/** What a whole file holds. */
export interface Contents {
  /** Their names. */
  tables: string[];
  rows: number;
  jobs: number;
}

export function emptyContents(): Contents {
  return { tables: [], rows: 0, jobs: 0 };
}

export function addToContents(contents: Contents, section: Section, { rows }: SectionEnd): void {
  if (section.kind === 'jobs') contents.jobs += rows;
  else if (section.kind === 'table') {
    contents.tables.push(section.name);
    contents.rows += rows;
  }
}

export function encodeFrame(kind: FrameKind, body: Buffer): Buffer {
  const head = Buffer.alloc(FRAME_HEAD_BYTES);
  head.write(kind, 'latin1');
  head.writeUInt32BE(body.length, 1);
  return Buffer.concat([head, body]);
}

export function encodeJson(kind: FrameKind, value: Header | Section | SectionEnd | Closing): Buffer {
  return encodeFrame(kind, Buffer.from(JSON.stringify(value)));
}

/** Passes frames on, and closes them with the checksum over all of them. */
export async function* closeFrames(frames: AsyncIterable<Buffer>, hash: Hash): AsyncGenerator<Buffer> {
  for await (const frame of frames) {
    hash.update(frame);
    yield frame;
  }
  yield encodeJson('Z', { sha256: hash.digest('hex') });
}

/** In COPY's text format a line break ends a row and is nowhere else: those in the data are written as \n. */
export function countRows(chunk: Buffer): number {
  let rows = 0;
  for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) rows += 1;
  return rows;
}

/** Reads and verifies a backup file. If reading ends without an error, the file is complete and unchanged. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import {
  addToContents,
  countRows,
  emptyContents,
  FORMAT,
  FRAME_HEAD_BYTES,
  MAX_BODY_BYTES,
  type Closing,
  type Contents,
  type Header,
  type BackupSection,
  type SectionEnd,
} from './format.ts';

export interface Backup {
  header: Header;
  contents: Contents;
  sha256: string;
}

/** Called for each section in the order of the file. It must read all pieces. */
export type OnSection = (section: BackupSection, pieces: AsyncGenerator<Buffer>) => Promise<void>;

const BROKEN = 'is damaged or is not a Posthorn backup';
const CUT_OFF = 'is incomplete: its end is missing';

/** A problem with the file. The caller adds the file's name to the message. */
class FileFault extends Error {}

/** Without `onSection` the file is only verified. */
export async function readBackupFile(file: string, onSection: OnSection = readThrough): Promise<Backup> {
  let backup: Backup | undefined;
  try {
    await pipeline(createReadStream(file), createGunzip({ chunkSize: 64 * 1024 }), async (bytes) => {
      backup = await readSections(new FrameReader(bytes), onSection);
    });
  } catch (error) {
    throw describeFault(file, error);
  }
  return backup!;
}

async function readSections(frames: FrameReader, onSection: OnSection): Promise<Backup> {
  const header = parse(await frames.next('H')) as Header;
  if (header.format !== FORMAT) {
    throw new FileFault(
      `has the format ${header.format}, but this version of Posthorn reads format ${FORMAT}. Install Posthorn ${header.posthorn}, which made the file`,
    );
  }
  const contents = emptyContents();
  for (;;) {
    const sha256 = frames.digest();
    const frame = await frames.next('S', 'Z');
    if (frame.kind === 'Z') {
      if ((parse(frame) as Closing).sha256 !== sha256) throw new FileFault(BROKEN);
      await frames.end();
      return { header, contents, sha256 };
    }
    const section = parse(frame) as BackupSection;
    const counted: SectionEnd = { rows: 0, bytes: 0 };
    await onSection(section, readPieces(frames, counted));
    addToContents(contents, section, counted);
  }
}

async function* readPieces(frames: FrameReader, counted: SectionEnd): AsyncGenerator<Buffer> {
  for (;;) {
    const frame = await frames.next('D', 'E');
    if (frame.kind === 'E') {
      const { rows, bytes } = parse(frame) as SectionEnd;
      if (rows !== counted.rows || bytes !== counted.bytes) throw new FileFault(BROKEN);
      return;
    }
    counted.rows += countRows(frame.body);
    counted.bytes += frame.body.length;
    yield frame.body;
  }
}

async function readThrough(_section: BackupSection, pieces: AsyncGenerator<Buffer>): Promise<void> {
  for await (const _piece of pieces);
}

interface Frame {
  kind: string;
  body: Buffer;
}

/** Splits a stream of bytes into frames. */
class FrameReader {
  readonly #chunks: AsyncIterator<Buffer>;
  readonly #hash = createHash('sha256');
  #rest: Buffer = Buffer.alloc(0);

  constructor(bytes: AsyncIterable<Buffer>) {
    this.#chunks = bytes[Symbol.asyncIterator]();
  }

  async next(...expected: string[]): Promise<Frame> {
    const head = await this.#take(FRAME_HEAD_BYTES);
    const kind = head.toString('latin1', 0, 1);
    const length = head.readUInt32BE(1);
    if (!expected.includes(kind) || length > MAX_BODY_BYTES) throw new FileFault(BROKEN);
    const body = await this.#take(length);
    this.#hash.update(head).update(body);
    return { kind, body };
  }

  /** Returns the SHA-256 of all frames read so far. */
  digest(): string {
    return this.#hash.copy().digest('hex');
  }

  /** Reading to the end makes gzip verify its own checksum too. */
  async end(): Promise<void> {
    const { done } = await this.#chunks.next();
    if (!done || this.#rest.length > 0) throw new FileFault(BROKEN);
  }

  async #take(length: number): Promise<Buffer> {
    const parts = [this.#rest];
    let have = this.#rest.length;
    while (have < length) {
      const { done, value } = await this.#chunks.next();
      if (done) throw new FileFault(CUT_OFF);
      parts.push(value);
      have += value.length;
    }
    const all = parts.length === 1 ? parts[0]! : Buffer.concat(parts);
    this.#rest = all.subarray(length);
    return all.subarray(0, length);
  }
}

function parse({ body }: Frame): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    throw new FileFault(BROKEN);
  }
}

function describeFault(file: string, error: unknown): unknown {
  if (error instanceof FileFault) return new Error(`${file} ${error.message}.`);
  const { code, path } = error as { code?: unknown; path?: unknown };
  if (code === 'Z_BUF_ERROR') return new Error(`${file} ${CUT_OFF}.`);
  if (typeof code === 'string' && code.startsWith('Z_')) {
    return new Error(`${file} ${BROKEN}.`, { cause: error });
  }
  if (code === 'ENOENT' && path === file) return new Error(`The file ${file} does not exist.`);
  return error;
}

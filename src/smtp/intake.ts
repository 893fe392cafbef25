/** Reading what comes after DATA into memory, with limits for one message and for all of them together. */
import type { SMTPServerDataStream } from 'smtp-server';
import { AppError } from '../platform/errors.ts';
import { reply } from './error-reply.ts';

/** Who sends byte by byte makes pieces of one byte: kept alone each takes forty times its length. */
const PIECES_OF_BLOCK = 1_000;

/** The client went away before the dot: nothing was received and there is nobody to tell. */
export class ClientGone extends Error {}

export interface Intake {
  /** The whole message; throws where it is too large, or there is no room for more right now. */
  readWhole(stream: SMTPServerDataStream): Promise<Buffer>;
  /** The same, and it counts as held until the work on it is done. */
  holdWhole<Result>(stream: SMTPServerDataStream, work: (raw: Buffer) => Promise<Result>): Promise<Result>;
  /** Only its beginning is kept. */
  readStart(stream: SMTPServerDataStream): Promise<Buffer>;
}

/** Who has been sending for so long makes room where there is none: nobody holds it by sending a byte now and then. */
const SLOW_MS = 60_000;

interface Reading {
  sinceMs: number;
  drop(): void;
}

export function createIntake(
  limits: { messageBytes: number; totalBytes: number },
  now: () => number = Date.now,
): Intake {
  let held = 0;
  /** The one that began first is the first. */
  const readings = new Set<Reading>();

  function makeRoom(bytes: number): boolean {
    for (const reading of readings) {
      if (held + bytes <= limits.totalBytes || now() - reading.sinceMs < SLOW_MS) break;
      reading.drop();
    }
    return held + bytes <= limits.totalBytes;
  }

  /** Reads to the end whatever happens, because the client hears the answer only after its dot. */
  async function read<Result>(
    stream: SMTPServerDataStream,
    work: (start: Buffer, isWhole: boolean) => Promise<Result> | Result,
  ): Promise<Result> {
    let blocks: Buffer[] = [];
    let pieces: Buffer[] = [];
    let size = 0;
    let kept = 0;
    let isFull = false;
    const reading = {
      sinceMs: now(),
      // It will be refused: what it has taken so far is room for the others.
      drop() {
        isFull = true;
        held -= kept;
        kept = 0;
        blocks = [];
        pieces = [];
      },
    };
    readings.add(reading);
    try {
      try {
        for await (const chunk of stream as AsyncIterable<Buffer>) {
          size += chunk.length;
          const part = chunk.subarray(0, Math.max(0, limits.messageBytes - kept));
          if (!isFull && !makeRoom(part.length)) reading.drop();
          if (isFull || part.length === 0) continue;
          pieces.push(part);
          if (pieces.length === PIECES_OF_BLOCK) blocks.push(Buffer.concat(pieces.splice(0)));
          kept += part.length;
          held += part.length;
        }
      } catch (error) {
        throw new ClientGone('The connection ended before the message did.', { cause: error });
      } finally {
        readings.delete(reading);
      }
      if (isFull) throw reply('452 4.3.1', 'Too much mail is coming in right now. Try again later');
      const start = Buffer.concat([...blocks, ...pieces]);
      blocks = [];
      pieces = [];
      return await work(start, size === kept);
    } finally {
      held -= kept;
    }
  }

  function refuseTooLarge(isWhole: boolean): void {
    if (!isWhole) throw new AppError('TOO_LARGE', `A message can have ${limits.messageBytes} bytes at most.`);
  }

  return {
    readWhole: (stream) =>
      read(stream, (raw, isWhole) => {
        refuseTooLarge(isWhole);
        return raw;
      }),
    holdWhole: (stream, work) =>
      read(stream, (raw, isWhole) => {
        refuseTooLarge(isWhole);
        return work(raw);
      }),
    readStart: (stream) => read(stream, (start) => start),
  };
}

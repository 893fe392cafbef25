/** Reads the data of messages into memory, within the limit for one message and the memory budget of the process. */
import type { SMTPServerDataStream, SMTPServerSession } from 'smtp-server';
import { AppError } from '../platform/errors.ts';
import type { MemoryShare, Reservation } from '../platform/memory/memory-share.ts';
import { closingReply, isReply, reply } from './protocol/error-reply.ts';

/** Chunks are joined in groups of this size, because a chunk of one byte takes forty times its length in memory. */
const CHUNKS_PER_BLOCK = 1_000;
/** The beginning of each message needs no reservation, so that small mail never waits for large mail. */
const FREE_BYTES = 64 * 1024;
/** How long the rest of a rejected message is read. */
const DRAIN_MS = 10_000;
const TOO_BUSY = 'The server is too busy. Try again later';

/** The client disconnected before the end of the data, so nothing was received and no reply is possible. */
export class ClientGone extends Error {}

interface Sender {
  /** The team or network that memory is reserved for. */
  client: string;
  /** 0 if the client declared no size. */
  declaredBytes: number;
}

export interface DataReader {
  /**
   * Reads the whole message and calls `work` with it. The message counts against the budget until the work is done.
   * Throws if the message is too large, or if the budget is used up.
   */
  holdWhole<Result>(
    stream: SMTPServerDataStream,
    sender: Sender,
    work: (raw: Buffer) => Promise<Result>,
  ): Promise<Result>;
  /** Returns only the beginning of the message. */
  readStart(stream: SMTPServerDataStream, client: string): Promise<Buffer>;
}

export function createDataReader(messageBytes: number, share: MemoryShare): DataReader {
  const limits = { messageBytes, share };
  return {
    holdWhole: (stream, sender, work) =>
      readData(stream, sender, limits, (raw, isWhole) => {
        if (!isWhole)
          throw new AppError('TOO_LARGE', `The message is too large. The limit is ${messageBytes} bytes.`);
        return work(raw);
      }),
    readStart: (stream, client) => readData(stream, { client, declaredBytes: 0 }, limits, (start) => start),
  };
}

interface Limits {
  messageBytes: number;
  share: MemoryShare;
}

/**
 * Reads a rejected message to its end, because the client reads the reply only after it has sent everything. A client
 * that is too slow is disconnected.
 */
async function readData<Result>(
  stream: SMTPServerDataStream,
  sender: Sender,
  limits: Limits,
  work: (start: Buffer, isWhole: boolean) => Promise<Result> | Result,
): Promise<Result> {
  const kept = createKeptBytes(limits.messageBytes);
  let isRefused = false;
  let isDropped = false;
  let drainTimer: NodeJS.Timeout | undefined;
  const memory = createReservedMemory(sender, limits, drop);

  /** The message will be rejected, so its bytes are released for others. */
  function refuse(): void {
    isRefused = true;
    memory.release();
    kept.clear();
    drainTimer ??= setTimeout(drop, DRAIN_MS);
  }

  /** When the stream is destroyed, smtp-server replies immediately. */
  function drop(): void {
    isDropped = true;
    refuse();
    stream.destroy();
  }

  async function receive(chunk: Buffer): Promise<void> {
    memory.receive(chunk.length);
    const length = kept.lengthWith(chunk);
    if (!isRefused && !memory.isEnoughFor(length) && !(await memory.reserve(length))) refuse();
    if (!isRefused) kept.add(chunk);
  }

  try {
    try {
      for await (const chunk of stream as AsyncIterable<Buffer>) await receive(chunk);
    } catch (error) {
      if (isReply(error)) throw error;
      if (!isDropped)
        throw new ClientGone('The connection was closed before the end of the message.', { cause: error });
    }
    if (isDropped) throw closingReply(TOO_BUSY);
    if (isRefused) throw reply('452 4.3.1', TOO_BUSY);
    memory.arrived();
    return await work(kept.take(), kept.isWhole());
  } finally {
    clearTimeout(drainTimer);
    memory.release();
  }
}

/** The bytes of a message, up to `limit`. Chunks are joined in groups. */
function createKeptBytes(limit: number) {
  let blocks: Buffer[] = [];
  let chunks: Buffer[] = [];
  let size = 0;
  let kept = 0;
  const clear = () => {
    blocks = [];
    chunks = [];
  };
  return {
    lengthWith: (chunk: Buffer) => Math.min(kept + chunk.length, limit),
    add(chunk: Buffer): void {
      const part = chunk.subarray(0, limit - kept);
      size += chunk.length;
      if (part.length === 0) return;
      kept += part.length;
      chunks.push(part);
      if (chunks.length === CHUNKS_PER_BLOCK) blocks.push(Buffer.concat(chunks.splice(0)));
    },
    /** False if the message is longer than the limit. */
    isWhole: () => size === kept,
    take(): Buffer {
      const bytes = Buffer.concat([...blocks, ...chunks]);
      clear();
      return bytes;
    },
    clear,
  };
}

/** The memory of one message: FREE_BYTES, and what it has reserved of the share. `onDrop` as for MemoryShare. */
function createReservedMemory(
  { client, declaredBytes }: Sender,
  { messageBytes, share }: Limits,
  onDrop: () => void,
) {
  let reservation: Reservation | null = null;
  let reserved = FREE_BYTES;
  return {
    isEnoughFor: (bytes: number) => bytes <= reserved,
    /** Returns false if there is no space. The first reservation is for the whole declared size. */
    async reserve(bytes: number): Promise<boolean> {
      const wanted = Math.max(bytes, reservation ? 0 : Math.min(declaredBytes, messageBytes));
      const more = Math.max(wanted - reserved, FREE_BYTES);
      const hasSpace = reservation
        ? reservation.grow(more)
        : (reservation = await share.reserve(client, more, onDrop)) !== null;
      if (hasSpace) reserved += more;
      return hasSpace;
    },
    receive: (bytes: number) => reservation?.receive(bytes),
    arrived: () => reservation?.arrived(),
    release: () => reservation?.release(),
  };
}

/** The SIZE parameter of MAIL FROM (RFC 1870), or 0. */
export function declaredSize({ envelope: { mailFrom } }: SMTPServerSession): number {
  const size = mailFrom && mailFrom.args ? Number((mailFrom.args as Record<string, unknown>).SIZE) : 0;
  return Number.isSafeInteger(size) && size > 0 ? size : 0;
}

/** Reads the data of messages into memory, within the limit for one message and the memory budget of the process. */
import type { SMTPServerDataStream, SMTPServerSession } from 'smtp-server';
import { AppError } from '../platform/errors.ts';
import type { MemoryShare, Reservation } from '../platform/memory/memory-share.ts';
import { closingReply, reply } from './error-reply.ts';

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
  { client, declaredBytes }: Sender,
  { messageBytes, share }: Limits,
  work: (start: Buffer, isWhole: boolean) => Promise<Result> | Result,
): Promise<Result> {
  let blocks: Buffer[] = [];
  let chunks: Buffer[] = [];
  let size = 0;
  let kept = 0;
  let isRefused = false;
  let isDropped = false;
  let drainTimer: NodeJS.Timeout | undefined;
  const memory: { reservation: Reservation | null; bytes: number } = {
    reservation: null,
    bytes: FREE_BYTES,
  };
  // The message will be rejected, so its bytes are released for others.
  const refuse = (): void => {
    isRefused = true;
    memory.reservation?.release();
    blocks = [];
    chunks = [];
    drainTimer ??= setTimeout(drop, DRAIN_MS);
  };
  /** When the stream is destroyed, smtp-server replies immediately. */
  const drop = (): void => {
    isDropped = true;
    refuse();
    stream.destroy();
  };

  async function reserve(bytes: number): Promise<void> {
    if (isRefused) return;
    const wanted = Math.max(bytes, memory.reservation ? 0 : Math.min(declaredBytes, messageBytes));
    const more = Math.max(wanted - memory.bytes, FREE_BYTES);
    const hasSpace = memory.reservation
      ? memory.reservation.grow(more)
      : (memory.reservation = await share.reserve(client, more, drop)) !== null;
    if (hasSpace) memory.bytes += more;
    else refuse();
  }

  try {
    try {
      for await (const chunk of stream as AsyncIterable<Buffer>) {
        size += chunk.length;
        memory.reservation?.receive(chunk.length);
        const part = chunk.subarray(0, Math.max(0, messageBytes - kept));
        if (kept + part.length > memory.bytes) await reserve(kept + part.length);
        if (isRefused || part.length === 0) continue;
        chunks.push(part);
        if (chunks.length === CHUNKS_PER_BLOCK) blocks.push(Buffer.concat(chunks.splice(0)));
        kept += part.length;
      }
    } catch (error) {
      if (!isDropped)
        throw new ClientGone('The connection was closed before the end of the message.', { cause: error });
    }
    if (isDropped) throw closingReply(TOO_BUSY);
    if (isRefused) throw reply('452 4.3.1', TOO_BUSY);
    memory.reservation?.arrived();
    const start = Buffer.concat([...blocks, ...chunks]);
    blocks = [];
    chunks = [];
    return await work(start, size === kept);
  } finally {
    clearTimeout(drainTimer);
    memory.reservation?.release();
  }
}

/** The SIZE parameter of MAIL FROM (RFC 1870), or 0. */
export function declaredSize({ envelope: { mailFrom } }: SMTPServerSession): number {
  const size = mailFrom && mailFrom.args ? Number((mailFrom.args as Record<string, unknown>).SIZE) : 0;
  return Number.isSafeInteger(size) && size > 0 ? size : 0;
}

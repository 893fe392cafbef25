/** Reading what comes after DATA into memory, with limits for one message and for all of them together. */
import type { SMTPServerDataStream } from 'smtp-server';
import { AppError } from '../platform/errors.ts';

/** The client went away before the dot: nothing was received and there is nobody to tell. */
export class ClientGone extends Error {}

export interface Intake {
  /** The whole message; throws where it is too large, or there is no room for more right now. */
  readWhole(stream: SMTPServerDataStream): Promise<Buffer>;
  /** Only its beginning is kept. */
  readStart(stream: SMTPServerDataStream): Promise<Buffer>;
}

export function createIntake(limits: { messageBytes: number; totalBytes: number }): Intake {
  let held = 0;

  /** Reads to the end whatever happens, because the client hears the answer only after its dot. */
  async function read(stream: SMTPServerDataStream) {
    const chunks: Buffer[] = [];
    let size = 0;
    let kept = 0;
    let isFull = false;
    try {
      for await (const chunk of stream as AsyncIterable<Buffer>) {
        size += chunk.length;
        const part = chunk.subarray(0, Math.max(0, limits.messageBytes - kept));
        isFull ||= held + part.length > limits.totalBytes;
        if (isFull || part.length === 0) continue;
        chunks.push(part);
        kept += part.length;
        held += part.length;
      }
    } catch (error) {
      throw new ClientGone('The connection ended before the message did.', { cause: error });
    } finally {
      held -= kept;
    }
    if (isFull) throw new AppError('UNAVAILABLE', 'Too much mail is coming in right now. Try again later.');
    return { start: Buffer.concat(chunks), isWhole: size === kept };
  }

  return {
    async readWhole(stream) {
      const { start, isWhole } = await read(stream);
      if (!isWhole)
        throw new AppError('TOO_LARGE', `A message can have ${limits.messageBytes} bytes at most.`);
      return start;
    },
    readStart: async (stream) => (await read(stream)).start,
  };
}

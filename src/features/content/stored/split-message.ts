/**
 * Removes large attachments from a message, so that each is stored once even if many messages contain it. Joining
 * restores the same bytes: a part is removed only if encoding its content reproduces its text exactly.
 */
import { encodeBase64 } from '../../../mail/mime/compose/transfer-encoding.ts';
import { runYielding } from '../../../platform/concurrency/run-yielding.ts';

const MIN_PART_BYTES = 48 * 1024;
/** Decoding and hashing a larger part would block the event loop for too long. It stays in the message. */
const MAX_PART_BYTES = 8 * 1024 * 1024;

export interface MessagePart {
  /** A position in the remaining message. */
  at: number;
  /** The content without its base64 encoding. */
  content: Buffer;
}

export interface SplitMessage {
  rest: Buffer;
  /** Sorted by position. */
  parts: MessagePart[];
}

export async function splitMessage(raw: Buffer): Promise<SplitMessage> {
  const kept: Buffer[] = [];
  const parts: MessagePart[] = [];
  let keptBytes = 0;
  let keptTo = 0;
  for (const { start, end } of findBodies(raw)) {
    const content = await runYielding(end - start, () => decodeExactly(raw.subarray(start, end)));
    if (!content) continue;
    kept.push(raw.subarray(keptTo, start));
    keptBytes += start - keptTo;
    keptTo = end;
    parts.push({ at: keptBytes, content });
  }
  if (parts.length === 0) return { rest: raw, parts };
  kept.push(raw.subarray(keptTo));
  return { rest: Buffer.concat(kept), parts };
}

export function joinMessage(rest: Buffer, parts: MessagePart[]): Buffer {
  let from = 0;
  const pieces = parts.flatMap(({ at, content }) => {
    const before = rest.subarray(from, at);
    from = at;
    return [before, encodeBase64(content)];
  });
  return Buffer.concat([...pieces, rest.subarray(from)]);
}

/** Finds texts between an empty line and something that looks like a boundary. It does not have to be a boundary. */
function* findBodies(raw: Buffer): Generator<{ start: number; end: number }> {
  for (let at = 0; ;) {
    const emptyLine = raw.indexOf('\r\n\r\n', at);
    if (emptyLine === -1) return;
    const start = emptyLine + 4;
    // A boundary may follow the empty line directly.
    let end = raw.indexOf('\r\n--', start - 2);
    if (end === -1) return;
    at = end;
    while (raw[end - 1] === 10 && raw[end - 2] === 13 && end > start) end -= 2;
    if (end - start >= MIN_PART_BYTES && end - start <= MAX_PART_BYTES) yield { start, end };
  }
}

/** Null if the text is not base64 in the form that we write. */
function decodeExactly(text: Buffer): Buffer | null {
  const content = Buffer.from(text.toString('latin1'), 'base64');
  return encodeBase64(content).equals(text) ? content : null;
}

/** The form in which a message is stored: its bytes, with large attachments removed, or a recipe (message-recipe.ts). */
import { sha256 } from '../../../platform/crypto.ts';
import { compress, type Compressed } from '../../../platform/compress.ts';
import { runYielding } from '../../../platform/concurrency/run-yielding.ts';
import { splitMessage, type MessagePart } from './split-message.ts';
import type { NewBlob } from './upload-blobs.ts';

export interface MessageForm extends Compressed {
  /** The size of the whole message. Null when no parts were removed. */
  fullSize: number | null;
  parts: StoredPart[];
  /** Whether the bytes are a recipe. */
  isRecipe: boolean;
}

export interface StoredPart extends MessagePart {
  hash: Buffer;
}

export async function toStoredMessage(raw: Buffer): Promise<MessageForm> {
  const { rest, parts } = await splitMessage(raw);
  const hashed: StoredPart[] = [];
  for (const part of parts) {
    const hash = await runYielding(part.content.length, () => sha256(part.content));
    hashed.push({ ...part, hash });
  }
  const fullSize = parts.length > 0 ? raw.length : null;
  return { ...(await compress(rest)), fullSize, parts: hashed, isRecipe: false };
}

export function blobsOf(teamId: number, { parts }: MessageForm): NewBlob[] {
  return parts.map(({ hash, content }) => ({ teamId, hash, content }));
}

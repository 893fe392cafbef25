/** Builds the response that contains an attachment. */
import { FileAnswer } from '../../api/route.ts';
import { isImage } from './display.ts';

interface Attachment {
  contentType: string;
  filename: string | null;
  bytes: Uint8Array;
}

/** Browsers save all files except images, because a received file must not run on our origin. */
export function attachmentAnswer({ contentType, filename, bytes }: Attachment, no: number): FileAnswer {
  const type = isSafeType(contentType) ? contentType : 'application/octet-stream';
  return new FileAnswer(
    type,
    filename ?? `attachment-${no}`,
    once(bytes),
    isImage(type) ? 'inline' : 'attachment',
  );
}

/** Our pages may run scripts from our origin, so a received script must not have the type of a script. */
function isSafeType(contentType: string): boolean {
  return /^[\w.+-]+\/[\w.+-]+$/.test(contentType) && !/(?:java|ecma|live)script/i.test(contentType);
}

export async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

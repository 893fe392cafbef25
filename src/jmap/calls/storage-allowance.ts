/**
 * How much the messages of one request may take: ten times the bytes of the request, and of the files and messages that
 * it names (decision 40). Otherwise a small request could store one uploaded file hundreds of times.
 */
import { ObjectError, type StorageAllowance } from './tools.ts';

const FACTOR = 10;
/** For the headers of small messages. */
const HEADERS_BYTES = 64 * 1024;

export function createStorageAllowance(requestBytes: number): StorageAllowance {
  let left = FACTOR * requestBytes + HEADERS_BYTES;
  const files = new Map<string, number>();
  return {
    addFile(blobId, bytes) {
      if (!files.has(blobId)) left += FACTOR * bytes;
      files.set(blobId, bytes);
    },
    requireFile(blobId) {
      if ((files.get(blobId) ?? 0) > left) throw tooMuch();
    },
    spend(bytes) {
      if (bytes > left) throw tooMuch();
      left -= bytes;
    },
  };
}

function tooMuch(): ObjectError {
  return new ObjectError(
    'tooLarge',
    `The messages of one request can take at most ${FACTOR} times its size and that of the files in it. Use more requests.`,
  );
}

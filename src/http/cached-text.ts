/**
 * A text that is made when it is first requested and then kept, compressed as well. Clients keep it too, and ask with
 * its ETag whether it has changed (RFC 9110 section 8.8.3).
 */
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Answer, Exchange } from './requests/exchange.ts';
import { sendFile, type WebFile } from './web-files.ts';

const toGzip = promisify(gzip);
const toBrotli = promisify(brotliCompress);
/** The best quality takes twenty times as long and saves a tenth. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };

interface KeptText {
  file: WebFile;
  etag: string;
}

export function createCachedText(
  contentType: string,
  make: () => Promise<string>,
  headers: Record<string, string> = {},
): (exchange: Exchange) => Promise<Answer> {
  let kept: Promise<KeptText> | undefined;
  const load = async () => keep(contentType, await make());
  return async (exchange) => {
    kept ??= load();
    // A text that could not be made is tried again.
    const { file, etag } = await kept.catch((error: unknown) => {
      kept = undefined;
      throw error;
    });
    const shared = { ...headers, etag, 'cache-control': 'no-cache' };
    if (!isKnown(exchange.requestHeader('if-none-match'), etag)) return sendFile(exchange, file, shared);
    for (const [name, value] of Object.entries({ ...shared, vary: 'accept-encoding' }))
      exchange.setHeader(name, value);
    return exchange.answerEmpty(304);
  };
}

async function keep(contentType: string, text: string): Promise<KeptText> {
  const plain = Buffer.from(text);
  const [zipped, brotli] = await Promise.all([toGzip(plain, { level: 9 }), toBrotli(plain, BROTLI)]);
  const hash = createHash('sha256').update(plain).digest('base64url');
  // Weak, because it is the same for each encoding.
  return { file: { contentType, plain, gzip: zipped, brotli }, etag: `W/"${hash}"` };
}

function isKnown(header: string | undefined, etag: string): boolean {
  return (
    header !== undefined && (header.trim() === '*' || header.split(',').some((tag) => tag.trim() === etag))
  );
}

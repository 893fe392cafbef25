/**
 * Node.js 18 has WebCrypto, but not as a global. The name is a variable so that bundlers for browsers leave it alone.
 */
const NODE_CRYPTO = 'node:crypto';

type WebCrypto = typeof globalThis.crypto;

export async function getCrypto(): Promise<WebCrypto> {
  if (globalThis.crypto) return globalThis.crypto;
  return ((await import(NODE_CRYPTO)) as { webcrypto: WebCrypto }).webcrypto;
}

/** Where an authorization response may go: exactly where the client has said, except for the port of a loopback address. */

const MAX_LENGTH = 2_000;
const LOOPBACK = new Set(['127.0.0.1', '[::1]', 'localhost']);
/** Schemes that run something in the browser or read files. */
const UNSAFE = new Set(
  'http: ws: wss: ftp: file: data: blob: javascript: vbscript: about: view-source: filesystem:'.split(' '),
);

/** https, http on a loopback address, or a scheme of an application (RFC 8252). */
export function isRedirect(text: string): boolean {
  if (text.length > MAX_LENGTH || !URL.canParse(text)) return false;
  const { protocol, hash, username, password } = new URL(text);
  if (hash !== '' || text.includes('#') || username !== '' || password !== '') return false;
  return protocol === 'https:' || isLoopback(text) || !UNSAFE.has(protocol);
}

export function matchesRedirect(registered: readonly string[], given: string): boolean {
  if (!isRedirect(given)) return false;
  return registered.some(
    (known) =>
      known === given ||
      (isLoopback(known) && isLoopback(given) && withoutPort(known) === withoutPort(given)),
  );
}

function isLoopback(text: string): boolean {
  const { protocol, hostname } = new URL(text);
  return protocol === 'http:' && LOOPBACK.has(hostname);
}

function withoutPort(text: string): string {
  const url = new URL(text);
  url.port = '';
  return url.href;
}

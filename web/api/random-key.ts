/** Returns a unique key, for requests that may be repeated and for data in the browser's storage. */
export function randomKey(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join('-');
}

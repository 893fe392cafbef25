/** A key that nothing else has, for requests that may be sent again and for what is stored in the browser. */
export function randomKey(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join('-');
}

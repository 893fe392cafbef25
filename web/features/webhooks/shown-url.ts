/** The URL of a webhook as pages show it: without the query, which often holds a token. */
export function shownUrl(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}

/** The search and filters that each list had last, for links that lead back to it. */
const searches = new Map<string, object>();

/** The router calls it for each page that is shown. */
export function noteSearch(path: string, search: object): void {
  searches.set(path, search);
}

export function lastSearch(path: string): object {
  return searches.get(path) ?? {};
}

/** Nothing of one person is left for the next. */
export function forgetSearches(): void {
  searches.clear();
}

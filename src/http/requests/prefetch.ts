import type { IncomingHttpHeaders } from 'node:http';

/** Browsers set one of these when they load a page that nobody has asked for yet. */
const PREFETCH_HEADERS = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'];

/** Returns why the browser loads the page early, or null. */
export function readPurpose(headers: IncomingHttpHeaders): string | null {
  const name = PREFETCH_HEADERS.find((each) => headers[each] !== undefined);
  return name === undefined ? null : String(headers[name]);
}

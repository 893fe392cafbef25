/**
 * Scans the bytes of a JSON text before it is parsed, for its depth, its number of values, and the positions of the
 * items of a list. Parsing and validation block the event loop, so a body that is too deep or has too many values is
 * rejected first, and a long list is parsed item by item.
 */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { badRequest } from '../../platform/errors.ts';
import { refusal } from './validate.ts';

/** Deeper values could overflow the stack of a parser. */
const MAX_DEPTH = 250;
/** The limit for the whole body, or for each item if the body is a list. */
const MAX_VALUES = 100_000;
/** Scanning this much takes a few hundredths of a second. */
const SLICE_BYTES = 8 * 1024 * 1024;

export interface JsonOutline {
  /** The byte ranges of the items; null if the body is not a list or no list is expected. */
  items: { start: number; end: number }[] | null;
}

/**
 * Throws if the body exceeds a limit, or if a list is not closed properly. `maxItems` is null if no list is expected,
 * and a list is then treated as one value.
 */
export async function outlineJson(bytes: Buffer, maxItems: number | null): Promise<JsonOutline> {
  const outline = createOutline(bytes, maxItems);
  for (let end = SLICE_BYTES; end < bytes.length; end += SLICE_BYTES) {
    outline.readTo(end);
    await yieldToEventLoop();
  }
  outline.readTo(bytes.length);
  return outline.finish();
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

function createOutline(bytes: Buffer, maxItems: number | null) {
  const root = firstOf(bytes);
  const items: { start: number; end: number }[] = [];
  const isList = maxItems !== null && bytes[root] === OPEN_LIST;
  let at = root;
  let depth = 0;
  let values = 1;
  let isInText = false;
  let itemStart = root + 1;
  let listEnd = -1;

  function endItem(): void {
    if (items.length === maxItems)
      throw refusal([{ path: [], message: `must have at most ${maxItems} items` }]);
    items.push({ start: itemStart, end: at });
    itemStart = at + 1;
    values = 1;
  }

  function open(): void {
    values += 1;
    if (++depth > MAX_DEPTH)
      throw badRequest(`The request body must not be nested deeper than ${MAX_DEPTH} levels.`);
  }

  function close(): void {
    depth -= 1;
    if (depth === 0 && isList && listEnd === -1) {
      endItem();
      listEnd = at;
    }
  }

  function separate(): void {
    if (depth === 1 && isList) endItem();
    else values += 1;
    if (values > MAX_VALUES)
      throw badRequest(
        isList
          ? `An item of the request body has more than ${MAX_VALUES} values.`
          : `The request body has more than ${MAX_VALUES} values.`,
      );
  }

  function skipText(end: number): void {
    while (at < end && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
    isInText = at >= end;
  }

  return {
    readTo(end: number): void {
      while (at < end) {
        if (isInText) {
          skipText(end);
          if (isInText) return;
        } else {
          const byte = bytes[at];
          if (byte === QUOTE) isInText = true;
          else if (byte === COMMA) separate();
          else if (byte === OPEN_LIST || byte === OPEN_OBJECT) open();
          else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) close();
        }
        at += 1;
      }
    },
    finish(): JsonOutline {
      if (!isList) return { items: null };
      const isEnded = bytes[listEnd] === CLOSE_LIST && firstOf(bytes, listEnd + 1) === bytes.length;
      if (!isEnded) throw badRequest('The request body is not valid JSON.', undefined, 'invalid-json');
      const isEmpty = items.length === 1 && firstOf(bytes, root + 1) === listEnd;
      return { items: isEmpty ? [] : items };
    },
  };
}

/** Returns the position of the first byte that is neither white space nor a byte order mark. */
function firstOf(bytes: Buffer, from = 0): number {
  let at = from === 0 && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : from;
  while (at < bytes.length && (bytes[at] === 0x20 || (bytes[at]! >= 0x09 && bytes[at]! <= 0x0d))) at += 1;
  return at;
}

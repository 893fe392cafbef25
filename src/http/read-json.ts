/** From the bytes of a body to what its route takes, in pieces that are small enough for others to come in between. */
import { isUtf8 } from 'node:buffer';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { z } from 'zod';
import { badRequest, MAX_ISSUES } from '../platform/errors.ts';
import { createRoom } from '../platform/room.ts';
import { parseJson } from './body.ts';
import { maxItems } from './count-limits.ts';
import { outlineJson } from './json-outline.ts';
import { check, refusal, validate } from './validate.ts';

/** A body of this size is read at once. */
const SMALL_BYTES = 256 * 1024;
const DECODED_BYTES = 8 * 1024 * 1024;
const TURN_MS = 20;
/** Longer lists are checked one after the other: many at once would hold up short requests together. */
const SHORT_LIST = 10;
const oneListAtATime = createRoom(1);

export async function readJson<Schema extends z.ZodType>(
  schema: Schema,
  bytes: Buffer,
): Promise<z.output<Schema>> {
  if (bytes.length === 0) return validate(schema, undefined);
  if (!isUtf8(bytes)) throw badRequest('The request body is not valid UTF-8.');
  const list = schema instanceof z.ZodArray ? schema : null;
  const { items } = await outlineJson(bytes, list && maxItems(list));
  if (list && items && items.length > 0) {
    const read = () => readItems(list.element as z.ZodType, bytes, items);
    return (await (items.length <= SHORT_LIST ? read() : oneListAtATime(1, read))) as z.output<Schema>;
  }
  if (bytes.length <= SMALL_BYTES) return validate(schema, parseJson(bytes.toString('utf8')));
  const text = await decode(bytes);
  const value = parseJson(text);
  await nextTurn();
  return validate(schema, value);
}

/** As text, piece by piece: forty megabytes of it take a quarter of a second. */
async function decode(bytes: Buffer): Promise<string> {
  let text = '';
  for (let start = 0; start < bytes.length; await nextTurn()) {
    let end = Math.min(start + DECODED_BYTES, bytes.length);
    // A character is not cut in two: its further bytes begin with the bits 10.
    while (end < bytes.length && (bytes[end]! & 0xc0) === 0x80) end -= 1;
    text += bytes.toString('utf8', start, end);
    start = end;
  }
  return text;
}

async function readItems(
  schema: z.ZodType,
  bytes: Buffer,
  items: { start: number; end: number }[],
): Promise<unknown[]> {
  const values: unknown[] = [];
  const faults: { path: PropertyKey[]; message: string }[] = [];
  let turnEndsAt = performance.now() + TURN_MS;
  for (const [at, { start, end }] of items.entries()) {
    const result = check(schema, parseJson(bytes.toString('utf8', start, end), at));
    if (result.faults === null) values.push(result.value);
    else faults.push(...result.faults.map(({ path, message }) => ({ path: [at, ...path], message })));
    if (faults.length >= MAX_ISSUES) break;
    if (performance.now() < turnEndsAt) continue;
    await nextTurn();
    turnEndsAt = performance.now() + TURN_MS;
  }
  // The next list begins as soon as this one returns.
  if (items.length > SHORT_LIST) await nextTurn();
  if (faults.length > 0) throw refusal(faults);
  return values;
}

/**
 * Parses and validates a JSON body in small slices, so that other requests run in between. With `respelled`, fields in
 * snake_case are read too, and added to it.
 */
import { isAscii, isUtf8 } from 'node:buffer';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { z } from 'zod';
import { AppError, badRequest, MAX_ISSUES } from '../../platform/errors.ts';
import { createBudget } from '../../platform/memory/budget.ts';
import { parseJson } from './body.ts';
import { maxItems } from './count-limits.ts';
import { outlineJson } from './json-outline.ts';
import { readSnakeCase, type Respelled } from './snake-case.ts';
import { check, refusal, validate, type Fault } from './validate.ts';

/** A body up to this size is parsed in one step. */
const SMALL_BYTES = 256 * 1024;
const DECODED_BYTES = 8 * 1024 * 1024;
const SLICE_MS = 20;
/** Longer lists are validated one at a time, because many at a time would delay short requests. */
const SHORT_LIST = 10;
const oneListAtATime = createBudget(1);

export async function readJson<Schema extends z.ZodType>(
  schema: Schema,
  bytes: Buffer,
  respelled?: Respelled,
): Promise<z.output<Schema>> {
  if (bytes.length === 0) return validate(schema, undefined);
  if (!isUtf8(bytes)) throw badRequest('The request body is not valid UTF-8.');
  const list = schema instanceof z.ZodArray ? schema : null;
  const { items } = await outlineJson(bytes, list && maxItems(list));
  if (list && items && items.length > 0) {
    const read = () => readItems(list.element as z.ZodType, bytes, items, respelled);
    return (await (items.length <= SHORT_LIST ? read() : oneListAtATime(1, read))) as z.output<Schema>;
  }
  const respell = (value: unknown) => (respelled ? readSnakeCase(schema, value, respelled) : value);
  if (bytes.length <= SMALL_BYTES) return validate(schema, respell(parseJson(bytes.toString('utf8'))));
  const text = await decode(bytes);
  const value = parseJson(text);
  await yieldToEventLoop();
  return validate(schema, respell(value));
}

/** ASCII is copied in one step. Other text is decoded in slices, because forty megabytes take a quarter of a second. */
async function decode(bytes: Buffer): Promise<string> {
  if (isAscii(bytes)) return bytes.toString('latin1');
  let text = '';
  for (let start = 0; start < bytes.length; await yieldToEventLoop()) {
    let end = Math.min(start + DECODED_BYTES, bytes.length);
    // Do not split a character: its continuation bytes begin with the bits 10.
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
  respelled: Respelled | undefined,
): Promise<unknown[]> {
  const values: unknown[] = [];
  const faults: Fault[] = [];
  const invalidItems: number[] = [];
  let sliceEndsAt = performance.now() + SLICE_MS;
  for (const [at, { start, end }] of items.entries()) {
    const result = checkItem(schema, bytes.toString('utf8', start, end), at, respelled);
    if (result.faults === null) values.push(result.value);
    else {
      invalidItems.push(at);
      if (faults.length < MAX_ISSUES) faults.push(...result.faults);
    }
    if (performance.now() < sliceEndsAt) continue;
    await yieldToEventLoop();
    sliceEndsAt = performance.now() + SLICE_MS;
  }
  // The next list starts as soon as this one returns.
  if (items.length > SHORT_LIST) await yieldToEventLoop();
  if (invalidItems.length > 0) throw refusal(faults, invalidItems);
  return values;
}

function checkItem(
  schema: z.ZodType,
  text: string,
  at: number,
  respelled: Respelled | undefined,
): { value: unknown; faults: null } | { faults: Fault[] } {
  const item = parseItem(text, at);
  if (item.faults !== null) return item;
  const result = check(schema, respelled ? readSnakeCase(schema, item.value, respelled) : item.value);
  if (result.faults === null) return result;
  return { faults: result.faults.map(({ path, message }) => ({ path: [at, ...path], message })) };
}

/** Text that cannot be stored makes only its item invalid, so that the other invalid items are named too. */
function parseItem(text: string, at: number): { value: unknown; faults: null } | { faults: Fault[] } {
  try {
    return { value: parseJson(text, at), faults: null };
  } catch (error) {
    if (!(error instanceof AppError) || !error.issues) throw error;
    return { faults: error.issues.map(({ path, message }) => ({ path: path.split('/').slice(1), message })) };
  }
}

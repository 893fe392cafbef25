/** Reads the arguments that many methods share. Invalid arguments are method errors. */
import { z } from 'zod';
import { isObject } from '../../platform/is-object.ts';
import { LIMITS } from './limits.ts';
import { MethodError, type Arguments, type MethodContext } from './tools.ts';

export const idList = z.array(z.string().max(255));
export const unsigned = z.int().min(0).max(Number.MAX_SAFE_INTEGER);
/**
 * Objects of clients are read with `Object.entries`, never by name, because a name could be one of JavaScript's own
 * properties.
 */
export const object = z.custom<Arguments>(isObject, 'Expected an object');

export function readArguments<Schema extends z.ZodType>(schema: Schema, args: Arguments): z.output<Schema> {
  const result = schema.safeParse(args);
  if (result.success) return result.data;
  const issue = result.error.issues[0]!;
  const place = issue.path.map(String).join('/').slice(0, 200);
  throw new MethodError('invalidArguments', `${place === '' ? 'The arguments' : place}: ${issue.message}`);
}

/** Every method of an account calls this first. */
export function requireAccount(context: MethodContext, args: Arguments): void {
  const { accountId } = readArguments(z.object({ accountId: z.string() }), args);
  if (accountId !== context.accountId)
    throw new MethodError('accountNotFound', 'This account does not exist.');
}

const getArguments = z.object({
  ids: idList.nullish(),
  properties: z.array(z.string().max(300)).max(500).nullish(),
});

export function readGet(
  context: MethodContext,
  args: Arguments,
): { ids: string[] | null; properties: string[] | null } {
  requireAccount(context, args);
  const { ids = null, properties = null } = readArguments(getArguments, args);
  if (ids) requireCount(ids.length, LIMITS.maxObjectsInGet);
  return { ids: ids && [...new Set(ids)], properties };
}

export function requireCount(count: number, most: number): void {
  if (count > most)
    throw new MethodError(
      'requestTooLarge',
      `A method call can have at most ${most} objects, this one has ${count}.`,
    );
}

/** Returns only the named properties, and always the ID. */
export function pick(
  value: Record<string, unknown>,
  properties: readonly string[] | null,
): Record<string, unknown> {
  if (!properties) return value;
  const names = new Set(['id', ...properties]);
  return Object.fromEntries(Object.entries(value).filter(([name]) => names.has(name)));
}

export function refuseUnknown(properties: readonly string[] | null, known: readonly string[]): void {
  const unknown = properties?.find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw new MethodError('invalidArguments', `The property ${unknown.slice(0, 100)} does not exist.`);
}

const changesArguments = z.object({
  sinceState: z.string().max(200),
  maxChanges: z.int().min(1).max(Number.MAX_SAFE_INTEGER).nullish(),
});
/** Maximum number of items in a response if the client sets no limit. */
const MAX_CHANGES = 5_000;

export function readChanges(context: MethodContext, args: Arguments): { sinceState: string; limit: number } {
  requireAccount(context, args);
  const { sinceState, maxChanges } = readArguments(changesArguments, args);
  return { sinceState, limit: Math.min(maxChanges ?? MAX_CHANGES, MAX_CHANGES) };
}

export function cannotCalculate(): MethodError {
  return new MethodError(
    'cannotCalculateChanges',
    'The changes since this state are no longer known. Synchronise from the start.',
  );
}

const queryArguments = z.object({
  position: z.int().nullish(),
  anchor: z.string().max(255).nullish(),
  anchorOffset: z.int().nullish(),
  limit: z.int().nullish(),
  calculateTotal: z.boolean().nullish(),
  filter: z.unknown().optional(),
  sort: z.unknown().optional(),
});

export interface QueryArguments {
  position: number;
  anchor: string | null;
  anchorOffset: number;
  limit: number;
  /** The limit, if it is lower than the one that the client requested. */
  loweredLimit: number | null;
  calculateTotal: boolean;
  filter: unknown;
  sort: unknown;
}

const MAX_RESULTS = 5_000;

export function readQuery(context: MethodContext, args: Arguments): QueryArguments {
  requireAccount(context, args);
  const given = readArguments(queryArguments, args);
  const asked = given.limit ?? null;
  if (asked !== null && asked < 0) throw new MethodError('invalidArguments', 'limit must not be negative.');
  const limit = Math.min(asked ?? MAX_RESULTS, MAX_RESULTS);
  return {
    position: given.position ?? 0,
    anchor: given.anchor ?? null,
    anchorOffset: given.anchorOffset ?? 0,
    limit,
    loweredLimit: asked === null || asked > limit ? limit : null,
    calculateTotal: given.calculateTotal ?? false,
    filter: given.filter ?? null,
    sort: given.sort ?? null,
  };
}

/** Returns a page of a list in memory; null if the anchor is not in it. */
export function pageOf(
  ids: readonly string[],
  { position, anchor, anchorOffset, limit }: QueryArguments,
): { ids: string[]; position: number } | null {
  let start = position < 0 ? Math.max(0, ids.length + position) : position;
  if (anchor !== null) {
    const at = ids.indexOf(anchor);
    if (at === -1) return null;
    start = Math.max(0, at + anchorOffset);
  }
  return { ids: ids.slice(start, start + limit), position: start };
}

export function anchorNotFound(): MethodError {
  return new MethodError('anchorNotFound', 'The anchor is not among the results.');
}

const queryChangesArguments = z.object({
  sinceQueryState: z.string().max(200),
  maxChanges: z.int().min(1).max(Number.MAX_SAFE_INTEGER).nullish(),
  calculateTotal: z.boolean().nullish(),
  filter: z.unknown().optional(),
  sort: z.unknown().optional(),
});

export function readQueryChanges(context: MethodContext, args: Arguments) {
  requireAccount(context, args);
  const given = readArguments(queryChangesArguments, args);
  return {
    sinceQueryState: given.sinceQueryState,
    maxChanges: given.maxChanges ?? null,
    calculateTotal: given.calculateTotal ?? false,
    filter: given.filter ?? null,
    sort: given.sort ?? null,
  };
}

export function requireFewChanges(count: number, maxChanges: number | null): void {
  if (maxChanges !== null && count > maxChanges)
    throw new MethodError('tooManyChanges', `There are ${count} changes, more than maxChanges.`);
}

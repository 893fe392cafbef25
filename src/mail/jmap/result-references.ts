/** Result references (RFC 8620 section 3.7): arguments that are taken from the response of an earlier method call. */

interface ResultReference {
  resultOf: string;
  name: string;
  path: string;
}

/** A previous response of this request: its name, its arguments and the ID of the call. */
export type Invocation = [name: string, args: Record<string, unknown>, callId: string];

const MAX_PATH_LENGTH = 500;
/** No response has this many IDs. */
const MAX_VALUES = 100_000;

/** The remaining size of values that the references of a request may copy. */
export interface ReferenceBudget {
  leftBytes: number;
}

/**
 * Replaces arguments such as `#ids` with the values that they refer to. Returns null if a reference cannot be
 * resolved, or if an argument is given in both forms. A reference costs the size of its value: without a budget, a
 * chain of responses that each refer twice to the previous one would grow without bounds.
 */
export function resolveReferences(
  args: Record<string, unknown>,
  responses: readonly Invocation[],
  budget: ReferenceBudget,
): Record<string, unknown> | null {
  const entries = Object.entries(args);
  if (entries.every(([name]) => !name.startsWith('#'))) return args;
  const resolved: [string, unknown][] = [];
  for (const [name, value] of entries) {
    if (!name.startsWith('#')) resolved.push([name, value]);
    else {
      const plain = name.slice(1);
      const found = Object.hasOwn(args, plain) ? undefined : resolve(value, responses);
      if (found === undefined) return null;
      budget.leftBytes -= jsonLength(found, budget.leftBytes);
      if (budget.leftBytes < 0) return null;
      resolved.push([plain, found]);
    }
  }
  return Object.fromEntries(resolved);
}

const NODE_BYTES = 8;

/** Returns about how long a value is as JSON. Stops soon after `most`. */
export function jsonLength(value: unknown, most: number): number {
  const stack = [value];
  let weight = 0;
  while (stack.length > 0 && weight <= most) {
    const next = stack.pop();
    weight += NODE_BYTES;
    if (typeof next === 'string') weight += next.length;
    else if (Array.isArray(next)) for (const each of next) stack.push(each);
    else if (typeof next === 'object' && next !== null)
      for (const [name, each] of Object.entries(next)) {
        weight += name.length;
        stack.push(each);
      }
  }
  return weight;
}

function resolve(value: unknown, responses: readonly Invocation[]): unknown {
  const reference = readReference(value);
  if (!reference) return undefined;
  const response = responses.find(([, , callId]) => callId === reference.resultOf);
  if (!response || response[0] !== reference.name) return undefined;
  return evaluatePointer(response[1], reference.path);
}

function readReference(value: unknown): ResultReference | null {
  if (typeof value !== 'object' || value === null) return null;
  const { resultOf, name, path } = value as Record<string, unknown>;
  const isReference =
    typeof resultOf === 'string' &&
    typeof name === 'string' &&
    typeof path === 'string' &&
    path.length <= MAX_PATH_LENGTH;
  return isReference ? { resultOf, name, path } : null;
}

/**
 * Evaluates a JSON pointer (RFC 6901), in which `*` stands for every item of an array. Returns undefined if it points
 * to nothing.
 */
function evaluatePointer(root: unknown, path: string): unknown {
  if (path === '') return root;
  if (!path.startsWith('/')) return undefined;
  return follow(root, path.slice(1).split('/').map(unescapePointer));
}

export function unescapePointer(token: string): string {
  return token.replaceAll('~1', '/').replaceAll('~0', '~');
}

function follow(root: unknown, tokens: readonly string[]): unknown {
  let value = root;
  for (const [at, token] of tokens.entries()) {
    if (Array.isArray(value) && token === '*') return followAll(value, tokens.slice(at + 1));
    if (Array.isArray(value)) {
      if (!/^(?:0|[1-9]\d{0,8})$/.test(token)) return undefined;
      value = (value as unknown[])[Number(token)];
    } else if (typeof value === 'object' && value !== null && Object.hasOwn(value, token))
      value = (value as Record<string, unknown>)[token];
    else return undefined;
  }
  return value;
}

function followAll(items: unknown[], tokens: readonly string[]): unknown {
  const values: unknown[] = [];
  for (const item of items) {
    const found = follow(item, tokens);
    if (found === undefined) return undefined;
    if (Array.isArray(found)) for (const each of found) values.push(each);
    else values.push(found);
    if (values.length > MAX_VALUES) return undefined;
  }
  return values;
}

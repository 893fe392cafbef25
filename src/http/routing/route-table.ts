/** Finds the entry for a method and path. A literal path segment takes precedence over a parameter. */

interface Node<Entry> {
  named: Map<string, Node<Entry>>;
  any: Node<Entry> | null;
  /** Keyed by method. */
  entries: Map<string, { entry: Entry; names: string[] }>;
}

interface Found<Entry> {
  entry: Entry;
  params: Record<string, string>;
}

export interface RouteTable<Entry> {
  /** `path` is written as `/v1/contacts/{contactId}`. */
  add(method: string, path: string, entry: Entry): void;
  find(method: string, path: string): Found<Entry> | null;
  /** Returns the methods that exist at this path. */
  methodsAt(path: string): string[];
}

/** Removes doubled slashes, because clients join URLs in different ways. */
export function collapseSlashes(path: string): string {
  return path.includes('//') ? path.replaceAll(/\/{2,}/g, '/') : path;
}

/** With `ignoresCase`, literal segments match in any case. Parameters keep theirs. */
export function createRouteTable<Entry>({ ignoresCase = false } = {}): RouteTable<Entry> {
  const root = createNode<Entry>();
  const keyOf = ignoresCase ? (part: string) => part.toLowerCase() : (part: string) => part;

  return {
    add(method, path, entry) {
      const names: string[] = [];
      let node = root;
      for (const part of path.split('/').slice(1)) {
        const name = /^\{(\w+)\}$/.exec(part)?.[1];
        if (name === undefined) {
          const next = node.named.get(keyOf(part)) ?? createNode<Entry>();
          node.named.set(keyOf(part), next);
          node = next;
        } else {
          names.push(name);
          node = node.any ??= createNode<Entry>();
        }
      }
      node.entries.set(method, { entry, names });
    },
    find(method, path) {
      const parts = path.split('/');
      const values: string[] = [];
      const found = walk({ parts, values, keyOf, matches: ({ entries }) => entries.has(method) }, root, 1);
      const match = found?.entries.get(method);
      return match ? { entry: match.entry, params: toParams(match.names, values) } : null;
    },
    methodsAt(path) {
      const parts = path.split('/');
      const node = walk({ parts, values: [], keyOf, matches: ({ entries }) => entries.size > 0 }, root, 1);
      return node ? [...node.entries.keys()] : [];
    },
  };
}

function createNode<Entry>(): Node<Entry> {
  return { named: new Map(), any: null, entries: new Map() };
}

interface Search<Entry> {
  parts: string[];
  /** The values of parameters on the way. */
  values: string[];
  keyOf: (part: string) => string;
  matches: (node: Node<Entry>) => boolean;
}

function walk<Entry>(search: Search<Entry>, node: Node<Entry>, at: number): Node<Entry> | null {
  const { parts, values, keyOf, matches } = search;
  if (at === parts.length) return matches(node) ? node : null;
  const part = parts[at]!;
  const named = node.named.get(keyOf(part));
  if (named) {
    const found = walk(search, named, at + 1);
    if (found) return found;
  }
  if (!node.any || part === '') return null;
  values.push(part);
  const found = walk(search, node.any, at + 1);
  if (!found) values.pop();
  return found;
}

function toParams(names: string[], values: string[]): Record<string, string> {
  const params: Record<string, string> = {};
  for (const [at, name] of names.entries()) params[name] = decode(values[at]!);
  return params;
}

/** An invalid percent-encoding is not decoded. No object has such a name. */
function decode(part: string): string {
  if (!part.includes('%')) return part;
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

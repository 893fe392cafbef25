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

export function createRouteTable<Entry>(): RouteTable<Entry> {
  const root = createNode<Entry>();

  return {
    add(method, path, entry) {
      const names: string[] = [];
      let node = root;
      for (const part of path.split('/').slice(1)) {
        const name = /^\{(\w+)\}$/.exec(part)?.[1];
        if (name === undefined) {
          const next = node.named.get(part) ?? createNode<Entry>();
          node.named.set(part, next);
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
      const found = walk(root, parts, 1, values, (node) => node.entries.has(method))?.entries.get(method);
      return found ? { entry: found.entry, params: toParams(found.names, values) } : null;
    },
    methodsAt(path) {
      const node = walk(root, path.split('/'), 1, [], ({ entries }) => entries.size > 0);
      return node ? [...node.entries.keys()] : [];
    },
  };
}

function createNode<Entry>(): Node<Entry> {
  return { named: new Map(), any: null, entries: new Map() };
}

function walk<Entry>(
  node: Node<Entry>,
  parts: string[],
  at: number,
  values: string[],
  matches: (node: Node<Entry>) => boolean,
): Node<Entry> | null {
  if (at === parts.length) return matches(node) ? node : null;
  const part = parts[at]!;
  const named = node.named.get(part);
  if (named) {
    const found = walk(named, parts, at + 1, values, matches);
    if (found) return found;
  }
  if (!node.any || part === '') return null;
  values.push(part);
  const found = walk(node.any, parts, at + 1, values, matches);
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

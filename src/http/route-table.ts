/** Finds what answers a path: a part that is spelled out goes before one that stands for anything. */

interface Node<Entry> {
  named: Map<string, Node<Entry>>;
  any: Node<Entry> | null;
  /** By method. */
  entries: Map<string, { entry: Entry; names: string[] }>;
}

interface Found<Entry> {
  entry: Entry;
  params: Record<string, string>;
}

export interface RouteTable<Entry> {
  /** `/v1/contacts/{contactId}`. */
  add(method: string, path: string, entry: Entry): void;
  find(method: string, path: string): Found<Entry> | null;
  /** The methods that something answers to at this path. */
  methodsAt(path: string): string[];
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
  isIt: (node: Node<Entry>) => boolean,
): Node<Entry> | null {
  if (at === parts.length) return isIt(node) ? node : null;
  const part = parts[at]!;
  const named = node.named.get(part);
  if (named) {
    const found = walk(named, parts, at + 1, values, isIt);
    if (found) return found;
  }
  if (!node.any || part === '') return null;
  values.push(part);
  const found = walk(node.any, parts, at + 1, values, isIt);
  if (!found) values.pop();
  return found;
}

function toParams(names: string[], values: string[]): Record<string, string> {
  const params: Record<string, string> = {};
  for (const [at, name] of names.entries()) params[name] = decode(values[at]!);
  return params;
}

/** What is no encoding of anything stands for itself, and is the name of nothing. */
function decode(part: string): string {
  if (!part.includes('%')) return part;
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

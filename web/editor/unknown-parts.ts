/**
 * Documents can come from the API or from other editors. Other names for the same node are replaced. This editor would
 * drop unknown parts with the first change, so the user has to agree first.
 */
import type { JSONContent } from '@tiptap/core';
import type { Schema } from '@tiptap/pm/model';
import { splitTags } from './nodes/variable-node.ts';

/** Returns the document with the names that this editor uses, and with merge tags as nodes. */
export function readDocument(node: JSONContent): JSONContent {
  const content = node.content?.flatMap((child) =>
    child.type === 'text' ? splitTags(child) : [readDocument(child)],
  );
  return { ...node, ...(content && { content }), ...(node.attrs && { attrs: renameAttributes(node) }) };
}

/** The server accepts these names too. */
const OTHER_NAMES: Record<string, Record<string, string>> = {
  button: { label: 'text', href: 'url' },
  image: { externalLink: 'href' },
  variable: { name: 'id' },
};

function renameAttributes({ type, attrs }: JSONContent): Record<string, unknown> {
  const names = OTHER_NAMES[type ?? ''] ?? {};
  const renamed: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(attrs ?? {})) {
    const own = names[name] ?? name;
    if (own === name || !attrs?.[own]) renamed[own] = value;
  }
  return renamed;
}

/** Returns the names of the nodes, marks and attributes that the editor would drop. */
export function findUnknownParts(document: JSONContent, { nodes, marks }: Schema): string[] {
  const found = new Set<string>();
  const look = (types: Record<string, { spec: { attrs?: object } }>, part: JSONContent) => {
    const known = types[part.type ?? ''];
    if (!known) found.add(part.type ?? '?');
    for (const [name, value] of Object.entries(part.attrs ?? {})) {
      if (known && value !== null && !(name in (known.spec.attrs ?? {}))) found.add(`${part.type} ${name}`);
    }
  };
  const walk = (node: JSONContent) => {
    look(nodes, node);
    for (const mark of node.marks ?? []) look(marks, mark);
    for (const child of node.content ?? []) walk(child);
  };
  walk(document);
  return [...found];
}

/** Returns the document without the unknown parts. Their content stays. */
export function dropUnknownParts(node: JSONContent, schema: Schema): JSONContent[] {
  const content = node.content?.flatMap((child) => dropUnknownParts(child, schema));
  const known = node.type === undefined ? undefined : schema.nodes[node.type];
  if (!known) return content ?? [];
  const marks = node.marks?.filter(({ type }) => type in schema.marks);
  return [{ ...node, ...(content && { content }), ...(marks && { marks }) }];
}

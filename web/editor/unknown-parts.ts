/**
 * Documents can come by the API, from other editors. What this one does not know it would drop with the first change, so
 * somebody must agree to that before.
 */
import type { JSONContent } from '@tiptap/core';
import type { Schema } from '@tiptap/pm/model';

/** The names of nodes, marks and attributes that the editor would drop. */
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

/** The document without them; what stands inside of an unknown part stays. */
export function dropUnknownParts(node: JSONContent, schema: Schema): JSONContent[] {
  const content = node.content?.flatMap((child) => dropUnknownParts(child, schema));
  const known = node.type === undefined ? undefined : schema.nodes[node.type];
  if (!known) return asText(node) ?? content ?? [];
  const marks = node.marks?.filter(({ type }) => type in schema.marks);
  return [{ ...node, ...(content && { content }), ...(marks && { marks }), ...asButton(node) }];
}

/** Other editors have a node for a merge tag. */
function asText({ type, attrs }: JSONContent): JSONContent[] | null {
  const name: unknown = attrs?.['id'] ?? attrs?.['name'];
  if (type !== 'variable' || typeof name !== 'string') return null;
  const fallback: unknown = attrs?.['fallback'];
  const tag = typeof fallback === 'string' && fallback !== '' ? `${name},fallback=${fallback}` : name;
  return [{ type: 'text', text: `{{${tag}}}` }];
}

/** The server reads these names as well. */
function asButton({ type, attrs }: JSONContent): JSONContent {
  if (type !== 'button') return {};
  const { text, label, url, href } = attrs ?? {};
  return { attrs: { text: text || label || '', url: url || href || '' } };
}

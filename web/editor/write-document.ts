/**
 * Writes the document of the editor without the attributes that have their default, which are most of them. A long letter
 * would otherwise be larger than the server accepts.
 */
interface Attributes {
  [name: string]: unknown;
}

interface JsonNode {
  type?: string;
  attrs?: Attributes | undefined;
  marks?: JsonNode[];
  content?: JsonNode[];
}

/** As in a ProseMirror schema. */
interface Types {
  [type: string]: { spec: { attrs?: { [name: string]: { default?: unknown } } | null | undefined } };
}

export function writeDocument(document: JsonNode, schema: { nodes: Types; marks: Types }): string {
  return JSON.stringify(write(document, schema.nodes));

  function write(node: JsonNode, types: Types): JsonNode {
    const { attrs, marks, content, ...rest } = node;
    const own = attrs && withoutDefaults(attrs, types[node.type ?? '']?.spec.attrs ?? {});
    return {
      ...rest,
      ...(own && Object.keys(own).length > 0 ? { attrs: own } : {}),
      ...(marks ? { marks: marks.map((mark) => write(mark, schema.marks)) } : {}),
      ...(content ? { content: content.map((child) => write(child, schema.nodes)) } : {}),
    };
  }
}

function withoutDefaults(attrs: Attributes, known: { [name: string]: { default?: unknown } }): Attributes {
  return Object.fromEntries(
    Object.entries(attrs).filter(([name, value]) => {
      const attribute = known[name];
      return attribute === undefined || !('default' in attribute) || attribute.default !== value;
    }),
  );
}

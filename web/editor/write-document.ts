/**
 * Writes the document of the editor without attributes that have their default value, which are most of them.
 * Otherwise a long email could be larger than the server accepts.
 *
 * After a last block that is not a paragraph, the editor has an empty line in which people can continue. It is not
 * part of the email: it is added before the editor loads the document, so that opening a document does not change it,
 * and left out when the document is written.
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

/** The types in the form of a ProseMirror schema. */
interface Types {
  [type: string]: { spec: { attrs?: { [name: string]: { default?: unknown } } | null | undefined } };
}

export function writeDocument(document: JsonNode, schema: { nodes: Types; marks: Types }): string {
  return JSON.stringify(write(withoutLastLine(document), schema.nodes));

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

const EMPTY_LINE = { type: 'paragraph' };

export function withLastLine<Document extends JsonNode>(document: Document): Document {
  const { content = [] } = document;
  if (content.length === 0 || content.at(-1)?.type === 'paragraph') return document;
  return { ...document, content: [...content, EMPTY_LINE] };
}

function withoutLastLine(document: JsonNode): JsonNode {
  const { content = [] } = document;
  const last = content.at(-1);
  const before = content.at(-2);
  const isAdded =
    last?.type === 'paragraph' &&
    !last.content?.length &&
    before !== undefined &&
    before.type !== 'paragraph';
  return isAdded ? { ...document, content: content.slice(0, -1) } : document;
}

function withoutDefaults(attrs: Attributes, known: { [name: string]: { default?: unknown } }): Attributes {
  return Object.fromEntries(
    Object.entries(attrs).filter(([name, value]) => {
      const attribute = known[name];
      return attribute === undefined || !('default' in attribute) || attribute.default !== value;
    }),
  );
}

/** Decides whether a document has no visible content. */
interface DocumentNode {
  type?: string;
  text?: string;
  content?: DocumentNode[];
}

/** Nodes that have no content of their own. */
const FRAMES = new Set(['doc', 'paragraph', 'heading', 'hardBreak', 'horizontalRule']);

export function isBlankHtml(html: string): boolean {
  return !/<img\b/i.test(html) && html.replaceAll(/<[^<>]*>|&nbsp;|\s/g, '') === '';
}

/** Takes a document of the editor as JSON. */
export function isBlankDocument(content: string): boolean {
  try {
    return !shows(JSON.parse(content) as DocumentNode);
  } catch {
    return true;
  }
}

function shows(node: DocumentNode): boolean {
  if (node.type === 'text') return (node.text ?? '').trim() !== '';
  if (node.content) return node.content.some(shows);
  return !FRAMES.has(node.type ?? 'doc');
}

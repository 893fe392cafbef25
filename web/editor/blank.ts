/** Whether there is nothing to see in what somebody wrote. */
interface DocumentNode {
  type?: string;
  text?: string;
  content?: DocumentNode[];
}

/** What can stand there with nothing in it. */
const FRAMES = new Set(['doc', 'paragraph', 'heading', 'hardBreak', 'horizontalRule']);

export function isBlankHtml(html: string): boolean {
  return !/<img\b/i.test(html) && html.replaceAll(/<[^<>]*>|&nbsp;|\s/g, '') === '';
}

/** Of a document of the editor, in JSON. */
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

/** A merge tag in the text, shown as a chip. Typing or pasting `{{name}}` creates one. */
import { InputRule, Node, PasteRule, type JSONContent } from '@tiptap/core';
import { TAG } from '../../../src/mail/html/tag-names.ts';
import { editorTexts } from '../../texts/en/editor.ts';

export const VariableNode = Node.create({
  name: 'variable',
  group: 'inline',
  inline: true,
  atom: true,
  addAttributes: () => ({
    id: {
      default: '',
      parseHTML: (element) => element.getAttribute('data-variable'),
      renderHTML: ({ id }) => ({ 'data-variable': id as string }),
    },
    fallback: {
      default: null,
      parseHTML: (element) => element.getAttribute('data-fallback'),
      renderHTML: ({ fallback }) => (fallback ? { 'data-fallback': fallback as string } : {}),
    },
  }),
  parseHTML: () => [{ tag: 'span[data-variable]' }],
  renderHTML: ({ node, HTMLAttributes }) => ['span', HTMLAttributes, tagOf(node.attrs)],
  renderText: ({ node }) => tagOf(node.attrs),
  addNodeView: () => (props) => {
    const dom = document.createElement('span');
    dom.className = 'mail-tag';
    const { id, fallback } = props.node.attrs as { id: string; fallback: string | null };
    dom.textContent = fallback ? editorTexts.tagOr(id, fallback) : id;
    dom.title = tagOf(props.node.attrs);
    return { dom };
  },
  addInputRules() {
    return [
      new InputRule({
        find: new RegExp(`${TAG.source}$`),
        handler: ({ range, match, chain }) => {
          chain().deleteRange(range).insertContentAt(range.from, toNode(match)).run();
        },
      }),
    ];
  },
  addPasteRules() {
    return [
      new PasteRule({
        find: TAG,
        handler: ({ range, match, chain }) => {
          chain().deleteRange(range).insertContentAt(range.from, toNode(match)).run();
        },
      }),
    ];
  },
});

function tagOf(attrs: Record<string, unknown>): string {
  const { id, fallback } = attrs as { id: string; fallback: string | null };
  return fallback ? `{{${id},fallback=${fallback}}}` : `{{${id}}}`;
}

function toNode([, id, fallback]: RegExpMatchArray): JSONContent {
  return { type: 'variable', attrs: { id, fallback: fallback?.trim() || null } };
}

/** Splits a text into its tags and the text between them. */
export function splitTags(node: JSONContent): JSONContent[] {
  const text = node.text ?? '';
  const parts: JSONContent[] = [];
  let from = 0;
  for (const match of text.matchAll(TAG)) {
    if (match.index > from) parts.push({ ...node, text: text.slice(from, match.index) });
    parts.push({ ...toNode(match), ...(node.marks && { marks: node.marks }) });
    from = match.index + match[0].length;
  }
  if (parts.length === 0) return [node];
  if (from < text.length) parts.push({ ...node, text: text.slice(from) });
  return parts;
}

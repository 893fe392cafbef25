/** Blocks that contain blocks: columns, and sections with a colour. */
import { mergeAttributes, Node, type Editor } from '@tiptap/core';
import { closeHistory } from '@tiptap/pm/history';
import { Fragment } from '@tiptap/pm/model';
import { TextSelection } from '@tiptap/pm/state';
import { kept } from './attribute.ts';

/** The layouts by the number of columns. src/mail/html/editor/editor-layout.ts renders them. */
export const LAYOUTS = {
  2: ['equal', '1-2', '2-1'],
  3: ['equal', '2-1-1', '1-2-1', '1-1-2'],
} as const;

/** A new third column is empty. When it is removed, its content moves to the second. This is one undo step. */
export function setColumnCount(editor: Editor, at: number, count: 2 | 3): void {
  const { state, schema } = editor;
  const columns = state.doc.nodeAt(at);
  if (!columns || columns.childCount === count) return;
  const tr = closeHistory(state.tr);
  const added = schema.nodes['column']!.create(null, schema.nodes['paragraph']!.create());
  if (count === 3) tr.insert(at + columns.nodeSize - 1, added);
  else {
    const [first, second, third] = columns.children;
    const joined = second!.copy(withoutEmptyLines(second!.content).append(withoutEmptyLines(third!.content)));
    const kept = joined.childCount > 0 ? joined : second!;
    tr.replaceWith(at + 1, at + columns.nodeSize - 1, [first!, kept]);
  }
  tr.setNodeAttribute(at, 'layout', null);
  tr.setSelection(TextSelection.near(tr.doc.resolve(at + 1)));
  editor.view.dispatch(tr);
}

function withoutEmptyLines(content: Fragment): Fragment {
  return Fragment.from(
    content.content.filter(({ isTextblock, childCount }) => !isTextblock || childCount > 0),
  );
}

export const ColumnsNode = Node.create({
  name: 'columns',
  group: 'block',
  content: 'column{2,3}',
  isolating: true,
  draggable: true,
  addAttributes: () => ({
    layout: kept('layout', null, (value) => ({ 'data-shares': String(value) })),
    verticalAlign: kept('verticalAlign'),
    stack: kept('stack', true),
  }),
  parseHTML: () => [{ tag: 'div[data-columns]' }],
  renderHTML: ({ HTMLAttributes }) => ['div', mergeAttributes(HTMLAttributes, { 'data-columns': '' }), 0],
});

export const ColumnNode = Node.create({
  name: 'column',
  content: 'block+',
  isolating: true,
  parseHTML: () => [{ tag: 'div[data-column]' }],
  renderHTML: ({ HTMLAttributes }) => ['div', mergeAttributes(HTMLAttributes, { 'data-column': '' }), 0],
});

export const SectionNode = Node.create({
  name: 'section',
  group: 'block',
  content: 'block+',
  defining: true,
  draggable: true,
  parseHTML: () => [{ tag: 'div[data-section]' }],
  renderHTML: ({ HTMLAttributes }) => ['div', mergeAttributes(HTMLAttributes, { 'data-section': '' }), 0],
});

/**
 * Insertions from a toolbar or a menu. They go after the selection and replace only an empty line. Each is one
 * undo step.
 */
import { createDocument, type ChainedCommands, type Editor, type JSONContent } from '@tiptap/core';
import { closeHistory } from '@tiptap/pm/history';
import type { Node } from '@tiptap/pm/model';
import { NodeSelection, TextSelection, type Transaction } from '@tiptap/pm/state';

/**
 * Inserts a button, an image or a line. Then the caret is in the text after it or in the block itself, or the block is
 * selected. Where another block follows, there is no text for the caret, so the block is selected: an empty line between
 * them would be in the email. At the end there is always a line to write in.
 */
export function insertBlock(
  editor: Editor,
  block: JSONContent,
  caret: 'after' | 'inside' | 'on' = 'after',
): void {
  changeOnce(editor, (chain) =>
    chain.command(({ tr, state }) => {
      const node = state.schema.nodeFromJSON(block);
      const end = placeBlock(tr, node);
      const next = tr.doc.resolve(end).nodeAfter;
      if (!next) addParagraph(tr, end);
      const start = end - node.nodeSize;
      const isSelected = caret === 'on' || (caret === 'after' && next !== null && !next.isTextblock);
      const place = tr.doc.resolve(caret === 'inside' ? start + 1 : end + 1);
      tr.setSelection(isSelected ? NodeSelection.create(tr.doc, start) : TextSelection.near(place));
      tr.scrollIntoView();
      return true;
    }),
  );
}

/** Replaces selected text, as typing does, but never a selected button or image. */
export function insertTag(editor: Editor, attrs: { id: string; fallback: string | null }): void {
  changeOnce(editor, (chain) =>
    chain.command(({ tr, state }) => {
      leaveNode(tr);
      const tag = state.schema.nodes['variable']!.create(attrs, null, tr.selection.$from.marks());
      tr.replaceSelectionWith(tag, false).scrollIntoView();
      return true;
    }),
  );
}

/** Inserts content that arrives later, when the selection may have changed. */
export function insertBehind(editor: Editor, content: string | JSONContent): void {
  changeOnce(editor, (chain) => chain.insertContentAt(editor.state.selection.to, content));
}

/** Replaces only what differs from `html`. The caret and the focus stay where they are. */
export function changeTo(editor: Editor, html: string): void {
  const { doc } = editor.state;
  const next = createDocument(html, editor.schema, { preserveWhitespace: 'full' });
  const start = doc.content.findDiffStart(next.content);
  const end = doc.content.findDiffEnd(next.content);
  if (start === null || !end) return;
  // The equal parts at both ends can overlap in the middle.
  const overlap = Math.max(0, start - Math.min(end.a, end.b));
  closeUndoStep(editor);
  editor.view.dispatch(editor.state.tr.replace(start, end.a + overlap, next.slice(start, end.b + overlap)));
  closeUndoStep(editor);
}

/** Makes the change an undo step of its own, separate from the typing before and after it. */
export function changeOnce(editor: Editor, change: (chain: ChainedCommands) => ChainedCommands): void {
  closeUndoStep(editor);
  change(editor.chain().focus()).run();
  closeUndoStep(editor);
}

function closeUndoStep(editor: Editor): void {
  editor.view.dispatch(closeHistory(editor.state.tr));
}

/** Moves the caret after the selected node, to a line of its own. Returns false if no node is selected. */
export function leaveNode(tr: Transaction): boolean {
  if (!(tr.selection instanceof NodeSelection)) return false;
  const { node, to } = tr.selection;
  if (node.isInline) {
    tr.setSelection(TextSelection.create(tr.doc, to));
    return true;
  }
  const next = tr.doc.resolve(to).nodeAfter;
  if (!next?.isTextblock || next.content.size > 0) addParagraph(tr, to);
  tr.setSelection(TextSelection.create(tr.doc, to + 1));
  return true;
}

/** Returns the position after the block. */
function placeBlock(tr: Transaction, block: Node): number {
  const { $to } = tr.selection;
  const { parent } = $to;
  if (!parent.isTextblock) return insertAt(tr, $to.pos, block);
  const isEmpty = parent.content.size === 0;
  if (isEmpty && $to.node(-1).canReplaceWith($to.index(-1), $to.indexAfter(-1), block.type)) {
    tr.replaceWith($to.before(), $to.after(), block);
    return $to.before() + block.nodeSize;
  }
  if ($to.parentOffset === 0 && !isEmpty && $to.depth === 1) return insertAt(tr, $to.before(), block);
  if ($to.parentOffset < parent.content.size) tr.split($to.pos);
  // After the end of the line with the caret.
  return insertAt(tr, $to.pos + 1, block);
}

function insertAt(tr: Transaction, at: number, block: Node): number {
  tr.insert(at, block);
  return at + block.nodeSize;
}

function addParagraph(tr: Transaction, at: number): void {
  tr.insert(at, tr.doc.type.schema.nodes.paragraph!.create());
}

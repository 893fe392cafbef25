/**
 * Insertions from a toolbar or a menu. They stand behind what is selected and replace nothing but an empty line. Each
 * can be undone by itself.
 */
import { createDocument, type ChainedCommands, type Editor, type JSONContent } from '@tiptap/core';
import { closeHistory } from '@tiptap/pm/history';
import type { Node } from '@tiptap/pm/model';
import { NodeSelection, TextSelection, type Transaction } from '@tiptap/pm/state';

/** A button, an image or a line. The caret goes into the text behind it. */
export function insertBlock(editor: Editor, block: JSONContent): void {
  changeOnce(editor, (chain) =>
    chain.command(({ tr, state }) => {
      const end = placeBlock(tr, state.schema.nodeFromJSON(block));
      if (!tr.doc.resolve(end).nodeAfter?.isTextblock) addParagraph(tr, end);
      tr.setSelection(TextSelection.create(tr.doc, end + 1)).scrollIntoView();
      return true;
    }),
  );
}

/** A text takes the place of selected text, as typing does, but never that of a selected button or image. */
export function insertText(editor: Editor, text: string): void {
  changeOnce(editor, (chain) =>
    chain.command(({ tr }) => {
      leaveNode(tr);
      tr.insertText(text).scrollIntoView();
      return true;
    }),
  );
}

/** Text or images of a letter, which can come when something else is selected by then. */
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
  // What is alike at both ends may overlap in the middle.
  const overlap = Math.max(0, start - Math.min(end.a, end.b));
  closeUndoStep(editor);
  editor.view.dispatch(editor.state.tr.replace(start, end.a + overlap, next.slice(start, end.b + overlap)));
  closeUndoStep(editor);
}

/** A change that is undone by itself, apart from what was typed just before and just behind it. */
export function changeOnce(editor: Editor, change: (chain: ChainedCommands) => ChainedCommands): void {
  closeUndoStep(editor);
  change(editor.chain().focus()).run();
  closeUndoStep(editor);
}

function closeUndoStep(editor: Editor): void {
  editor.view.dispatch(closeHistory(editor.state.tr));
}

/** Puts the caret behind the selected node, in a line of its own. False when no node is selected. */
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

/** Returns the position behind the block. */
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
  // Behind the end of the line that the caret was in.
  return insertAt(tr, $to.pos + 1, block);
}

function insertAt(tr: Transaction, at: number, block: Node): number {
  tr.insert(at, block);
  return at + block.nodeSize;
}

function addParagraph(tr: Transaction, at: number): void {
  tr.insert(at, tr.doc.type.schema.nodes.paragraph!.create());
}

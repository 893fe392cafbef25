/** Moves, copies and removes the block that is selected or contains the caret. Each is one undo step. */
import type { Editor } from '@tiptap/core';
import { closeHistory } from '@tiptap/pm/history';
import type { Node } from '@tiptap/pm/model';
import { NodeSelection, TextSelection, type EditorState, type Transaction } from '@tiptap/pm/state';

interface PlacedBlock {
  node: Node;
  /** The position before the block. */
  at: number;
}

/** Returns the outermost block inside the email, a column or a section. */
function currentBlock({ selection }: EditorState): PlacedBlock | null {
  const { $from } = selection;
  if (selection instanceof NodeSelection && selection.node.isBlock)
    return { node: selection.node, at: selection.from };
  for (let depth = $from.depth; depth > 0; depth--) {
    const holder = $from.node(depth - 1).type.name;
    if (['doc', 'column', 'section'].includes(holder) && $from.node(depth).type.name !== 'column')
      return { node: $from.node(depth), at: $from.before(depth) };
  }
  return null;
}

export function moveBlock(editor: Editor, by: 1 | -1): boolean {
  const { state } = editor;
  const block = currentBlock(state);
  if (!block) return false;
  const { node, at } = block;
  const $at = state.doc.resolve(at);
  const index = $at.index();
  const { parent } = $at;
  if (index + by < 0 || index + by >= parent.childCount) return true;
  const neighbour = parent.child(index + by);
  const inside = state.selection.from - at;
  const tr = closeHistory(state.tr).delete(at, at + node.nodeSize);
  const to = by === 1 ? at + neighbour.nodeSize : at - neighbour.nodeSize;
  tr.insert(to, node);
  const isWhole = state.selection instanceof NodeSelection && state.selection.from === at;
  tr.setSelection(
    isWhole ? NodeSelection.create(tr.doc, to) : TextSelection.near(tr.doc.resolve(to + inside)),
  );
  return dispatch(editor, tr);
}

export function copyBlock(editor: Editor): boolean {
  const block = currentBlock(editor.state);
  if (!block) return false;
  const after = block.at + block.node.nodeSize;
  const tr = closeHistory(editor.state.tr).insert(after, block.node);
  if (NodeSelection.isSelectable(block.node)) tr.setSelection(NodeSelection.create(tr.doc, after));
  return dispatch(editor, tr);
}

/** If the last block is removed, an empty line remains. */
export function removeBlock(editor: Editor): boolean {
  const block = currentBlock(editor.state);
  if (!block) return false;
  const { node, at } = block;
  const tr = closeHistory(editor.state.tr);
  const isOnly = tr.doc.resolve(at).parent.childCount === 1;
  if (isOnly) tr.replaceWith(at, at + node.nodeSize, editor.schema.nodes['paragraph']!.create());
  else tr.delete(at, at + node.nodeSize);
  tr.setSelection(TextSelection.near(tr.doc.resolve(Math.min(at, tr.doc.content.size)), -1));
  return dispatch(editor, tr);
}

function dispatch(editor: Editor, tr: Transaction): true {
  editor.view.dispatch(tr.scrollIntoView());
  editor.view.focus();
  return true;
}

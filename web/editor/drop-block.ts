/** Blocks that are dragged from the palette into the email. */
import type { Editor } from '@tiptap/core';
import { closeHistory } from '@tiptap/pm/history';
import { Fragment, Slice, type Node } from '@tiptap/pm/model';
import { NodeSelection, TextSelection, type Transaction } from '@tiptap/pm/state';
import { dropPoint } from '@tiptap/pm/transform';
import type { EditorView } from '@tiptap/pm/view';
import { BLOCKS, type Block } from './blocks.ts';

const BLOCK_TYPE = 'application/x-posthorn-block';

export function startBlockDrag(editor: Editor, block: Block, data: DataTransfer): void {
  data.setData(BLOCK_TYPE, block.id);
  data.effectAllowed = 'copy';
  // With this, the editor shows where the block can be dropped.
  editor.view.dragging = { slice: sliceOf(nodeOf(editor, block)), move: false };
}

/** This is also called for a drag that ended elsewhere. */
export function endBlockDrag({ view }: Editor): void {
  view.dragging = null;
}

/** Returns whether a block was dropped. */
export function dropBlock(
  editor: Editor,
  event: DragEvent,
  ask: (insertion: 'image' | 'button') => void,
): boolean {
  const block = BLOCKS.find(({ id }) => id === event.dataTransfer?.getData(BLOCK_TYPE));
  if (!block) return false;
  const node = nodeOf(editor, block);
  const at = findPlace(editor.view, event, node);
  const tr = closeHistory(editor.state.tr);
  if (block.node) {
    tr.insert(at, node);
    const inside = TextSelection.findFrom(tr.doc.resolve(at + 1), 1, true);
    const isInside = inside !== null && inside.from < at + node.nodeSize;
    tr.setSelection(isInside ? inside : NodeSelection.create(tr.doc, at));
  } else selectBefore(tr, at);
  editor.view.dispatch(tr.scrollIntoView());
  editor.view.focus();
  // Such a block is inserted after the selection.
  if (!block.node) block.run(editor, ask);
  return true;
}

/** A block that opens a dialog has no node yet. It can be dropped where a paragraph can. */
function nodeOf({ schema }: Editor, block: Block): Node {
  return schema.nodeFromJSON(block.node?.() ?? { type: 'paragraph' });
}

function sliceOf(node: Node): Slice {
  return new Slice(Fragment.from(node), 0, 0);
}

function findPlace(view: EditorView, { clientX, clientY }: DragEvent, node: Node): number {
  const { doc } = view.state;
  const under = view.posAtCoords({ left: clientX, top: clientY })?.pos ?? doc.content.size;
  return dropPoint(doc, under, sliceOf(node)) ?? doc.content.size;
}

function selectBefore(tr: Transaction, at: number): void {
  const before = tr.doc.resolve(at).nodeBefore;
  if (!before) tr.setSelection(TextSelection.near(tr.doc.resolve(at), 1));
  else if (before.isTextblock) tr.setSelection(TextSelection.create(tr.doc, at - 1));
  else tr.setSelection(NodeSelection.create(tr.doc, at - before.nodeSize));
}

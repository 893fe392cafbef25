/**
 * A handle beside the block under the pointer, to drag the block elsewhere. It is for the mouse; with the keyboard,
 * blocks are moved with Alt and the arrow keys.
 */
import { Extension } from '@tiptap/core';
import { NodeSelection, Plugin, type EditorState } from '@tiptap/pm/state';
import type { EditorView } from '@tiptap/pm/view';
import { editorTexts } from '../texts/en/editor.ts';
import { moveBlock } from './nodes/move-block.ts';

/** How far the handle is to the left of its block, in pixels. */
const HANDLE_LEFT = 26;

export const DragHandle = Extension.create({
  name: 'dragHandle',
  addKeyboardShortcuts() {
    return {
      'Alt-ArrowUp': () => moveBlock(this.editor, -1),
      'Alt-ArrowDown': () => moveBlock(this.editor, 1),
    };
  },
  addProseMirrorPlugins: () => [new Plugin({ view: (view) => addHandle(view) })],
});

function addHandle(view: EditorView) {
  const handle = document.createElement('div');
  handle.className = 'mail-handle';
  handle.draggable = true;
  handle.setAttribute('aria-hidden', 'true');
  handle.title = editorTexts.drag;
  handle.hidden = true;
  let position: number | null = null;

  const hide = () => void (handle.hidden = true);
  // The editor is inserted into the page after this runs, so its parent is not known here.
  const follow = (event: MouseEvent) => {
    const frame = view.dom.parentElement;
    if (event.target === handle || !frame) return;
    const around = frame.getBoundingClientRect();
    const block = isNear(around, event) ? findBlock(view, event) : null;
    handle.hidden = block === null;
    if (!block) return;
    if (handle.parentElement !== frame) {
      frame.style.position = 'relative';
      frame.append(handle);
    }
    const box = block.getBoundingClientRect();
    handle.style.top = `${box.top - around.top}px`;
    handle.style.left = `${box.left - around.left - HANDLE_LEFT}px`;
    position = positionOf(view, block);
  };
  const select = () => {
    if (position === null || position >= view.state.doc.content.size) return false;
    const { tr, doc } = view.state;
    if (!doc.nodeAt(position)) return false;
    view.dispatch(tr.setSelection(NodeSelection.create(doc, position)));
    return true;
  };
  handle.addEventListener('click', () => select() && view.focus());
  handle.addEventListener('dragstart', (event) => {
    if (!event.dataTransfer || !select()) return event.preventDefault();
    const { selection } = view.state;
    const { dom, text, slice } = view.serializeForClipboard(selection.content());
    event.dataTransfer.setData('text/html', dom.innerHTML);
    event.dataTransfer.setData('text/plain', text);
    event.dataTransfer.effectAllowed = 'move';
    const shown = view.nodeDOM(selection.from);
    if (shown instanceof Element) event.dataTransfer.setDragImage(shown, 0, 0);
    view.dragging = { slice, move: true };
  });
  handle.addEventListener('dragend', hide);
  document.addEventListener('mousemove', follow);
  view.dom.addEventListener('keydown', hide);
  return {
    // After a change its block may be elsewhere. The handle is shown again when the pointer moves.
    update: (_view: EditorView, { doc }: EditorState) => void (doc === view.state.doc || hide()),
    destroy() {
      document.removeEventListener('mousemove', follow);
      view.dom.removeEventListener('keydown', hide);
      handle.remove();
    },
  };
}

/** The handle is to the left of the editor, with a gap between them. */
function isNear({ left, right, top, bottom }: DOMRect, { clientX: x, clientY: y }: MouseEvent): boolean {
  return x >= left - HANDLE_LEFT - 10 && x <= right && y >= top - 4 && y <= bottom + 4;
}

/** Returns the top-level block, or the block of a column, at the height of the pointer. */
function findBlock(view: EditorView, { clientX, clientY }: MouseEvent): HTMLElement | null {
  const within = [...view.dom.querySelectorAll('[data-column] > *, [data-section] > *')].filter((block) => {
    const { left, right } = block.getBoundingClientRect();
    return clientX >= left - 30 && clientX <= right;
  });
  for (const block of [...within.toReversed(), ...view.dom.children]) {
    const { top, bottom } = block.getBoundingClientRect();
    if (clientY >= top - 4 && clientY <= bottom + 4 && block instanceof HTMLElement) return block;
  }
  return null;
}

/** Returns the position before the block, or null if the element is not a block. */
function positionOf(view: EditorView, block: HTMLElement): number | null {
  const parent = block.parentElement!;
  const at = view.posAtDOM(parent, [...parent.childNodes].indexOf(block));
  return view.nodeDOM(at) === block ? at : null;
}

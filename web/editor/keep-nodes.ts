/**
 * Buttons, images and lines stay until somebody removes them: what is typed or pasted while one is selected goes behind
 * it, and Backspace or Delete beside one selects it first. A click on a button or an image, or Enter while it is selected, opens its fields. No click follows a link.
 */
import { Extension } from '@tiptap/core';
import { NodeSelection, Plugin } from '@tiptap/pm/state';
import type { EditorProps, EditorView } from '@tiptap/pm/view';
import { leaveNode } from './insertion.ts';

export type EditableNode = 'image' | 'button';

interface KeepNodesOptions {
  onEdit(name: EditableNode): void;
}

export const KeepNodes = Extension.create<KeepNodesOptions>({
  name: 'keepNodes',
  addOptions: () => ({ onEdit() {} }),
  addProseMirrorPlugins() {
    const { onEdit } = this.options;
    const editOnClick: EditorProps['handleClickOn'] = (view, _pos, node, nodePos, _event, isDirect) => {
      if (!isDirect || !isEditable(node.type.name)) return false;
      view.dispatch(view.state.tr.setSelection(NodeSelection.create(view.state.doc, nodePos)));
      onEdit(node.type.name);
      return true;
    };
    return [
      new Plugin({
        props: {
          handleClickOn: editOnClick,
          // Two clicks in a row can be meant as one each.
          handleDoubleClickOn: editOnClick,
          handleTripleClickOn: editOnClick,
          handleKeyDown(view, event) {
            if (event.key === 'Delete') return selectNeighbour(view, 'forward');
            if (event.key === 'Backspace') return selectNeighbour(view, 'backward');
            const name = selectedNode(view);
            const isEnter = event.key === 'Enter' && !event.ctrlKey && !event.metaKey && !event.shiftKey;
            if (!isEnter || !isEditable(name)) return false;
            onEdit(name);
            return true;
          },
          handleTextInput(view, _from, _to, text) {
            const { tr } = view.state;
            if (!leaveNode(tr)) return false;
            view.dispatch(tr.insertText(text).scrollIntoView());
            return true;
          },
          handlePaste: (view) => leaveFirst(view),
          handleDOMEvents: {
            compositionstart: (view) => leaveFirst(view),
            click: (_view, event) => followNoLink(event),
            auxclick: (_view, event) => followNoLink(event),
          },
        },
      }),
    ];
  },
});

/** The block beside the caret, where it is a button, an image or a line; otherwise the key removed it unseen. */
function selectNeighbour(view: EditorView, direction: 'forward' | 'backward'): boolean {
  const { doc, selection, tr } = view.state;
  const { $from, empty } = selection;
  const isBeside = $from.parent.isTextblock && view.endOfTextblock(direction);
  // An empty line is removed, and what stands before it is selected then.
  if (!empty || !isBeside || $from.parent.content.size === 0) return false;
  const edge = direction === 'forward' ? $from.after() : $from.before();
  const $edge = doc.resolve(edge);
  const node = direction === 'forward' ? $edge.nodeAfter : $edge.nodeBefore;
  if (!node?.isAtom) return false;
  const start = direction === 'forward' ? edge : edge - node.nodeSize;
  view.dispatch(tr.setSelection(NodeSelection.create(doc, start)).scrollIntoView());
  return true;
}

/** What is done next is left to the editor. */
function leaveFirst(view: EditorView): false {
  const { tr } = view.state;
  if (leaveNode(tr)) view.dispatch(tr);
  return false;
}

function followNoLink(event: Event): false {
  if (event.target instanceof Element && event.target.closest('a')) event.preventDefault();
  return false;
}

function selectedNode({ state: { selection } }: EditorView): string {
  return selection instanceof NodeSelection ? selection.node.type.name : '';
}

function isEditable(name: string): name is EditableNode {
  return name === 'image' || name === 'button';
}

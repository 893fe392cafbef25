/**
 * Buttons, images and lines stay until somebody removes them: what is typed or pasted while one is selected goes behind
 * it. A click on a button or an image, or Enter while it is selected, opens its fields. No click follows a link.
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

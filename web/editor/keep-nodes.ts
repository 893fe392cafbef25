/**
 * Keeps blocks such as buttons and images until the user removes them. Text that is typed or pasted while one is
 * selected goes after it. Backspace or Delete next to one selects it first. A click on one, or Enter while it is
 * selected, opens its fields. Clicks do not follow links.
 */
import { Extension } from '@tiptap/core';
import { NodeSelection, Plugin } from '@tiptap/pm/state';
import type { EditorProps, EditorView } from '@tiptap/pm/view';
import { leaveNode } from './insertion.ts';

interface KeepNodesOptions {
  /** The nodes that have fields. */
  names: readonly string[];
  onEdit(name: string, by: 'click' | 'key'): void;
}

export const KeepNodes = Extension.create<KeepNodesOptions>({
  name: 'keepNodes',
  addOptions: () => ({ names: ['image', 'button'], onEdit() {} }),
  addProseMirrorPlugins() {
    const { names, onEdit } = this.options;
    const editOnClick: EditorProps['handleClickOn'] = (view, _pos, node, nodePos, _event, isDirect) => {
      if (!isDirect || !names.includes(node.type.name)) return false;
      view.dispatch(view.state.tr.setSelection(NodeSelection.create(view.state.doc, nodePos)));
      onEdit(node.type.name, 'click');
      return true;
    };
    return [
      new Plugin({
        props: {
          handleClickOn: editOnClick,
          // Two quick clicks can be meant as two single clicks.
          handleDoubleClickOn: editOnClick,
          handleTripleClickOn: editOnClick,
          handleKeyDown(view, event) {
            if (event.key === 'Delete') return selectNeighbour(view, 'forward');
            if (event.key === 'Backspace') return selectNeighbour(view, 'backward');
            const name = selectedNode(view);
            const isEnter = event.key === 'Enter' && !event.ctrlKey && !event.metaKey && !event.shiftKey;
            if (!isEnter || !names.includes(name)) return false;
            onEdit(name, 'key');
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

/** Selects the button, image or line next to the caret. Otherwise the key would remove it unnoticed. */
function selectNeighbour(view: EditorView, direction: 'forward' | 'backward'): boolean {
  const { doc, selection, tr } = view.state;
  const { $from, empty } = selection;
  const isBeside = $from.parent.isTextblock && view.endOfTextblock(direction);
  // An empty line is removed, and then the block before it is selected.
  if (!empty || !isBeside || $from.parent.content.size === 0) return false;
  const edge = direction === 'forward' ? $from.after() : $from.before();
  const $edge = doc.resolve(edge);
  const node = direction === 'forward' ? $edge.nodeAfter : $edge.nodeBefore;
  if (!node?.isAtom) return false;
  const start = direction === 'forward' ? edge : edge - node.nodeSize;
  view.dispatch(tr.setSelection(NodeSelection.create(doc, start)).scrollIntoView());
  return true;
}

/** The editor handles the key afterwards. */
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

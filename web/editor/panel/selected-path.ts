/** The nodes whose settings are shown: the selected one, or the block with the caret, and everything around it. */
import type { Editor } from '@tiptap/core';
import { NodeSelection, type EditorState } from '@tiptap/pm/state';

type Attributes = Record<string, unknown>;

export interface SelectedNode {
  type: string;
  /** Null for the email itself. */
  at: number | null;
  attrs: Attributes;
  /** The type of the node around it. */
  parent: string | null;
}

/** The properties of the components for the settings of nodes. */
export interface NodeFieldsProps extends Pick<SelectedNode, 'at' | 'attrs'> {
  editor: Editor;
  set(changes: Attributes): void;
}

/** Returns the innermost node first and the email last. */
export function selectedPath({ selection, doc }: EditorState): SelectedNode[] {
  const path: SelectedNode[] = [];
  const { $from } = selection;
  if (selection instanceof NodeSelection)
    path.push({
      type: selection.node.type.name,
      at: selection.from,
      attrs: selection.node.attrs,
      parent: $from.parent.type.name,
    });
  for (let depth = $from.depth; depth > 0; depth--) {
    const { type, attrs } = $from.node(depth);
    path.push({ type: type.name, at: $from.before(depth), attrs, parent: $from.node(depth - 1).type.name });
  }
  return [...path, { type: 'doc', at: null, attrs: doc.attrs, parent: null }];
}

/** Changes only attributes, so that the selection stays. */
export function setAttributes(editor: Editor, { at }: SelectedNode, changes: Attributes): void {
  const { tr } = editor.state;
  for (const [name, value] of Object.entries(changes)) {
    if (at === null) tr.setDocAttribute(name, value);
    else tr.setNodeAttribute(at, name, value);
  }
  editor.view.dispatch(tr);
}

import type { Editor } from '@tiptap/core';
import { NodeSelection, type EditorState } from '@tiptap/pm/state';
import { useEditorState } from '@tiptap/react';
import { editorTexts } from '../texts/en/editor.ts';
import { classes } from '../ui/classes.ts';

const t = editorTexts;

/** Explains the keys for the selected block. Screen readers announce it. */
export function SelectedNode({ editor, className }: { editor: Editor; className?: string }) {
  const hint = useEditorState({
    editor,
    selector: ({ editor: { state } }) => describe(state),
  });
  return (
    <p role="status" className={classes('text-[0.8125rem] text-soft', hint !== '' && className)}>
      {hint}
    </p>
  );
}

function describe({ selection }: EditorState): string {
  if (!(selection instanceof NodeSelection)) return '';
  const name = selection.node.type.name;
  return name in t.settings.names ? t.selected(t.settings.names[name as keyof typeof t.settings.names]) : '';
}

import type { Editor } from '@tiptap/core';
import { useEditorState } from '@tiptap/react';
import { texts } from '../texts/en.ts';
import { classes } from '../ui/classes.ts';

const t = texts.editor;

/** Tells what the keys do with the selected image or button. It is read out, too. */
export function SelectedNode({ editor, className }: { editor: Editor; className?: string }) {
  const hint = useEditorState({
    editor,
    selector: ({ editor: now }) =>
      now.isActive('image') ? t.selected.image : now.isActive('button') ? t.selected.button : '',
  });
  return (
    <p role="status" className={classes('text-[0.8125rem] text-soft', hint !== '' && className)}>
      {hint}
    </p>
  );
}

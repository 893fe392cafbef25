import type { Editor } from '@tiptap/core';
import { NodeSelection } from '@tiptap/pm/state';
import { useEditorState } from '@tiptap/react';
import { editorTexts } from '../texts/en/editor.ts';
import { Button } from '../ui/button.tsx';

const t = editorTexts;

/** Asks for the descriptions of images that were pasted or dropped. The dialog for images asks by itself. */
export function MissingAlt({ editor }: { editor: Editor }) {
  const found = useEditorState({ editor, selector: ({ editor: now }) => findMissing(now) });
  const [first] = found;
  return (
    <div role="status" className={first === undefined ? 'sr-only' : 'mt-1.5 text-[0.8125rem] text-warn'}>
      {first !== undefined && (
        <>
          {t.missingAlt(found.length)}{' '}
          <Button size="small" onClick={() => select(editor, first)}>
            {t.showMissingAlt}
          </Button>
        </>
      )}
    </div>
  );
}

/** Returns the positions of images without a description. An empty description marks a decoration. */
function findMissing({ state: { doc } }: Editor): number[] {
  const found: number[] = [];
  doc.descendants((node, position) => {
    if (node.type.name === 'image' && node.attrs['alt'] === null) found.push(position);
  });
  return found;
}

function select(editor: Editor, position: number): void {
  const { tr, doc } = editor.state;
  editor.view.dispatch(tr.setSelection(NodeSelection.create(doc, position)).scrollIntoView());
  editor.view.focus();
}

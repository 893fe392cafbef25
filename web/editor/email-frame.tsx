/** The page of the email in the editor, in its colours and its font. */
import type { Editor } from '@tiptap/core';
import { EditorContent, useEditorState } from '@tiptap/react';
import type { CSSProperties } from 'react';
import { asColour } from './nodes/block-settings.ts';

export function EmailFrame({ editor }: { editor: Editor }) {
  const attrs = useEditorState({
    editor,
    selector: ({ editor: now }) => now.state.doc.attrs as Record<string, unknown>,
  });
  const colour = (name: string) => (attrs[name] ? asColour(attrs[name]) : undefined);
  const isOwn = ['backgroundColor', 'contentColor', 'textColor'].some((name) => attrs[name]);
  return (
    // An email with colours of its own is light, whatever the theme of the app is.
    <div
      className="mail-page"
      data-own={isOwn ? '' : undefined}
      style={{ backgroundColor: colour('backgroundColor'), '--link': colour('linkColor') } as CSSProperties}
    >
      <div
        className="mail-letter"
        data-font={typeof attrs['fontFamily'] === 'string' ? attrs['fontFamily'] : undefined}
        data-paper={attrs['contentColor'] ? '' : undefined}
        style={{ backgroundColor: colour('contentColor'), color: colour('textColor') }}
      >
        <EditorContent editor={editor} />
      </div>
    </div>
  );
}

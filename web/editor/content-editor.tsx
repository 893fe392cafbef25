/** The editor of mail: TipTap's document goes in and out as a string of JSON, as the API takes it. */
import { Image } from '@tiptap/extension-image';
import { Placeholder } from '@tiptap/extension-placeholder';
import { TextAlign } from '@tiptap/extension-text-align';
import { EditorContent, useEditor } from '@tiptap/react';
import { StarterKit } from '@tiptap/starter-kit';
import { texts } from '../texts/en.ts';
import { ButtonNode } from './button-node.ts';
import './editor.css';
import { flattenTables } from './flat-tables.ts';
import { Toolbar } from './toolbar.tsx';

const t = texts.editor;

interface ContentEditorProps {
  /** What it begins with; changes from outside are not looked at. */
  content: string;
  /** Names that can stand in merge tags. */
  variables: readonly string[];
  /** What the first document looks like, before anything was changed. */
  onReady(html: string): void;
  onChange(content: string, html: string): void;
}

export function ContentEditor({ content, variables, onReady, onChange }: ContentEditorProps) {
  const editor = useEditor({
    extensions: [
      StarterKit.configure({ heading: { levels: [1, 2] }, link: { openOnClick: false }, codeBlock: false }),
      Image,
      TextAlign.configure({ types: ['heading', 'paragraph'] }),
      Placeholder.configure({ placeholder: t.placeholder }),
      ButtonNode,
    ],
    content: parse(content),
    editorProps: {
      attributes: { 'aria-label': t.label, role: 'textbox', 'aria-multiline': 'true' },
      transformPastedHTML: flattenTables,
    },
    onCreate: ({ editor: made }) => onReady(made.getHTML()),
    onUpdate: ({ editor: changed }) => onChange(JSON.stringify(changed.getJSON()), changed.getHTML()),
  });
  return (
    <div className="mail-editor rounded-xl border border-line bg-raised">
      <Toolbar editor={editor} variables={variables} />
      <EditorContent editor={editor} />
    </div>
  );
}

/** What cannot be read is begun anew, not lost: nothing is saved before the first change. */
function parse(content: string): object | null {
  try {
    const document: unknown = JSON.parse(content);
    return typeof document === 'object' ? document : null;
  } catch {
    return null;
  }
}

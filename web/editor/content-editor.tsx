/** The editor of mail: TipTap's document goes in and out as a string of JSON, as the API takes it. */
import { getSchema, type JSONContent } from '@tiptap/core';
import { Image } from '@tiptap/extension-image';
import { Placeholder } from '@tiptap/extension-placeholder';
import { TextAlign } from '@tiptap/extension-text-align';
import { EditorContent, useEditor } from '@tiptap/react';
import type { EditorView } from '@tiptap/pm/view';
import { StarterKit } from '@tiptap/starter-kit';
import { useEffect, useRef, useState } from 'react';
import { isContactTag, isLinkTag } from '../../src/mail/tag-names.ts';
import { texts } from '../texts/en.ts';
import { Button } from '../ui/button.tsx';
import { showToast } from '../ui/toasts.ts';
import { ButtonNode } from './button-node.ts';
import './editor.css';
import { flattenTables } from './flat-tables.ts';
import { InsertDialog, type Insertion } from './insert-dialog.tsx';
import { leaveNode } from './insertion.ts';
import { KeepNodes, type EditableNode } from './keep-nodes.ts';
import { MarkedTags, namesOfTags, type IsUnknown, type WrittenTag } from './merge-tags.ts';
import { isOnTheWeb, sortPictures } from './pasted-pictures.ts';
import { SelectedNode } from './selected-node.tsx';
import { Toolbar } from './toolbar.tsx';
import { dropUnknownParts, findUnknownParts } from './unknown-parts.ts';
import { UnknownTags } from './unknown-tags.tsx';

const t = texts.editor;

interface ContentEditorProps {
  /** What it begins with; changes from outside are not looked at. */
  content: string;
  /** Names that can stand in merge tags. */
  variables: readonly string[];
  /** Any name is fine, as in templates, whose variables come with each email. */
  takesAnyTag?: boolean;
  /** What the first document looks like, before anything was changed. */
  onReady(html: string): void;
  onChange(content: string, html: string): void;
}

function extensionsWith(onEdit: (name: EditableNode) => void, isUnknown: IsUnknown) {
  return [
    StarterKit.configure({ heading: { levels: [1, 2] }, link: { openOnClick: false }, codeBlock: false }),
    // Documents that came by the API can hold such pictures; they survive being moved.
    Image.configure({ allowBase64: true }),
    TextAlign.configure({ types: ['heading', 'paragraph'] }),
    Placeholder.configure({ placeholder: t.placeholder }),
    ButtonNode,
    KeepNodes.configure({ onEdit }),
    MarkedTags.configure({ isUnknown, title: t.unknownTag }),
  ];
}

const schema = getSchema(
  extensionsWith(
    () => {},
    () => false,
  ),
);

interface OpenDialog {
  insertion: Insertion;
  note?: string;
}

export function ContentEditor(props: ContentEditorProps) {
  const [start, setStart] = useState(() => parse(props.content));
  const [unknown] = useState(() => (start ? findUnknownParts(start, schema) : []));
  const [isAgreed, setIsAgreed] = useState(unknown.length === 0);
  if (isAgreed) return <KnownEditor {...props} start={start} />;
  return (
    <div role="alert" className="rounded-xl border border-line bg-warn-tint p-5 text-warn">
      <p>{t.unknown(unknown.join(', '))}</p>
      <Button
        className="mt-4"
        onClick={() => {
          setStart(dropUnknownParts(start!, schema)[0] ?? null);
          setIsAgreed(true);
        }}
      >
        {t.editWithout}
      </Button>
    </div>
  );
}

function KnownEditor({
  start,
  variables,
  takesAnyTag = false,
  onReady,
  onChange,
}: ContentEditorProps & { start: JSONContent | null }) {
  const [open, setOpen] = useState<OpenDialog | null>(null);
  const askForAddress = () => setOpen({ insertion: 'image', note: t.pastedPicture });
  // The editor keeps the functions that it was made with; this way it finds the newest names.
  const known = useRef(variables);
  known.current = variables;
  const [html, setHtml] = useState('');
  const isUnknown = ({ name, hasFallback }: WrittenTag) =>
    !takesAnyTag && !hasFallback && !isLinkTag(name) && !isContactTag(name, known.current);
  const editor = useEditor({
    extensions: extensionsWith((insertion) => setOpen({ insertion }), isUnknown),
    content: start,
    editorProps: {
      attributes: { 'aria-label': t.label, role: 'textbox', 'aria-multiline': 'true' },
      transformPastedHTML: (html) =>
        flattenTables(sortPictures(html, (picture) => isOnTheWeb(picture) || isOwn(html), askForAddress)),
      handlePaste: (view, event) => refuseFiles(view, event.clipboardData, askForAddress),
      handleDrop: (view, event) => {
        const isRefused = refuseFiles(view, event.dataTransfer, askForAddress);
        // Otherwise the browser would leave the page and show the file.
        if (isRefused) event.preventDefault();
        return isRefused;
      },
    },
    onCreate: ({ editor: made }) => {
      setHtml(made.getHTML());
      onReady(made.getHTML());
    },
    onUpdate: ({ editor: changed }) => {
      setHtml(changed.getHTML());
      onChange(JSON.stringify(changed.getJSON()), changed.getHTML());
    },
  });
  const names = variables.join(' ');
  // Marks are made anew with each transaction.
  useEffect(() => {
    if (!editor.isDestroyed) editor.view.dispatch(editor.state.tr);
  }, [editor, names]);
  return (
    <>
      <div className="mail-editor rounded-xl border border-line bg-raised">
        <Toolbar editor={editor} variables={variables} onInsert={(insertion) => setOpen({ insertion })} />
        <EditorContent editor={editor} />
        <SelectedNode editor={editor} className="px-5 pb-3" />
        {open && (
          <InsertDialog
            insertion={open.insertion}
            note={open.note}
            editor={editor}
            onClose={() => setOpen(null)}
          />
        )}
      </div>
      <UnknownTags names={namesOfTags(html, isUnknown)} />
    </>
  );
}

/** Cut or copied in an editor of ours. */
function isOwn(html: string): boolean {
  return html.includes('data-pm-slice');
}

/** Text beside them is what is meant; the pictures in it are looked at on their own. */
function refuseFiles(view: EditorView, data: DataTransfer | null, askForAddress: () => void): boolean {
  const files = [...(data?.files ?? [])];
  if (files.length === 0 || data?.types.some((type) => type.startsWith('text/'))) return false;
  const { tr } = view.state;
  if (leaveNode(tr)) view.dispatch(tr);
  if (files.some(({ type }) => type.startsWith('image/'))) askForAddress();
  else showToast(t.droppedFile, { tone: 'bad' });
  return true;
}

/** What cannot be read is begun anew, not lost: nothing is saved before the first change. */
function parse(content: string): JSONContent | null {
  try {
    const document: unknown = JSON.parse(content);
    return typeof document === 'object' ? document : null;
  } catch {
    return null;
  }
}

/** The editor for emails. The document goes in and out as a JSON string, as the API expects it. */
import { useQuery } from '@tanstack/react-query';
import type { Editor, JSONContent } from '@tiptap/core';
import { useEditor, useEditorState } from '@tiptap/react';
import { closeHistory } from '@tiptap/pm/history';
import type { EditorView } from '@tiptap/pm/view';
import { useEffect, useRef, useState, type RefObject } from 'react';
import { isContactTag } from '../../src/features/audience/own-fields/own-fields.ts';
import { isLinkTag } from '../../src/mail/html/tag-names.ts';
import { brandQuery } from '../api/brand.ts';
import { editorTexts } from '../texts/en/editor.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialogs/dialog.tsx';
import { showToast } from '../ui/toasts.ts';
import { findBlocks } from './blocks.ts';
import './editor.css';
import { dropBlock } from './drop-block.ts';
import { EDITOR_SCHEMA, editorExtensions } from './extensions.ts';
import { InsertDialog, type Insertion } from './insert-dialog.tsx';
import { insertBlock } from './insertion.ts';
import { EmailFrame } from './email-frame.tsx';
import { isImage } from './media/media-api.ts';
import { MediaDialog, type ChosenImage } from './media/media-dialog.tsx';
import { uploadInto } from './media/uploads.ts';
import { MissingAlt } from './missing-alt.tsx';
import { namesInDocument, type WrittenTag } from './merge-tags.ts';
import { SettingsPanel } from './panel/settings-panel.tsx';
import { SidePanel } from './side-panel.tsx';
import { changePasted } from './pasted-html.ts';
import { fileOf, filterImages, isOnTheWeb, LIFTED_IMAGES } from './pasted-images.ts';
import { SelectedNode } from './selected-node.tsx';
import { SlashList, useSlash } from './slash-list.tsx';
import { EditorToolbar } from './toolbar.tsx';
import { dropUnknownParts, findUnknownParts, readDocument } from './unknown-parts.ts';
import { UnknownTags } from './unknown-tags.tsx';
import { WORD_LISTS } from './word-lists.ts';
import { withLastLine, writeDocument } from './write-document.ts';

const t = editorTexts;

interface ContentEditorProps {
  /** The initial content. Later changes of this prop are ignored. */
  content: string;
  /** The names of the known merge tags. */
  variables: readonly string[];
  /** True if every name is allowed, as in templates, whose variables come with each email. */
  takesAnyTag?: boolean;
  onChange(content: string): void;
}

export function ContentEditor(props: ContentEditorProps) {
  const [start, setStart] = useState(() => parse(props.content));
  const [unknown] = useState(() => (start ? findUnknownParts(start, EDITOR_SCHEMA) : []));
  const [isAgreed, setIsAgreed] = useState(unknown.length === 0);
  if (isAgreed) return <KnownEditor {...props} start={start} />;
  return (
    <div role="alert" className="rounded-xl border border-line bg-warn-tint p-5 text-warn">
      <p>{t.unknown(unknown.join(', '))}</p>
      <Button
        className="mt-4"
        onClick={() => {
          setStart(dropUnknownParts(start!, EDITOR_SCHEMA)[0] ?? null);
          setIsAgreed(true);
        }}
      >
        {t.editWithout}
      </Button>
    </div>
  );
}

type Opened = Insertion | 'settings';

function KnownEditor({
  start,
  variables,
  takesAnyTag = false,
  onChange,
}: ContentEditorProps & { start: JSONContent | null }) {
  // The brand is loaded for the footer block.
  useQuery(brandQuery);
  const [open, setOpen] = useState<Opened | null>(null);
  const slash = useSlash({ find: findBlocks, choose: (made, block) => block.run(made, setOpen) });
  const panel = useRef<HTMLDivElement>(null);
  // The editor keeps the functions that it was created with. They read the current names from here.
  const known = useRef(variables);
  known.current = variables;
  const isUnknown = ({ name, hasFallback }: WrittenTag) =>
    !takesAnyTag && !hasFallback && !isLinkTag(name) && !isContactTag(name, known.current);
  const editor: Editor = useEditor({
    extensions: [
      ...editorExtensions({ isUnknown, onEdit: () => focusFirst(panel) || setOpen('settings') }),
      slash.extension,
    ],
    content: start && withLastLine(start),
    editorProps: {
      attributes: { 'aria-label': t.label, role: 'textbox', 'aria-multiline': 'true' },
      transformPastedHTML: (pasted) => toBlocks(pasted, (files) => void upload(files)),
      handlePaste: (_view, event) => takeFiles(event.clipboardData, (files) => void upload(files)),
      handleDrop: (view, event) =>
        dropBlock(editor, event, setOpen) || drop(view, event, (files, at) => void upload(files, at)),
    },
    onUpdate: ({ editor: changed }) => onChange(writeDocument(changed.getJSON(), changed.schema)),
  });
  const unknownTags = useEditorState({
    editor,
    selector: ({ editor: now }) => namesInDocument(now.state.doc, isUnknown),
  });
  const upload = (files: readonly File[], at = editor.state.selection.to) => uploadInto(editor, files, at);
  const names = variables.join(' ');
  // Decorations are computed with each transaction, so dispatch an empty one.
  useEffect(() => {
    if (!editor.isDestroyed) editor.view.dispatch(editor.state.tr);
  }, [editor, names]);
  return (
    <div className="@container">
      <div className="mail-editor rounded-xl border border-line bg-raised">
        <EditorToolbar
          editor={editor}
          variables={variables}
          onInsert={setOpen}
          onSettings={() => setOpen('settings')}
        />
        <div className="@3xl:grid @3xl:grid-cols-[minmax(0,1fr)_17.5rem]">
          <div className="min-w-0">
            <EmailFrame editor={editor} />
            <SelectedNode editor={editor} className="px-5 pb-3" />
          </div>
          <aside
            aria-label={t.blockSettings}
            className="hidden max-h-[calc(100dvh-var(--stuck)-5rem)] overflow-y-auto border-l border-line @3xl:sticky @3xl:top-[calc(var(--stuck)+3rem)] @3xl:block"
          >
            <SidePanel editor={editor} panel={panel} onAdd={(block) => block.run(editor, setOpen)} />
          </aside>
        </div>
      </div>
      <SlashList slash={slash} label={t.addBlock} keyOf={({ id }) => id}>
        {(block) => (
          <>
            <block.icon aria-hidden className="size-4 shrink-0 text-soft" />
            {block.name}
          </>
        )}
      </SlashList>
      {open && <EditorDialog open={open} editor={editor} onClose={() => setOpen(null)} />}
      <MissingAlt editor={editor} />
      <UnknownTags names={unknownTags} />
    </div>
  );
}

function EditorDialog({ open, editor, onClose }: { open: Opened; editor: Editor; onClose(): void }) {
  if (open === 'image')
    return <MediaDialog onChoose={(image) => insertImage(editor, image)} onClose={onClose} />;
  if (open !== 'settings') return <InsertDialog insertion={open} editor={editor} onClose={onClose} />;
  return (
    <Dialog title={t.blockSettings} onClose={onClose}>
      <div className="-mx-5">
        <SettingsPanel editor={editor} />
      </div>
    </Dialog>
  );
}

function insertImage(editor: Editor, { src, alt, width, height }: ChosenImage): void {
  const shown = width === null ? null : Math.min(width, 600);
  const tall = width && height && shown ? Math.round((height * shown) / width) : null;
  insertBlock(editor, { type: 'image', attrs: { src, alt, width: shown, height: tall } });
}

/** Returns false if the panel is hidden, as on a phone. */
function focusFirst(panel: RefObject<HTMLDivElement | null>): boolean {
  const field = panel.current?.querySelector<HTMLElement>('input, textarea, select');
  if (!field?.offsetParent) return false;
  field.focus();
  return true;
}

/** True if the HTML was cut or copied in one of our editors. */
function isOwn(html: string): boolean {
  return html.includes('data-pm-slice');
}

/** Uploads images that are embedded in the pasted text. */
function toBlocks(pasted: string, onFiles: (files: File[]) => void): string {
  if (isOwn(pasted)) return pasted;
  const files: File[] = [];
  let hasLost = false;
  const extractImages = filterImages(
    (image) => {
      if (isOnTheWeb(image)) return true;
      const file = fileOf(image);
      if (file && file.size > 200) files.push(file);
      return false;
    },
    () => void (hasLost = true),
  );
  const blocks = changePasted(pasted, [WORD_LISTS, LIFTED_IMAGES, extractImages]);
  // The text is pasted first.
  if (files.length > 0) setTimeout(() => onFiles(files));
  else if (hasLost) showToast(t.lostImage, { tone: 'bad' });
  return blocks;
}

/** If there is text as well, the text is pasted, and its images are checked separately. */
function takeFiles(data: DataTransfer | null, onImages: (files: File[]) => void): boolean {
  const files = [...(data?.files ?? [])];
  if (files.length === 0 || data?.types.some((type) => type.startsWith('text/'))) return false;
  const images = files.filter(isImage);
  if (images.length > 0) onImages(images);
  if (images.length < files.length) showToast(t.droppedFile, { tone: 'bad' });
  return true;
}

/** Returns whether files were dropped. */
function drop(view: EditorView, event: DragEvent, onImages: (files: File[], at?: number) => void): boolean {
  const at = view.posAtCoords({ left: event.clientX, top: event.clientY })?.pos;
  const isTaken = takeFiles(event.dataTransfer, (files) => onImages(files, at));
  // Otherwise the browser would leave the page and show the file.
  if (isTaken) event.preventDefault();
  // Each drop is a separate undo step, however soon it follows the last change.
  else view.dispatch(closeHistory(view.state.tr));
  return isTaken;
}

/**
 * Content that cannot be parsed starts as an empty document. It is not lost: nothing is saved before the first
 * change.
 */
function parse(content: string): JSONContent | null {
  try {
    const document: unknown = JSON.parse(content);
    return typeof document === 'object' && document !== null ? readDocument(document) : null;
  } catch {
    return null;
  }
}

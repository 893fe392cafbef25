/** Rich text, in TipTap. What comes out is cleaned on the server like everything else. */
import type { Editor } from '@tiptap/core';
import { EditorContent, useEditor } from '@tiptap/react';
import { useRef, useState, type Ref, useImperativeHandle } from 'react';
import type { SavedReply } from '../../../../src/features/saved-replies/saved-replies.schema.ts';
import { queryClient } from '../../../api/query-client.ts';
import { flattenTables } from '../../../editor/flat-tables.ts';
import { InsertDialog } from '../../../editor/insert-dialog.tsx';
import { changeTo, insertBehind } from '../../../editor/insertion.ts';
import type { IsUnknown } from '../../../editor/merge-tags.ts';
import { fileOf, isOnTheWeb, sortPictures } from '../../../editor/pasted-pictures.ts';
import { SelectedNode } from '../../../editor/selected-node.tsx';
import { mailTexts } from '../../../texts/en/mail.ts';
import { texts } from '../../../texts/en.ts';
import { showToast } from '../../../ui/toasts.ts';
import { savedRepliesQuery } from '../mail-api.ts';
import { editorExtensions } from './editor-extensions.ts';
import './editor.css';
import { SlashList, type SlashState } from './slash-list.tsx';

export interface EditorHandle {
  editor: Editor | null;
  insert(html: string): void;
  insertImage(src: string, cid: string, alt: string): void;
  /** Puts what `make` makes of the text in its place. */
  rewrite(make: (html: string) => Promise<string>): Promise<void>;
}

interface MailEditorProps {
  label: string;
  start: string;
  placeholder: string;
  autoFocus?: boolean;
  onChange(html: string): void;
  /** Files that were pasted or dropped into the text; without it they are refused. */
  onFiles?(files: File[]): void;
  /** Makes a picture of the text a part of the mail. */
  embed?(file: File): { src: string; cid: string };
  /** Where `/` offers saved replies: what to do with the chosen one. */
  slash?: { mailboxId: string; choose(reply: SavedReply): void };
  onSubmit?(): void;
  handle?: Ref<EditorHandle>;
  describedBy?: string;
  /** Which merge tags are marked; by default all, as not filled in. */
  isUnknownTag?: IsUnknown;
  onReady?(editor: Editor): void;
}

export function MailEditor(props: MailEditorProps) {
  // The editor keeps the functions that it was made with; this way it finds the newest ones.
  const latest = useRef(props);
  latest.current = props;
  const [slash, setSlash] = useState<SlashState | null>(null);
  const [isEditingImage, setIsEditingImage] = useState(false);
  const slashKeys = useRef<(event: KeyboardEvent) => boolean>(() => false);
  const { slash: given } = props;

  const editor = useEditor({
    extensions: editorExtensions(
      props.placeholder,
      given
        ? {
            char: '/',
            async items({ query }) {
              const replies = await queryClient.ensureQueryData(savedRepliesQuery(given.mailboxId));
              return replies.filter(({ name }) => name.toLowerCase().includes(query.toLowerCase()));
            },
            command({ editor: target, range, props: reply }) {
              target.chain().focus().deleteRange(range).run();
              latest.current.slash?.choose(reply);
            },
            render: () => ({
              onStart: (state) => setSlash(state),
              onUpdate: (state) => setSlash(state),
              onKeyDown: ({ event }) => slashKeys.current(event),
              onExit: () => setSlash(null),
            }),
          }
        : null,
      () => setIsEditingImage(true),
      {
        isUnknown: (tag) => latest.current.isUnknownTag?.(tag) ?? true,
        title: props.isUnknownTag ? texts.editor.unknownTag : mailTexts.compose.unfilledTag,
      },
    ),
    content: flattenTables(props.start),
    // What it quotes is not in it: behind the end is where writing goes on.
    autofocus: props.autoFocus ? 'end' : false,
    onCreate: ({ editor: target }) => latest.current.onReady?.(target),
    onUpdate: ({ editor: target }) => latest.current.onChange(target.getHTML()),
    editorProps: {
      attributes: {
        class: 'mail-editor',
        role: 'textbox',
        'aria-multiline': 'true',
        'aria-label': props.label,
        ...(props.describedBy ? { 'aria-describedby': props.describedBy } : {}),
      },
      handleKeyDown(_view, event) {
        if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return false;
        latest.current.onSubmit?.();
        return true;
      },
      transformPastedHTML: (html) => flattenTables(embedPictures(html, latest.current.embed)),
      handlePaste: (_view, event) => takeFiles(event.clipboardData, latest.current.onFiles ?? refuse),
      handleDrop: (_view, event) => {
        const isTaken = takeFiles(event.dataTransfer, latest.current.onFiles ?? refuse);
        if (isTaken) {
          event.preventDefault();
          event.stopPropagation();
        }
        return isTaken;
      },
    },
  });
  useImperativeHandle(
    props.handle,
    () => ({
      editor,
      insert(html) {
        if (editor) insertBehind(editor, flattenTables(embedPictures(html, latest.current.embed)));
      },
      insertImage(src, cid, alt) {
        if (editor) insertBehind(editor, { type: 'image', attrs: { src, cid, alt } });
      },
      async rewrite(make) {
        // When somebody typed meanwhile, it is made again from the newer text.
        while (editor && !editor.isDestroyed) {
          const { doc } = editor.state;
          const html = await make(editor.getHTML());
          if (editor.isDestroyed || !editor.state.doc.eq(doc)) continue;
          changeTo(editor, html);
          return;
        }
      },
    }),
    [editor],
  );
  return (
    <>
      <EditorContent editor={editor} />
      <SelectedNode editor={editor} className="pt-2" />
      {isEditingImage && (
        <InsertDialog insertion="image" editor={editor} onClose={() => setIsEditingImage(false)} />
      )}
      {slash && <SlashList state={slash} keys={slashKeys} empty={mailTexts.replies.noMatch} />}
    </>
  );
}

/** What stands in the text as data becomes a part of the mail: many mail programs would not show it otherwise. */
function embedPictures(html: string, embed: MailEditorProps['embed']): string {
  return sortPictures(
    html,
    (picture) => {
      if (isOnTheWeb(picture) || picture.hasAttribute('data-cid')) return true;
      const file = embed ? fileOf(picture) : null;
      if (!file) return false;
      const { src, cid } = embed!(file);
      picture.setAttribute('src', src);
      picture.setAttribute('data-cid', cid);
      return true;
    },
    () => showToast(embed ? texts.editor.lostPicture : mailTexts.replies.noPictures, { tone: 'bad' }),
  );
}

function refuse(): void {
  showToast(mailTexts.replies.noPictures, { tone: 'bad' });
}

function takeFiles(data: DataTransfer | null, take: (files: File[]) => void): boolean {
  const files = [...(data?.files ?? [])];
  // A picture that is copied from a page comes as text too; then the text is meant only where there is more of it.
  if (files.length === 0 || data?.types.includes('text/plain')) return false;
  take(files);
  return true;
}

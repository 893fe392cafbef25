/** Rich text, in TipTap. What comes out is cleaned on the server like everything else. */
import type { Editor } from '@tiptap/core';
import { EditorContent, useEditor } from '@tiptap/react';
import { useRef, useState, type Ref, useImperativeHandle } from 'react';
import type { SavedReply } from '../../../../src/features/saved-replies/saved-replies.schema.ts';
import { queryClient } from '../../../api/query-client.ts';
import { flattenTables } from '../../../editor/flat-tables.ts';
import { mailTexts } from '../../../texts/en/mail.ts';
import { savedRepliesQuery } from '../mail-api.ts';
import { editorExtensions } from './editor-extensions.ts';
import './editor.css';
import { SlashList, type SlashState } from './slash-list.tsx';

export interface EditorHandle {
  editor: Editor | null;
  insert(html: string): void;
  insertImage(src: string, cid: string, alt: string): void;
}

interface MailEditorProps {
  label: string;
  start: string;
  placeholder: string;
  autoFocus?: boolean;
  onChange(html: string): void;
  /** Files that were pasted or dropped into the text. */
  onFiles?(files: File[]): void;
  /** Where `/` offers saved replies: what to do with the chosen one. */
  slash?: { mailboxId: string; choose(reply: SavedReply): void };
  onSubmit?(): void;
  handle?: Ref<EditorHandle>;
  describedBy?: string;
  onReady?(editor: Editor): void;
}

export function MailEditor(props: MailEditorProps) {
  // The editor keeps the functions that it was made with; this way it finds the newest ones.
  const latest = useRef(props);
  latest.current = props;
  const [slash, setSlash] = useState<SlashState | null>(null);
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
      transformPastedHTML: flattenTables,
      handlePaste: (_view, event) => takeFiles(event.clipboardData, latest.current.onFiles),
      handleDrop: (_view, event) => {
        const isTaken = takeFiles(event.dataTransfer, latest.current.onFiles);
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
      insert: (html) => void editor?.chain().focus().insertContent(flattenTables(html)).run(),
      insertImage: (src, cid, alt) =>
        void editor?.chain().focus().insertContent({ type: 'image', attrs: { src, cid, alt } }).run(),
    }),
    [editor],
  );
  return (
    <>
      <EditorContent editor={editor} />
      {slash && <SlashList state={slash} keys={slashKeys} empty={mailTexts.replies.noMatch} />}
    </>
  );
}

function takeFiles(data: DataTransfer | null, take: ((files: File[]) => void) | undefined): boolean {
  const files = [...(data?.files ?? [])];
  // A picture that is copied from a page comes as text too; then the text is meant only where there is more of it.
  if (files.length === 0 || !take || data?.types.includes('text/plain')) return false;
  take(files);
  return true;
}

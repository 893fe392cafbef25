/** The rich text editor of webmail, with TipTap. The server cleans its HTML. */
import type { Editor } from '@tiptap/core';
import { EditorContent, useEditor } from '@tiptap/react';
import type { EditorProps } from '@tiptap/pm/view';
import { useImperativeHandle, useRef, useState, type Ref, type RefObject } from 'react';
import type { SavedReply } from '../../../../../src/features/mailboxes/saved-replies/saved-replies.schema.ts';
import { queryClient } from '../../../../api/query-client.ts';
import { FLAT_TABLES } from '../../../../editor/flat-tables.ts';
import { changePasted, type PasteStep } from '../../../../editor/pasted-html.ts';
import { InsertDialog } from '../../../../editor/insert-dialog.tsx';
import { changeTo, insertBehind } from '../../../../editor/insertion.ts';
import type { IsUnknown } from '../../../../editor/merge-tags.ts';
import { fileOf, filterImages, isOnTheWeb } from '../../../../editor/pasted-images.ts';
import { SelectedNode } from '../../../../editor/selected-node.tsx';
import { SlashList, useSlash } from '../../../../editor/slash-list.tsx';
import { mailTexts } from '../../../../texts/en/mail.ts';
import { editorTexts } from '../../../../texts/en/editor.ts';
import { showToast } from '../../../../ui/toasts.ts';
import { savedRepliesQuery } from '../../live/mail-api.ts';
import { editorExtensions } from './editor-extensions.ts';
import './editor.css';

export interface EditorHandle {
  editor: Editor | null;
  insert(html: string): void;
  insertImage(src: string, cid: string, alt: string): void;
  /** Replaces the text with the result of `make`. */
  rewrite(make: (html: string) => Promise<string>): Promise<void>;
}

interface MailEditorProps {
  label: string;
  start: string;
  placeholder: string;
  autoFocus?: boolean;
  onChange(html: string): void;
  /** Called for pasted and dropped files. Without it they are rejected. */
  onFiles?(files: File[]): void;
  /** Turns an image in the text into a part of the message. */
  embed?(file: File): { src: string; cid: string };
  /** If set, `/` offers saved replies, and `choose` is called with the chosen one. */
  slash?: { mailboxId: string; choose(reply: SavedReply): void };
  /** `andArchive`: Shift was held too. */
  onSubmit?(andArchive: boolean): void;
  handle?: Ref<EditorHandle>;
  describedBy?: string;
  /** Decides which merge tags are marked. By default all are, as not filled in. */
  isUnknownTag?: IsUnknown;
  onReady?(editor: Editor): void;
}

export function MailEditor(props: MailEditorProps) {
  // The editor keeps the functions that it was created with. They read the current props from here.
  const latest = useRef(props);
  latest.current = props;
  const [isEditingImage, setIsEditingImage] = useState(false);
  const slash = useSlash<SavedReply>({
    find: (query) => (props.slash ? findReplies(props.slash.mailboxId, query) : []),
    choose: (_editor, reply) => props.slash?.choose(reply),
  });
  const editor = useEditor({
    extensions: editorExtensions(
      props.placeholder,
      props.slash ? slash.extension : null,
      () => setIsEditingImage(true),
      {
        isUnknown: (tag) => latest.current.isUnknownTag?.(tag) ?? true,
        title: props.isUnknownTag ? editorTexts.unknownTag : mailTexts.compose.unfilledTag,
      },
    ),
    content: changePasted(props.start, [FLAT_TABLES]),
    // The editor does not contain the quoted message, so the caret goes to its end.
    autofocus: props.autoFocus ? 'end' : false,
    onCreate: ({ editor: target }) => latest.current.onReady?.(target),
    onUpdate: ({ editor: target }) => latest.current.onChange(target.getHTML()),
    editorProps: editorPropsOf(latest),
  });
  useEditorHandle(editor, latest);
  return (
    <>
      <EditorContent editor={editor} />
      <SelectedNode editor={editor} className="pt-2" />
      {isEditingImage && (
        <InsertDialog insertion="image" editor={editor} onClose={() => setIsEditingImage(false)} />
      )}
      <SlashList
        slash={slash}
        label={mailTexts.replies.title}
        keyOf={({ id }) => id}
        empty={mailTexts.replies.noMatch}
      >
        {({ name }) => <span className="truncate">{name}</span>}
      </SlashList>
    </>
  );
}

type Latest = RefObject<MailEditorProps>;

async function findReplies(mailboxId: string, query: string): Promise<SavedReply[]> {
  const replies = await queryClient.ensureQueryData(savedRepliesQuery(mailboxId));
  return replies.filter(({ name }) => name.toLowerCase().includes(query.toLowerCase()));
}

/** Returns its attributes, and how it handles keys, pasted text and files. */
function editorPropsOf(latest: Latest): EditorProps {
  const { label, describedBy } = latest.current;
  const take = (data: DataTransfer | null) => takeFiles(data, latest.current.onFiles ?? refuse);
  return {
    attributes: {
      class: 'mail-editor',
      role: 'textbox',
      'aria-multiline': 'true',
      'aria-label': label,
      ...(describedBy ? { 'aria-describedby': describedBy } : {}),
    },
    handleKeyDown(_view, event) {
      if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return false;
      latest.current.onSubmit?.(event.shiftKey);
      return true;
    },
    transformPastedHTML: (html) => changePasted(html, [embedImages(latest.current.embed), FLAT_TABLES]),
    handlePaste: (_view, event) => take(event.clipboardData),
    handleDrop: (_view, event) => {
      const isTaken = take(event.dataTransfer);
      if (isTaken) {
        event.preventDefault();
        event.stopPropagation();
      }
      return isTaken;
    },
  };
}

function useEditorHandle(editor: Editor, latest: Latest): void {
  useImperativeHandle(
    latest.current.handle,
    () => ({
      editor,
      insert(html) {
        insertBehind(editor, changePasted(html, [embedImages(latest.current.embed), FLAT_TABLES]));
      },
      insertImage(src, cid, alt) {
        insertBehind(editor, { type: 'image', attrs: { src, cid, alt } });
      },
      async rewrite(make) {
        // If the user typed in the meantime, the result is computed again from the newer text.
        while (!editor.isDestroyed) {
          const { doc } = editor.state;
          const html = await make(editor.getHTML());
          if (editor.isDestroyed || !editor.state.doc.eq(doc)) continue;
          changeTo(editor, html);
          return;
        }
      },
    }),
    [editor, latest],
  );
}

/** Turns embedded images into parts of the message, because many email apps would not show them otherwise. */
function embedImages(embed: MailEditorProps['embed']): PasteStep {
  return filterImages(
    (image) => {
      if (isOnTheWeb(image) || image.hasAttribute('data-cid')) return true;
      const file = embed ? fileOf(image) : null;
      if (!file) return false;
      const { src, cid } = embed!(file);
      image.setAttribute('src', src);
      image.setAttribute('data-cid', cid);
      return true;
    },
    () => showToast(embed ? editorTexts.lostImage : mailTexts.replies.noImages, { tone: 'bad' }),
  );
}

function refuse(): void {
  showToast(mailTexts.replies.noImages, { tone: 'bad' });
}

function takeFiles(data: DataTransfer | null, take: (files: File[]) => void): boolean {
  const files = [...(data?.files ?? [])];
  // If there is plain text as well, the text is pasted. An image copied from a page has only HTML beside it.
  if (files.length === 0 || data?.types.includes('text/plain')) return false;
  take(files);
  return true;
}

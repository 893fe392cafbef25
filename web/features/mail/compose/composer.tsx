/** One message being written, in a window or below a conversation. */
import { useQuery } from '@tanstack/react-query';
import type { Editor } from '@tiptap/core';
import { useEffect, useId, useRef, useState, type KeyboardEvent } from 'react';
import { mailboxesQuery } from '../../../api/mailboxes.ts';
import { mailTexts } from '../../../texts/en/mail.ts';
import { useHeldShortcuts } from '../parts/shortcuts.ts';
import { ComposerFoot } from './composer-foot.tsx';
import { ComposerNotes } from './composer-notes.tsx';
import { isLeaving } from './composer-state.ts';
import { endComposition, type ComposeContent, type Composition } from './compositions.ts';
import { DropArea } from './drop-area.tsx';
import { MailEditor } from './editor/editor.tsx';
import { FileList } from './file-list.tsx';
import { Quoted } from './quoted.tsx';
import { RecipientFields } from './recipient-fields.tsx';
import { recipientOf, tagsIn } from './editor/tag-filling.ts';
import { ReplyElsewhere, SavedReplyNote, SenderField, SignatureNote } from './sender-parts.tsx';
import { useComposer, type Composer as ComposerParts } from './use-composer.ts';

const t = mailTexts.compose;

export function Composer({ composition }: { composition: Composition }) {
  const { mailboxId, place } = composition;
  const composer = useComposer(composition);
  const { content, files } = composer.state;
  const [editor, setEditor] = useState<Editor | null>(null);
  const root = useScrolledIntoView(composition, composer, editor);
  useHeldShortcuts(editor === null);
  const { data: mailboxes = [] } = useQuery(mailboxesQuery);
  const own = mailboxes.find(({ id }) => id === mailboxId);
  const change = (part: Partial<ComposeContent>) => composer.dispatch({ type: 'changed', part });
  return (
    <DropArea
      ref={root}
      role="group"
      aria-label={content.subject || t.newMessage}
      inert={isLeaving(composer.state)}
      onKeyDown={(event) => {
        if (event.key === 'Escape') leaveWith(event, composition);
      }}
      className="flex min-h-0 flex-1 flex-col"
      note={t.drop}
      onFiles={composer.takeFiles}
    >
      <ComposerNotes composer={composer} />
      <SenderField mailboxId={mailboxId} own={own?.address ?? ''} composer={composer} />
      <ReplyElsewhere composition={composition} to={content.to} />
      <RecipientFields
        mailboxId={mailboxId}
        content={content}
        change={change}
        autoFocus={place === 'window' && content.to.length === 0}
      />
      <SubjectField value={content.subject} change={(subject) => change({ subject })} />
      <div className="min-h-0 flex-1 overflow-y-auto px-4 py-3">
        <MailEditor
          label={t.body}
          start={composer.startHtml}
          placeholder={t.placeholder}
          autoFocus={place === 'thread' || content.to.length > 0}
          onChange={(html) => change({ html })}
          onFiles={composer.takeFiles}
          embed={composer.embed}
          slash={{ mailboxId, choose: (reply) => void composer.insertReply(reply) }}
          onSubmit={(andArchive) => composer.send(null, { archives: andArchive })}
          handle={composer.editor}
          onReady={setEditor}
        />
        <UnfilledTags names={tagsIn(content.html)} hasRecipient={recipientOf(content.to) !== null} />
        <SignatureNote mailboxId={mailboxId} composer={composer} />
        <SavedReplyNote mailboxId={mailboxId} composer={composer} />
        {content.quoted !== '' && <Quoted composition={composition} html={content.quoted} />}
      </div>
      <FileList files={files} remove={composer.removeFile} />
      <ComposerFoot composer={composer} editor={editor} address={own?.address ?? ''} />
    </DropArea>
  );
}

/**
 * Escape closes a window, whose draft is saved, and moves the focus from a reply to its conversation. Open suggestions
 * inside handle the key first; dialogs and menus are elsewhere in the document.
 */
function leaveWith(event: KeyboardEvent<HTMLElement>, { key, place }: Composition): void {
  if (event.defaultPrevented || !event.currentTarget.contains(event.target as Node)) return;
  event.preventDefault();
  if (place === 'thread') event.currentTarget.closest<HTMLElement>('article[tabindex]')?.focus();
  else {
    endComposition(key);
    document.getElementById('content')?.focus({ preventScroll: true });
  }
}

/** A reply below a conversation is scrolled into view when it opens, and each time it is requested again. */
function useScrolledIntoView({ place, calls }: Composition, composer: ComposerParts, editor: Editor | null) {
  const root = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (calls === 0) return;
    root.current?.scrollIntoView({ block: 'end' });
    composer.editor.current?.editor?.commands.focus();
  }, [calls, composer.editor]);
  useEffect(() => {
    // Scroll again when the editor is loaded: its toolbar takes space, on a phone a whole line.
    if (place === 'thread') root.current?.scrollIntoView({ block: 'end' });
  }, [place, editor]);
  return root;
}

function SubjectField({ value, change }: { value: string; change(subject: string): void }) {
  const id = useId();
  return (
    <div className="flex items-center gap-2 border-b border-line px-4 py-1.5">
      <label htmlFor={id} className="shrink-0 text-soft">
        {t.subject}
      </label>
      <input
        id={id}
        value={value}
        maxLength={998}
        onChange={({ target }) => change(target.value)}
        className="h-7 pointer-coarse:h-10 min-w-0 flex-1 bg-transparent outline-none"
      />
    </div>
  );
}

/** Tags of a saved reply that wait for a recipient, or for which the recipient has no value. */
function UnfilledTags({ names, hasRecipient }: { names: string[]; hasRecipient: boolean }) {
  const tags = names.map((name) => `{{${name}}}`).join(', ');
  return (
    <p role="status" className={names.length > 0 ? 'mt-2 text-[0.8125rem] text-warn' : 'sr-only'}>
      {names.length > 0 && (hasRecipient ? t.unfilledTags(tags) : t.tagsWait(tags))}
    </p>
  );
}

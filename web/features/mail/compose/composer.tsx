/** One message being written, in a window or below a conversation. */
import { useQuery } from '@tanstack/react-query';
import type { Editor } from '@tiptap/core';
import { useEffect, useId, useRef, useState } from 'react';
import { mailTexts } from '../../../texts/en/mail.ts';
import { classes } from '../../../ui/classes.ts';
import { QuoteButton } from '../message-body.tsx';
import { toMailDocument } from '../mail-document.ts';
import { MailFrame } from '../mail-frame.tsx';
import { mailboxesQuery } from '../mail-api.ts';
import { useHeldShortcuts } from '../shortcuts.ts';
import { ComposerFoot } from './composer-foot.tsx';
import { ComposerNotes } from './composer-notes.tsx';
import type { Composition } from './compositions.ts';
import { MailEditor } from './editor.tsx';
import { FileList } from './file-list.tsx';
import { RecipientsField } from './recipients-field.tsx';
import { useComposer } from './use-composer.ts';
import { recipientOf, tagsIn } from './use-tag-filling.ts';

const t = mailTexts.compose;

export function Composer({ composition }: { composition: Composition }) {
  const { mailboxId, place, calls } = composition;
  const composer = useComposer(composition);
  const { content, change } = composer;
  const subjectId = useId();
  const root = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (calls === 0) return;
    root.current?.scrollIntoView({ block: 'end' });
    composer.editor.current?.editor?.commands.focus();
    // Whenever somebody asks for it once more.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [calls]);
  const [extra, setExtra] = useState({ cc: content.cc.length > 0, bcc: content.bcc.length > 0 });
  const [editor, setEditor] = useState<Editor | null>(null);
  useHeldShortcuts(editor === null);
  useEffect(() => {
    // Once more when the editor is there: its tools take room, on a phone a line of their own.
    if (place === 'thread') root.current?.scrollIntoView({ block: 'end' });
  }, [place, editor]);
  const [isOver, setIsOver] = useState(false);
  const { data: mailboxes = [] } = useQuery(mailboxesQuery);
  const own = mailboxes.find(({ id }) => id === mailboxId);
  return (
    <div
      ref={root}
      role="group"
      aria-label={content.subject || t.newMessage}
      // What is on its way is not changed any more.
      inert={composer.isSending}
      className="relative flex min-h-0 flex-1 flex-col"
      onDragOver={(event) => {
        if (!event.dataTransfer.types.includes('Files')) return;
        event.preventDefault();
        setIsOver(true);
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={(event) => {
        setIsOver(false);
        if (event.dataTransfer.files.length === 0) return;
        event.preventDefault();
        composer.takeFiles([...event.dataTransfer.files]);
      }}
    >
      <ComposerNotes composer={composer} />
      <RecipientsField
        mailboxId={mailboxId}
        label={t.to}
        people={content.to}
        change={(to) => change({ to })}
        autoFocus={place === 'window' && content.to.length === 0}
      >
        <span className="flex shrink-0 gap-2 pt-1 text-[0.8125rem] text-soft">
          {!extra.cc && (
            <button type="button" className="hover:text-ink" onClick={() => setExtra({ ...extra, cc: true })}>
              {t.addCc}
            </button>
          )}
          {!extra.bcc && (
            <button
              type="button"
              className="hover:text-ink"
              onClick={() => setExtra({ ...extra, bcc: true })}
            >
              {t.addBcc}
            </button>
          )}
        </span>
      </RecipientsField>
      {extra.cc && (
        <RecipientsField
          mailboxId={mailboxId}
          label={t.cc}
          people={content.cc}
          change={(cc) => change({ cc })}
          autoFocus={content.cc.length === 0}
        />
      )}
      {extra.bcc && (
        <RecipientsField
          mailboxId={mailboxId}
          label={t.bcc}
          people={content.bcc}
          change={(bcc) => change({ bcc })}
          autoFocus={content.bcc.length === 0}
        />
      )}
      <div className="flex items-center gap-2 border-b border-line px-4 py-1.5">
        <label htmlFor={subjectId} className="shrink-0 text-soft">
          {t.subject}
        </label>
        <input
          id={subjectId}
          value={content.subject}
          maxLength={998}
          onChange={({ target }) => change({ subject: target.value })}
          className="h-7 min-w-0 flex-1 bg-transparent outline-none"
        />
      </div>
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
          onSubmit={() => void composer.send(null)}
          handle={composer.editor}
          onReady={setEditor}
        />
        <UnfilledTags names={tagsIn(content.html)} hasRecipient={recipientOf(content.to) !== null} />
        {content.quoted !== '' && <Quoted composition={composition} html={content.quoted} />}
      </div>
      <FileList files={composer.files} remove={(file) => void composer.removeFile(file)} />
      <ComposerFoot composer={composer} editor={editor} address={own?.address ?? ''} />
      <div
        aria-hidden
        className={classes(
          'pointer-events-none absolute inset-0 z-30 items-center justify-center rounded-xl border-2 border-dashed border-brass bg-raised/90 font-medium',
          isOver ? 'flex' : 'hidden',
        )}
      >
        {t.drop}
      </div>
    </div>
  );
}

/** Tags of a saved reply: they wait for the recipient, or there is no value for them. */
function UnfilledTags({ names, hasRecipient }: { names: string[]; hasRecipient: boolean }) {
  const tags = names.map((name) => `{{${name}}}`).join(', ');
  return (
    <p role="status" className={names.length > 0 ? 'mt-2 text-[0.8125rem] text-warn' : 'sr-only'}>
      {names.length > 0 && (hasRecipient ? t.unfilledTags(tags) : t.tagsWait(tags))}
    </p>
  );
}

/** Folded, since who writes has just read it. It goes along as it is. */
function Quoted({ composition, html }: { composition: Composition; html: string }) {
  const [isShown, setIsShown] = useState(false);
  const { draftId, attachments } = composition;
  const { source } = toMailDocument(
    { id: draftId ?? '', html, attachments },
    { showImages: false, showQuoted: true },
  );
  return (
    <>
      <QuoteButton shown={isShown} toggle={() => setIsShown(!isShown)} />
      {isShown && (
        <div className="mt-2">
          <MailFrame source={source} title={t.showQuoted} />
        </div>
      )}
    </>
  );
}

import type { Editor } from '@tiptap/core';
import { ChevronDown, MessageSquareText, Paperclip, Trash2 } from 'lucide-react';
import { useRef, useState } from 'react';
import { mailTexts } from '../../../texts/en/mail.ts';
import { Button, IconButton } from '../../../ui/button.tsx';
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { Dialog, DialogActions } from '../../../ui/dialog.tsx';
import { Menu, MenuCheck, MenuSeparator } from '../../../ui/menu.tsx';
import { LaterItems, PickTimeDialog } from '../later-menu.tsx';
import { FormatBar } from './format-bar.tsx';
import { SavedReplyMenu } from './saved-reply-menu.tsx';
import type { Composer } from './use-composer.ts';

const t = mailTexts.compose;

interface ComposerFootProps {
  composer: Composer;
  editor: Editor | null;
  address: string;
}

export function ComposerFoot({ composer, editor, address }: ComposerFootProps) {
  const input = useRef<HTMLInputElement>(null);
  const [isPicking, setIsPicking] = useState(false);
  const [isDiscarding, setIsDiscarding] = useState(false);
  const [cancelIfReplied, setCancelIfReplied] = useState(false);
  const later = (at: Date) => void composer.send(at, { cancelIfReplied });
  return (
    <div className="flex shrink-0 flex-wrap items-center gap-1 border-t border-line px-3 py-2">
      <div className="flex">
        <Button
          look="primary"
          size="small"
          className="rounded-r-none"
          busy={composer.isSending}
          aria-keyshortcuts="Control+Enter"
          onClick={() => void composer.send(null)}
        >
          {t.send}
        </Button>
        <Menu
          align="start"
          trigger={
            <Button
              look="primary"
              size="small"
              disabled={composer.isSending}
              aria-label={mailTexts.later.menu}
              title={mailTexts.later.menu}
              className="rounded-l-none border-l-paper/40 px-1.5"
            >
              <ChevronDown aria-hidden className="size-4" />
            </Button>
          }
        >
          <LaterItems choose={later} pick={() => setIsPicking(true)} />
          <MenuSeparator />
          <MenuCheck checked={cancelIfReplied} onChange={setCancelIfReplied}>
            {mailTexts.later.cancelIfReplied}
          </MenuCheck>
        </Menu>
      </div>
      {editor && <FormatBar editor={editor} />}
      <IconButton icon={Paperclip} label={t.attach} onClick={() => input.current?.click()} />
      <SavedReplyMenu
        mailboxId={composer.mailboxId}
        choose={(reply) => void composer.insertReply(reply)}
        trigger={<IconButton icon={MessageSquareText} label={mailTexts.replies.menu} />}
      />
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label={t.attach}
        onChange={({ target }) => {
          composer.takeFiles([...(target.files ?? [])]);
          target.value = '';
        }}
      />
      <span className="ml-auto flex min-w-0 items-center gap-1">
        <span role="status" className="truncate text-xs text-soft" title={address}>
          {composer.status === 'saving' && t.saving}
          {composer.status === 'saved' && t.saved}
          {composer.status === 'unsaved' && t.unsaved}
        </span>
        <IconButton
          icon={Trash2}
          label={t.discard}
          onClick={() => (composer.isWorthKeeping ? setIsDiscarding(true) : void composer.discard())}
        />
      </span>
      {isPicking && <PickTimeDialog choose={later} onClose={() => setIsPicking(false)} />}
      {composer.question && (
        <Dialog
          title={composer.question.about === 'tags' ? t.unfilledTitle : t.noSubject}
          onClose={composer.question.goBack}
        >
          {composer.question.about === 'tags' && (
            <p>{t.unfilledText(composer.question.tags.map((name) => `{{${name}}}`).join(', '))}</p>
          )}
          <DialogActions>
            <Button onClick={composer.question.sendAnyway}>
              {composer.question.about === 'tags' ? t.sendAsWritten : t.sendAnyway}
            </Button>
            <Button look="primary" autoFocus onClick={composer.question.goBack}>
              {composer.question.about === 'tags' ? t.editTags : t.writeSubject}
            </Button>
          </DialogActions>
        </Dialog>
      )}
      {isDiscarding && (
        <ConfirmDialog
          title={t.discardTitle}
          action={t.discard}
          onClose={() => setIsDiscarding(false)}
          run={() => composer.discard()}
        >
          <p>{t.discardText}</p>
        </ConfirmDialog>
      )}
    </div>
  );
}

import type { Editor } from '@tiptap/core';
import { MessageSquareText, Paperclip, Trash2 } from 'lucide-react';
import { useRef, useState } from 'react';
import { mailTexts } from '../../../texts/en/mail.ts';
import { IconButton } from '../../../ui/button.tsx';
import { ConfirmDialog } from '../../../ui/dialogs/confirm-dialog.tsx';
import { isWorthKeeping, questionOf } from './composer-state.ts';
import type { SaverStatus } from './draft-saver.ts';
import { FormatBar } from './editor/format-bar.tsx';
import { SavedReplyMenu } from './saved-replies/saved-reply-menu.tsx';
import { SendButtons } from './send-buttons.tsx';
import { SendQuestion } from './send-question.tsx';
import type { Composer } from './use-composer.ts';

const t = mailTexts.compose;

const STATUS_TEXTS: Partial<Record<SaverStatus, string>> = {
  saving: t.saving,
  saved: t.saved,
  unsaved: t.unsaved,
};

interface ComposerFootProps {
  composer: Composer;
  editor: Editor | null;
  address: string;
}

export function ComposerFoot({ composer, editor, address }: ComposerFootProps) {
  const { state, dispatch } = composer;
  const question = questionOf(state);
  return (
    <div className="flex shrink-0 flex-wrap items-center gap-1 border-t border-line px-3 py-2">
      <SendButtons composer={composer} />
      {editor && <FormatBar editor={editor} />}
      <AttachButton take={composer.takeFiles} />
      <SavedReplyMenu
        mailboxId={composer.mailboxId}
        choose={(reply) => void composer.insertReply(reply)}
        trigger={<IconButton icon={MessageSquareText} label={mailTexts.replies.menu} />}
      />
      <span className="ml-auto flex min-w-0 items-center gap-1">
        <span role="status" className="truncate text-xs text-soft" title={address}>
          {STATUS_TEXTS[state.status]}
        </span>
        <DiscardButton composer={composer} />
      </span>
      {question && (
        <SendQuestion question={question} answer={(isYes) => dispatch({ type: 'answered', isYes })} />
      )}
    </div>
  );
}

function AttachButton({ take }: { take(files: File[]): void }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <IconButton icon={Paperclip} label={t.attach} onClick={() => input.current?.click()} />
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label={t.attach}
        onChange={({ target }) => {
          take([...(target.files ?? [])]);
          target.value = '';
        }}
      />
    </>
  );
}

/** Asks first if something would be lost. */
function DiscardButton({ composer: { state, dispatch } }: { composer: Composer }) {
  const [isAsking, setIsAsking] = useState(false);
  const discard = () => dispatch({ type: 'discard' });
  return (
    <>
      <IconButton
        icon={Trash2}
        label={t.discard}
        onClick={() => (isWorthKeeping(state) ? setIsAsking(true) : discard())}
      />
      {isAsking && (
        <ConfirmDialog
          title={t.discardTitle}
          action={t.discard}
          onClose={() => setIsAsking(false)}
          run={async () => discard()}
          text={t.discardText}
        />
      )}
    </>
  );
}

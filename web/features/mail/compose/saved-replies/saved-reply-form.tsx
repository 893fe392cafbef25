import { useQuery } from '@tanstack/react-query';
import { useEffect, useId } from 'react';
import type { SavedReply } from '../../../../../src/features/mailboxes/saved-replies/saved-replies.schema.ts';
import { isContactTag, MAILBOX_TAGS } from '../../../../../src/mail/html/tag-names.ts';
import { sendJson } from '../../../../api/client.ts';
import { sendOnce } from '../../../../api/send-once.ts';
import { refresh } from '../../../../api/query-client.ts';
import { namesOfTags, type WrittenTag } from '../../../../editor/merge-tags.ts';
import { UnknownTags } from '../../../../editor/unknown-tags.tsx';
import { mailTexts } from '../../../../texts/en/mail.ts';
import { texts } from '../../../../texts/en.ts';
import { Button } from '../../../../ui/button.tsx';
import { DialogActions } from '../../../../ui/dialogs/dialog.tsx';
import { TextField } from '../../../../ui/field.tsx';
import { FormError, useForm, useUnsaved } from '../../../../ui/form.tsx';
import { showToast } from '../../../../ui/toasts.ts';
import { contactBooksQuery } from '../../../contact-books/contact-books-api.ts';
import { savedRepliesQuery } from '../../live/mail-api.ts';
import { MailEditor } from '../editor/editor.tsx';

const t = mailTexts.replies;
const MOST_CHARACTERS = 100_000;
const TOLD_FROM = 80_000;

interface SavedReplyFormProps {
  mailboxId: string;
  reply: SavedReply | null;
  onUnsaved(isUnsaved: boolean): void;
  onBack(): void;
  done(): void;
}

export function SavedReplyForm({ mailboxId, reply, onUnsaved, onBack, done }: SavedReplyFormProps) {
  const hintId = useId();
  const { data: books = [] } = useQuery(contactBooksQuery);
  const variables = [...MAILBOX_TAGS, ...books.flatMap((book) => book.variables)];
  const isUnknownTag = (tag: WrittenTag) => !isContactTag(tag.name, variables);
  const form = useForm({ name: reply?.name ?? '', html: reply?.html ?? '' }, async (values) => {
    const path = `/mailboxes/${mailboxId}/saved-replies`;
    await (reply ? sendJson('PATCH', `${path}/${reply.id}`, values) : sendOnce(path, values));
    await refresh(...savedRepliesQuery(mailboxId).queryKey);
    showToast(t.saved);
    done();
  });
  const { html } = form.values;
  const { isUnsaved } = useUnsaved(form.values);
  useEffect(() => onUnsaved(isUnsaved), [onUnsaved, isUnsaved]);
  const length = [...html].length;
  const isTooLong = length > MOST_CHARACTERS;
  return (
    <form onSubmit={form.onSubmit} noValidate>
      <TextField autoFocus label={t.name} {...form.text('name')} maxLength={200} />
      <p aria-hidden className="mt-4 mb-1.5 font-medium">
        {t.text}
      </p>
      <div className="rounded-lg border border-edge/60 bg-raised px-3 py-2">
        <MailEditor
          label={t.text}
          start={html}
          placeholder=""
          onChange={(next) => form.set({ html: next })}
          describedBy={hintId}
          isUnknownTag={isUnknownTag}
        />
      </div>
      <p id={hintId} className="mt-1.5 text-[0.8125rem] text-soft">
        {t.variables}
      </p>
      <UnknownTags names={namesOfTags(html, isUnknownTag)} />
      {length > TOLD_FROM && (
        <p role="status" className={isTooLong ? 'mt-1.5 text-bad' : 'mt-1.5 text-soft'}>
          {isTooLong ? t.tooLong : t.length(texts.common.number(length))}
        </p>
      )}
      <FormError error={form.errorBeside()} />
      <DialogActions>
        <Button onClick={onBack}>{t.back}</Button>
        <Button type="submit" look="primary" busy={form.busy} disabled={isTooLong}>
          {texts.common.save}
        </Button>
      </DialogActions>
    </form>
  );
}

import { useQuery } from '@tanstack/react-query';
import { useEffect, useId, useRef, useState } from 'react';
import type { SavedReply } from '../../../../../src/features/mailboxes/saved-replies/saved-replies.schema.ts';
import { isContactTag } from '../../../../../src/features/audience/own-fields/own-fields.ts';
import { MAILBOX_TAGS } from '../../../../../src/mail/html/tag-names.ts';
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
import { bytesOf, MOST_FILE_BYTES, partsOf, saveFiles, toFields, type ReplyParts } from './reply-parts.ts';
import { ReplyPartsFields } from './reply-parts-fields.tsx';

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
  const { data: replies = [] } = useQuery(savedRepliesQuery(mailboxId));
  const { form, parts, change } = useSavedReply(mailboxId, reply, done);
  const { html } = form.values;
  const { isUnsaved } = useUnsaved({
    ...form.values,
    ...parts,
    added: parts.added.map(({ name, size }) => [name, size]),
  });
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
      <ReplyPartsFields
        mailboxId={mailboxId}
        parts={parts}
        change={change}
        folders={[...new Set(replies.flatMap(({ folder }) => folder ?? []))]}
        folderError={form.errorOf('folder')}
      />
      <FormError error={form.errorBeside()} />
      <DialogActions>
        <Button onClick={onBack}>{t.back}</Button>
        <Button
          type="submit"
          look="primary"
          busy={form.busy}
          disabled={isTooLong || bytesOf(parts) > MOST_FILE_BYTES}
        >
          {texts.common.save}
        </Button>
      </DialogActions>
    </form>
  );
}

/** The values of the form, and how they are stored. */
function useSavedReply(mailboxId: string, reply: SavedReply | null, done: () => void) {
  // A reply that was created stays so if one of its files could not be stored.
  const stored = useRef(reply);
  const [parts, setParts] = useState(() => partsOf(reply));
  const change = (part: Partial<ReplyParts>) => setParts((before) => ({ ...before, ...part }));
  const form = useForm({ name: reply?.name ?? '', html: reply?.html ?? '' }, async (values) => {
    const path = `/mailboxes/${mailboxId}/saved-replies`;
    const fields = { ...values, ...toFields(parts) };
    const known = stored.current;
    const saved = known
      ? await sendJson<SavedReply>('PATCH', `${path}/${known.id}`, fields)
      : await sendOnce<SavedReply>(path, fields);
    stored.current = saved;
    try {
      await saveFiles(`${path}/${saved.id}`, saved.attachments, parts, {
        onRemoved: (n) =>
          setParts(({ kept, ...before }) => ({
            ...before,
            kept: kept.map((file) => (file.n > n ? { ...file, n: file.n - 1 } : file)),
          })),
        onAdded: (file, { attachments: kept }) =>
          setParts(({ added, ...before }) => ({
            ...before,
            kept,
            added: added.filter((each) => each !== file),
          })),
      });
    } finally {
      await refresh(...savedRepliesQuery(mailboxId).queryKey);
    }
    showToast(t.saved);
    done();
  });
  return { form, parts, change };
}

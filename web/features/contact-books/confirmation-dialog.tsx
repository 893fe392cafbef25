import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ContactBook } from '../../../src/features/contact-books/contact-books.schema.ts';
import { sendJson } from '../../api/client.ts';
import { LazyEditor } from '../../editor/lazy-editor.tsx';
import { texts } from '../../texts/en.ts';
import { TextField } from '../../ui/field.tsx';
import { useSubmission } from '../../ui/form.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { showToast } from '../../ui/toasts.ts';

const t = texts.contacts;

/** The mail that asks a new contact to confirm. */
export function ConfirmationDialog({ book, onClose }: { book: ContactBook; onClose(): void }) {
  const queryClient = useQueryClient();
  const [from, setFrom] = useState(book.doubleOptInFrom ?? '');
  const [subject, setSubject] = useState(book.doubleOptInSubject);
  const [content, setContent] = useState(book.doubleOptInContent);
  const form = useSubmission(async () => {
    await sendJson('PATCH', `/contactBooks/${book.id}`, {
      doubleOptInFrom: from.trim() || null,
      doubleOptInSubject: subject,
      doubleOptInContent: content,
    });
    await queryClient.invalidateQueries({ queryKey: ['contact-books'] });
    showToast(t.bookSaved);
    onClose();
  });
  return (
    <FormDialog
      wide
      title={t.confirmationMail}
      description={t.confirmationText}
      form={form}
      action={texts.common.save}
      onClose={onClose}
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label={t.doubleOptInFrom}
          hint={t.doubleOptInFromHint}
          value={from}
          error={form.errorOf('doubleOptInFrom')}
          onChange={(event) => setFrom(event.target.value)}
        />
        <TextField
          label={t.doubleOptInSubject}
          value={subject}
          required
          error={form.errorOf('doubleOptInSubject')}
          onChange={(event) => setSubject(event.target.value)}
        />
      </div>
      <LazyEditor
        content={content}
        variables={['doubleOptInUrl', ...book.variables]}
        onReady={() => {}}
        onChange={setContent}
      />
    </FormDialog>
  );
}

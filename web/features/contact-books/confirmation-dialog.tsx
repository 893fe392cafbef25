import type { ContactBook } from '../../../src/features/audience/contact-books/contact-books.schema.ts';
import { sendJson } from '../../api/client.ts';
import { refresh } from '../../api/query-client.ts';
import { LazyEditor } from '../../editor/lazy-editor.tsx';
import { texts } from '../../texts/en.ts';
import { contactTexts } from '../../texts/en/contacts.ts';
import { useAskBeforeClosing } from '../../ui/dialogs/ask-before-closing.tsx';
import { TextField } from '../../ui/field.tsx';
import { useForm, useUnsaved } from '../../ui/form.tsx';
import { FormDialog } from '../../ui/dialogs/form-dialog.tsx';
import { showToast } from '../../ui/toasts.ts';

const t = contactTexts;

/** The email that asks a new contact to confirm. */
export function ConfirmationDialog({ book, onClose }: { book: ContactBook; onClose(): void }) {
  const start = {
    doubleOptInFrom: book.doubleOptInFrom ?? '',
    doubleOptInSubject: book.doubleOptInSubject,
    doubleOptInContent: book.doubleOptInContent,
  };
  const form = useForm(start, async ({ doubleOptInFrom, ...values }) => {
    const input = { ...values, doubleOptInFrom: doubleOptInFrom.trim() || null };
    await sendJson('PATCH', `/contactBooks/${book.id}`, input);
    await refresh('contact-books');
    showToast(t.bookSaved);
    onClose();
  });
  const { isUnsaved } = useUnsaved(form.values);
  const { close, question } = useAskBeforeClosing(isUnsaved, onClose);
  return (
    <FormDialog
      wide
      title={t.confirmationMail}
      description={t.confirmationText}
      form={form}
      action={texts.common.save}
      onClose={close}
    >
      <div className="grid grid-cols-1 gap-4 sm:grid-cols-2">
        <TextField label={t.doubleOptInFrom} hint={t.doubleOptInFromHint} {...form.text('doubleOptInFrom')} />
        <TextField label={t.doubleOptInSubject} {...form.text('doubleOptInSubject')} required />
      </div>
      <LazyEditor
        content={form.values.doubleOptInContent}
        variables={['doubleOptInUrl', ...book.variables]}
        onChange={(content) => form.set({ doubleOptInContent: content })}
      />
      {question}
    </FormDialog>
  );
}

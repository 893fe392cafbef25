import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { ContactBook } from '../../../src/features/contact-books/contact-books.schema.ts';
import { sendJson } from '../../api/client.ts';
import { texts } from '../../texts/en.ts';
import { SwitchField, TextField } from '../../ui/field.tsx';
import { useSubmission } from '../../ui/form.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { showToast } from '../../ui/toasts.ts';

const t = texts.contacts;

/** Makes a book, or changes the one that is given. */
export function BookDialog({ book, onClose }: { book: ContactBook | null; onClose(): void }) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const [name, setName] = useState(book?.name ?? '');
  const [emoji, setEmoji] = useState(book?.emoji ?? '📙');
  const [variables, setVariables] = useState(book?.variables.join(', ') ?? '');
  const [doubleOptIn, setDoubleOptIn] = useState(book?.doubleOptInEnabled ?? false);
  const form = useSubmission(async () => {
    const input = {
      name,
      emoji: emoji.trim() || null,
      variables: variables.split(/[\s,]+/).filter(Boolean),
      doubleOptInEnabled: doubleOptIn,
    };
    const path = book ? `/contactBooks/${book.id}` : '/contactBooks';
    const saved = await sendJson<ContactBook>(book ? 'PATCH' : 'POST', path, input);
    await queryClient.invalidateQueries({ queryKey: ['contact-books'] });
    if (book) {
      showToast(t.bookSaved);
      onClose();
    } else {
      await navigate({ to: '/contact-books/$bookId', params: { bookId: saved.id }, search: {} });
    }
  });
  return (
    <FormDialog
      title={book ? t.bookSettings : t.createBook}
      form={form}
      action={book ? texts.common.save : t.createAction}
      onClose={onClose}
    >
      <div className="grid grid-cols-[1fr_5rem] gap-3">
        <TextField
          label={t.bookName}
          value={name}
          autoFocus
          required
          error={form.errorOf('name')}
          onChange={(event) => setName(event.target.value)}
        />
        <TextField
          label={t.emoji}
          value={emoji}
          error={form.errorOf('emoji')}
          onChange={(event) => setEmoji(event.target.value)}
        />
      </div>
      <TextField
        label={t.variables}
        hint={t.variablesHint}
        value={variables}
        error={form.errorOf('variables')}
        onChange={(event) => setVariables(event.target.value)}
      />
      <SwitchField
        label={t.doubleOptIn}
        hint={t.doubleOptInHint}
        checked={doubleOptIn}
        onChange={setDoubleOptIn}
      />
    </FormDialog>
  );
}

import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { ContactBook } from '../../../src/features/contact-books/contact-books.schema.ts';
import { sendJson } from '../../api/client.ts';
import { texts } from '../../texts/en.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { SwitchField, TextField } from '../../ui/field.tsx';
import { FormError, useSubmission } from '../../ui/form.tsx';
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
  const { busy, errorOf, errorBeside, onSubmit } = useSubmission(async () => {
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
    <Dialog title={book ? t.bookSettings : t.createBook} onClose={onClose}>
      <form onSubmit={onSubmit} className="space-y-4">
        <div className="grid grid-cols-[1fr_5rem] gap-3">
          <TextField
            label={t.bookName}
            value={name}
            autoFocus
            required
            error={errorOf('name')}
            onChange={(event) => setName(event.target.value)}
          />
          <TextField
            label={t.emoji}
            value={emoji}
            error={errorOf('emoji')}
            onChange={(event) => setEmoji(event.target.value)}
          />
        </div>
        <TextField
          label={t.variables}
          hint={t.variablesHint}
          value={variables}
          error={errorOf('variables')}
          onChange={(event) => setVariables(event.target.value)}
        />
        <SwitchField
          label={t.doubleOptIn}
          hint={t.doubleOptInHint}
          checked={doubleOptIn}
          onChange={setDoubleOptIn}
        />
        <FormError error={errorBeside('name', 'emoji', 'variables')} />
        <DialogActions>
          <Button onClick={onClose}>{texts.common.cancel}</Button>
          <Button type="submit" look="primary" busy={busy}>
            {book ? texts.common.save : t.createAction}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

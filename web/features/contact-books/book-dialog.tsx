import { useNavigate } from '@tanstack/react-router';
import type { ContactBook } from '../../../src/features/audience/contact-books/contact-books.schema.ts';
import { sendJson } from '../../api/client.ts';
import { sendOnce } from '../../api/send-once.ts';
import { refresh } from '../../api/query-client.ts';
import { texts } from '../../texts/en.ts';
import { contactTexts } from '../../texts/en/contacts.ts';
import { SelectField, SwitchField, TextField } from '../../ui/field.tsx';
import { useForm } from '../../ui/form.tsx';
import { FormDialog } from '../../ui/dialogs/form-dialog.tsx';
import { allZones } from '../../ui/dates/local-times.ts';
import { OWN_ZONE } from '../../ui/dates/time-zone.ts';
import { showToast } from '../../ui/toasts.ts';

const t = contactTexts;

/** Creates a book, or changes the given one. */
export function BookDialog({ book, onClose }: { book: ContactBook | null; onClose(): void }) {
  const navigate = useNavigate();
  const start = {
    name: book?.name ?? '',
    emoji: book?.emoji ?? '📙',
    variables: book?.variables.join(', ') ?? '',
    doubleOptInEnabled: book?.doubleOptInEnabled ?? true,
    timezone: book?.timezone ?? OWN_ZONE,
  };
  const form = useForm(start, async ({ emoji, variables, ...values }) => {
    const names = variables.split(/[\s,]+/).filter(Boolean);
    const input = { ...values, emoji: emoji.trim() || null, variables: names };
    if (book) {
      await sendJson('PATCH', `/contactBooks/${book.id}`, input);
      await refresh('contact-books');
      showToast(t.bookSaved);
      onClose();
    } else {
      const { id } = await sendOnce<ContactBook>('/contactBooks', input);
      await refresh('contact-books');
      await navigate({ to: '/contact-books/$bookId', params: { bookId: id }, search: {} });
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
        <TextField label={t.bookName} {...form.text('name')} autoFocus required />
        <TextField label={t.emoji} {...form.text('emoji')} />
      </div>
      <TextField label={t.variables} hint={t.variablesHint} {...form.text('variables')} />
      <SelectField
        label={t.timezone}
        hint={t.timezoneHint}
        {...form.text('timezone')}
        options={[...new Set([form.values.timezone, ...allZones()])].map((zone) => [zone, zone])}
      />
      <SwitchField label={t.doubleOptIn} hint={t.doubleOptInHint} {...form.flag('doubleOptInEnabled')} />
    </FormDialog>
  );
}

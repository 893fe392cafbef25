import { ExternalLink } from 'lucide-react';
import type { ContactBook } from '../../../src/features/audience/contact-books/contact-books.schema.ts';
import { sendJson } from '../../api/client.ts';
import { refresh } from '../../api/query-client.ts';
import { texts } from '../../texts/en.ts';
import { archiveTexts } from '../../texts/en/archive.ts';
import { CopyLine } from '../../ui/copy.tsx';
import { SwitchField, TextAreaField, TextField } from '../../ui/field.tsx';
import { useForm } from '../../ui/form.tsx';
import { FormDialog } from '../../ui/dialogs/form-dialog.tsx';
import { showToast } from '../../ui/toasts.ts';

const t = archiveTexts;

/** Returns the address of the archive of a book, or of an email in it. */
export function archiveUrl(bookId: string, campaignId?: string): string {
  const path = campaignId === undefined ? bookId : `${bookId}/${campaignId}`;
  return `${window.location.origin}/a/${path}`;
}

export function ArchiveDialog({ book, onClose }: { book: ContactBook; onClose(): void }) {
  const start = {
    archiveEnabled: book.archiveEnabled,
    archiveTitle: book.archiveTitle ?? '',
    archiveDescription: book.archiveDescription ?? '',
    archiveIndexed: book.archiveIndexed,
  };
  const form = useForm(start, async (values) => {
    await sendJson('PATCH', `/contactBooks/${book.id}`, values);
    await refresh('contact-books');
    showToast(t.saved);
    onClose();
  });
  const url = archiveUrl(book.id);
  return (
    <FormDialog title={t.title} description={t.lead} form={form} action={texts.common.save} onClose={onClose}>
      <SwitchField label={t.enabled} hint={t.enabledHint} {...form.flag('archiveEnabled')} />
      {form.values.archiveEnabled && (
        <>
          <TextField label={t.name} placeholder={book.name} maxLength={200} {...form.text('archiveTitle')} />
          <TextAreaField
            label={t.description}
            rows={3}
            maxLength={2000}
            {...form.text('archiveDescription')}
          />
          <SwitchField label={t.indexed} hint={t.indexedHint} {...form.flag('archiveIndexed')} />
          <CopyLine name={t.page} label={t.copyPage} text={url} />
          <CopyLine name={t.feed} label={t.copyFeed} text={`${url}/feed.xml`} />
          {book.archiveEnabled && (
            <a
              href={url}
              target="_blank"
              rel="noreferrer"
              className="inline-flex w-fit items-center gap-1.5 rounded underline underline-offset-2"
            >
              {t.open}
              <ExternalLink aria-hidden className="size-4" />
            </a>
          )}
        </>
      )}
    </FormDialog>
  );
}

import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { ContactBook } from '../../../src/features/audience/contact-books/contact-books.schema.ts';
import type { Contact } from '../../../src/features/audience/contacts/contacts.schema.ts';
import { OWN_FIELD_NAMES } from '../../../src/features/audience/own-fields/own-fields.ts';
import { getJson, sendJson } from '../../api/client.ts';
import type { CursorPage } from '../../api/pages.ts';
import { refresh } from '../../api/query-client.ts';
import { texts } from '../../texts/en.ts';
import { contactTexts } from '../../texts/en/contacts.ts';
import { Button } from '../../ui/button.tsx';
import { SwitchField, TextField } from '../../ui/field.tsx';
import { useForm } from '../../ui/form.tsx';
import { FormDialog } from '../../ui/dialogs/form-dialog.tsx';
import { showToast } from '../../ui/toasts.ts';
import { toInput, valuesOf } from './contact-input.ts';
import { PropertyFields } from './property-fields.tsx';

const t = contactTexts;

/** The form of a new contact. From it the contact that has the address already can be opened. */
export function ContactDialog({ book, onClose }: { book: ContactBook; onClose(): void }) {
  const path = `/contactBooks/${book.id}/contacts`;
  /** The contact that has the new address already. */
  const [known, setKnown] = useState<Contact | null>(null);
  const form = useForm(
    () => valuesOf(book, null),
    async (values) => {
      const email = values.email.trim();
      // Adding an address that is in the book would change its contact.
      const { items } = await getJson<CursorPage<Contact>>(path, { email });
      if (items[0]) return setKnown(items[0]);
      await sendJson('POST', path, { email, ...toInput(values, null) });
      await Promise.all([refresh('contacts'), refresh('contact-books')]);
      showToast(t.saved);
      onClose();
    },
  );
  const email = form.text('email');
  return (
    <FormDialog title={t.addTitle} form={form} action={texts.common.save} onClose={onClose}>
      <TextField
        label={texts.common.email}
        type="email"
        {...email}
        autoFocus
        required
        onChange={(event) => {
          email.onChange(event);
          setKnown(null);
        }}
      />
      {known && <AlreadyThere contact={known} />}
      <div className="grid grid-cols-1 gap-3 sm:grid-cols-2">
        {OWN_FIELD_NAMES.map((name) => (
          <TextField key={name} label={t.ownFields[name]} {...form.text(name)} />
        ))}
      </div>
      <SwitchField label={t.subscribed} {...form.flag('subscribed')} />
      <PropertyFields
        properties={form.values.properties}
        onChange={(properties) => form.set({ properties })}
      />
    </FormDialog>
  );
}

function AlreadyThere({ contact: { id, contactBookId, email } }: { contact: Contact }) {
  const navigate = useNavigate();
  const open = () =>
    navigate({
      to: '/contact-books/$bookId/contacts/$contactId',
      params: { bookId: contactBookId, contactId: id },
    });
  return (
    <div role="alert" className="flex flex-wrap items-center gap-3 rounded-lg bg-warn-tint px-3 py-2">
      <span className="min-w-0 flex-1 break-words text-warn">{t.alreadyThere(email)}</span>
      <Button size="small" onClick={() => void open()}>
        {t.openKnown}
      </Button>
    </div>
  );
}

import { useQueryClient } from '@tanstack/react-query';
import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { ContactBook } from '../../../src/features/contact-books/contact-books.schema.ts';
import type { Contact } from '../../../src/features/contacts/contacts.schema.ts';
import { getJson, sendJson } from '../../api/client.ts';
import type { CursorPage } from '../../api/pages.ts';
import { texts } from '../../texts/en.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { SwitchField, TextField } from '../../ui/field.tsx';
import { useSubmission } from '../../ui/form.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Time } from '../../ui/time.tsx';
import { showToast } from '../../ui/toasts.ts';
import { ContactTopics } from '../topics/contact-topics.tsx';
import { PropertyFields, propertiesOf, toProperties } from './property-fields.tsx';
import { awaitsConfirmation } from './subscription-badge.tsx';

const t = texts.contacts;

interface ContactDialogProps {
  book: ContactBook;
  /** Null makes a new one. */
  contact: Contact | null;
  onClose(): void;
}

export function ContactDialog({ book, contact, onClose }: ContactDialogProps) {
  const queryClient = useQueryClient();
  const [email, setEmail] = useState(contact?.email ?? '');
  const [firstName, setFirstName] = useState(contact?.firstName ?? '');
  const [lastName, setLastName] = useState(contact?.lastName ?? '');
  const [subscribed, setSubscribed] = useState(contact?.subscribed ?? true);
  const [properties, setProperties] = useState(() => propertiesOf(book, contact));
  const [deleting, setDeleting] = useState(false);
  /** Who has the address already that was to be added. */
  const [known, setKnown] = useState<Contact | null>(null);
  const [isKnownOpen, setIsKnownOpen] = useState(false);
  const path = `/contactBooks/${book.id}/contacts`;

  async function refresh(): Promise<void> {
    await Promise.all([
      queryClient.invalidateQueries({ queryKey: ['contacts', book.id] }),
      queryClient.invalidateQueries({ queryKey: ['contact-books'] }),
    ]);
  }

  const form = useSubmission(async () => {
    const input = {
      // Empty clears a name that was there; of somebody new it says nothing.
      firstName: firstName.trim() || (contact ? null : undefined),
      lastName: lastName.trim() || (contact ? null : undefined),
      properties: toProperties(properties, contact),
      // Only what was changed here: a pending contact must not be unsubscribed by saving a name.
      ...(subscribed === (contact?.subscribed ?? true) ? {} : { subscribed }),
    };
    if (contact) {
      await sendJson('PATCH', `${path}/${contact.id}`, input);
    } else {
      // Adding would change whoever has this address.
      const { items } = await getJson<CursorPage<Contact>>(path, { email: email.trim() });
      if (items[0]) {
        setKnown(items[0]);
        return;
      }
      await sendJson('POST', path, { email: email.trim(), ...input });
    }
    await refresh();
    showToast(t.saved);
    onClose();
  });

  if (known && isKnownOpen) return <ContactDialog book={book} contact={known} onClose={onClose} />;
  if (deleting && contact) {
    return (
      <ConfirmDialog
        title={t.deleteContactTitle(contact.email)}
        action={t.deleteContact}
        onClose={onClose}
        run={async () => {
          await sendJson('DELETE', `${path}/${contact.id}`);
          await refresh();
          showToast(t.contactDeleted);
        }}
      >
        <p>{t.deleteContactText}</p>
      </ConfirmDialog>
    );
  }
  return (
    <FormDialog
      title={contact ? contact.email : t.addTitle}
      form={form}
      aside={
        contact && (
          <Button
            look="quietDanger"
            icon={Trash2}
            className="mr-auto -ml-3.5"
            onClick={() => setDeleting(true)}
          >
            {texts.common.delete}
          </Button>
        )
      }
      action={texts.common.save}
      onClose={onClose}
    >
      {!contact && (
        <TextField
          label={texts.common.email}
          type="email"
          value={email}
          autoFocus
          required
          error={form.errorOf('email')}
          onChange={(event) => {
            setEmail(event.target.value);
            setKnown(null);
          }}
        />
      )}
      {known && (
        <div role="alert" className="flex flex-wrap items-center gap-3 rounded-lg bg-warn-tint px-3 py-2">
          <span className="min-w-0 flex-1 break-words text-warn">{t.alreadyThere(known.email)}</span>
          <Button size="small" onClick={() => setIsKnownOpen(true)}>
            {t.openKnown}
          </Button>
        </div>
      )}
      <div className="grid gap-3 sm:grid-cols-2">
        <TextField
          label={t.firstName}
          value={firstName}
          error={form.errorOf('firstName')}
          onChange={(event) => setFirstName(event.target.value)}
        />
        <TextField
          label={t.lastName}
          value={lastName}
          error={form.errorOf('lastName')}
          onChange={(event) => setLastName(event.target.value)}
        />
      </div>
      <SwitchField
        label={t.subscribed}
        hint={contact ? hintFor(contact) : undefined}
        checked={subscribed}
        onChange={setSubscribed}
      />
      {contact?.consent && (
        <p className="text-[0.8125rem] break-words text-soft">
          {t.consent} {contact.consent.note ?? t.consentWithoutNote} (<Time at={contact.consent.at} />,{' '}
          {contact.consent.by})
        </p>
      )}
      <PropertyFields properties={properties} onChange={setProperties} />
      {contact && <ContactTopics bookId={book.id} contactId={contact.id} />}
    </FormDialog>
  );
}

function hintFor(contact: Contact): string | undefined {
  if (contact.subscribed) return undefined;
  return awaitsConfirmation(contact) ? t.awaitsConfirmationHint : t.subscribedHint;
}

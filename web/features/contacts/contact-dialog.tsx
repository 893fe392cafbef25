import { useQueryClient } from '@tanstack/react-query';
import { Plus, Trash2, X } from 'lucide-react';
import { useState } from 'react';
import type { ContactBook } from '../../../src/features/contact-books/contact-books.schema.ts';
import type { Contact } from '../../../src/features/contacts/contacts.schema.ts';
import { sendJson } from '../../api/client.ts';
import { texts } from '../../texts/en.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { SwitchField, TextField } from '../../ui/field.tsx';
import { useSubmission } from '../../ui/form.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { showToast } from '../../ui/toasts.ts';
import { ContactTopics } from '../topics/contact-topics.tsx';

const t = texts.contacts;

interface ContactDialogProps {
  book: ContactBook;
  /** Null makes a new one. */
  contact: Contact | null;
  onClose(): void;
}

interface Property {
  name: string;
  value: string;
  /** The book's own variables keep their names. */
  fixed: boolean;
}

export function ContactDialog({ book, contact, onClose }: ContactDialogProps) {
  const queryClient = useQueryClient();
  const [email, setEmail] = useState(contact?.email ?? '');
  const [firstName, setFirstName] = useState(contact?.firstName ?? '');
  const [lastName, setLastName] = useState(contact?.lastName ?? '');
  const [subscribed, setSubscribed] = useState(contact?.subscribed ?? true);
  const [properties, setProperties] = useState(() => propertiesOf(book, contact));
  const [deleting, setDeleting] = useState(false);
  const path = `/contactBooks/${book.id}/contacts`;

  async function refresh(): Promise<void> {
    await Promise.all([
      queryClient.invalidateQueries({ queryKey: ['contacts', book.id] }),
      queryClient.invalidateQueries({ queryKey: ['contact-books'] }),
    ]);
  }

  const form = useSubmission(async () => {
    const input = {
      firstName: firstName.trim() || null,
      lastName: lastName.trim() || null,
      properties: toInput(properties, contact),
      // Only what was changed here: a pending contact must not be unsubscribed by saving a name.
      ...(contact?.subscribed === subscribed ? {} : { subscribed }),
    };
    if (contact) await sendJson('PATCH', `${path}/${contact.id}`, input);
    else await sendJson('POST', path, { email: email.trim(), ...input });
    await refresh();
    showToast(t.saved);
    onClose();
  });

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
          onChange={(event) => setEmail(event.target.value)}
        />
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
        hint={contact && !contact.subscribed ? t.subscribedHint : undefined}
        checked={subscribed}
        onChange={setSubscribed}
      />
      <PropertyFields properties={properties} onChange={setProperties} />
      {contact && <ContactTopics bookId={book.id} contactId={contact.id} />}
    </FormDialog>
  );
}

interface PropertyFieldsProps {
  properties: Property[];
  onChange(properties: Property[]): void;
}

function PropertyFields({ properties, onChange }: PropertyFieldsProps) {
  const change = (at: number, part: Partial<Property>) =>
    onChange(properties.map((property, index) => (index === at ? { ...property, ...part } : property)));
  return (
    <fieldset>
      <legend className="mb-1.5 font-medium">{t.properties}</legend>
      <div className="space-y-2">
        {properties.map((property, index) => (
          <div key={index} className="grid grid-cols-[1fr_1fr_2rem] items-center gap-2">
            <TextField
              bare
              label={t.property}
              placeholder={t.property}
              value={property.name}
              readOnly={property.fixed}
              onChange={(event) => change(index, { name: event.target.value })}
            />
            <TextField
              bare
              label={property.name ? `${t.value}: ${property.name}` : t.value}
              placeholder={t.value}
              value={property.value}
              onChange={(event) => change(index, { value: event.target.value })}
            />
            <IconButton
              icon={X}
              label={t.removeProperty(property.name)}
              onClick={() => onChange(properties.filter((_, at) => at !== index))}
            />
          </div>
        ))}
      </div>
      <Button
        size="small"
        look="quiet"
        icon={Plus}
        className="mt-1 -ml-2.5"
        onClick={() => onChange([...properties, { name: '', value: '', fixed: false }])}
      >
        {t.addProperty}
      </Button>
    </fieldset>
  );
}

function propertiesOf(book: ContactBook, contact: Contact | null): Property[] {
  const known = contact?.properties ?? {};
  const names = [...new Set([...book.variables, ...Object.keys(known)])];
  return names.map((name) => ({ name, value: name in known ? String(known[name]) : '', fixed: true }));
}

/** Properties merge key by key on the server: one that is gone here is sent as null. */
function toInput(
  properties: Property[],
  contact: Contact | null,
): Record<string, string | number | boolean | null> {
  const before = contact?.properties ?? {};
  const input: Record<string, string | number | boolean | null> = {};
  for (const name of Object.keys(before)) input[name] = null;
  for (const { name, value } of properties) {
    if (name.trim() === '' || value === '') continue;
    // What was not touched keeps its type: a number stays a number.
    input[name.trim()] = String(before[name]) === value ? before[name]! : value;
  }
  return input;
}

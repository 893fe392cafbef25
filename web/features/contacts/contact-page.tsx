/** The page of one contact: what is known about it, and every email to it. */
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { ContactBook } from '../../../src/features/audience/contact-books/contact-books.schema.ts';
import type { ContactDetails } from '../../../src/features/audience/contacts/contacts.schema.ts';
import { fullName } from '../../../src/features/audience/own-fields/full-name.ts';
import { OWN_FIELD_NAMES } from '../../../src/features/audience/own-fields/own-fields.ts';
import { getJson, sendJson } from '../../api/client.ts';
import { refresh } from '../../api/query-client.ts';
import { texts } from '../../texts/en.ts';
import { contactTexts } from '../../texts/en/contacts.ts';
import { AskBeforeLeaving } from '../../ui/dialogs/ask-before-leaving.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ConfirmMenu } from '../../ui/dialogs/delete-menu.tsx';
import { SwitchField, TextField } from '../../ui/field.tsx';
import { FormError, useForm, useUnsaved } from '../../ui/form.tsx';
import { Card, Page, Section } from '../../ui/page.tsx';
import { PageOf } from '../../ui/page-of.tsx';
import { showToast } from '../../ui/toasts.ts';
import { useDeleteAndLeave } from '../../ui/dialogs/use-delete-and-leave.ts';
import { ContactAutomations } from '../automations/summaries/contact-automations.tsx';
import { contactBookQuery } from '../contact-books/contact-books-api.ts';
import { ContactTopics } from '../topics/contact-topics.tsx';
import { ActivityOfContact } from './contact-activity.tsx';
import { ContactFacts } from './contact-facts.tsx';
import { toInput, valuesOf } from './contact-input.ts';
import { PropertyFields } from './property-fields.tsx';
import { awaitsConfirmation, SubscriptionBadge } from './subscription-badge.tsx';

const t = contactTexts;

export function ContactPage() {
  const { bookId, contactId } = useParams({ from: '/app/contact-books/$bookId/contacts/$contactId' });
  const book = useQuery(contactBookQuery(bookId));
  const contact = useQuery({
    queryKey: ['contacts', 'one', contactId],
    queryFn: () => getJson<ContactDetails>(`/contactBooks/${bookId}/contacts/${contactId}`),
  });
  const back = {
    to: '/contact-books/$bookId',
    params: { bookId },
    label: book.data?.name ?? t.books,
  } as const;
  return (
    <PageOf query={book} title={t.contact} back={back}>
      {(bookData) => (
        <PageOf query={contact} title={t.contact} back={back}>
          {(data) => <Contact key={data.id} book={bookData} contact={data} back={back} />}
        </PageOf>
      )}
    </PageOf>
  );
}

interface ContactProps {
  book: ContactBook;
  contact: ContactDetails;
  back: { to: '/contact-books/$bookId'; params: { bookId: string }; label: string };
}

function Contact({ book, contact, back }: ContactProps) {
  const name = fullName(contact);
  return (
    <Page
      wide
      title={contact.email}
      description={name || undefined}
      mark={
        <>
          <SubscriptionBadge contact={contact} />
          {contact.suppression && <Badge tone="bad">{t.suppressed}</Badge>}
        </>
      }
      back={back}
      actions={<DeleteContactMenu contact={contact} />}
    >
      <div className="grid grid-cols-1 items-start gap-x-8 lg:grid-cols-[minmax(0,5fr)_minmax(0,3fr)]">
        <Section title={t.details}>
          <Card>
            <ContactForm book={book} contact={contact} />
          </Card>
        </Section>
        <div>
          <ContactFacts contact={contact} />
          <ContactAutomations contactId={contact.id} />
        </div>
      </div>
      <ActivityOfContact contact={contact} />
    </Page>
  );
}

function ContactForm({ book, contact }: { book: ContactBook; contact: ContactDetails }) {
  const form = useForm(
    () => valuesOf(book, contact),
    async (values) => {
      const path = `/contactBooks/${book.id}/contacts/${contact.id}`;
      await sendJson('PATCH', path, toInput(values, contact));
      noteSaved();
      await Promise.all([refresh('contacts'), refresh('contact-books')]);
      showToast(t.saved);
    },
  );
  const { isUnsaved, noteSaved } = useUnsaved(form.values);
  return (
    <form onSubmit={form.onSubmit} className="space-y-4">
      <AskBeforeLeaving isUnsaved={isUnsaved} />
      <div className="grid grid-cols-1 gap-3 sm:grid-cols-2">
        {OWN_FIELD_NAMES.map((name) => (
          <TextField key={name} label={t.ownFields[name]} {...form.text(name)} />
        ))}
      </div>
      <SwitchField label={t.subscribed} hint={hintFor(contact)} {...form.flag('subscribed')} />
      <PropertyFields
        properties={form.values.properties}
        onChange={(properties) => form.set({ properties })}
      />
      <ContactTopics bookId={book.id} contactId={contact.id} />
      <FormError error={form.errorBeside()} />
      <Button type="submit" look="primary" busy={form.busy} disabled={!isUnsaved}>
        {texts.common.save}
      </Button>
    </form>
  );
}

function DeleteContactMenu({ contact }: { contact: ContactDetails }) {
  const deleteAndLeave = useDeleteAndLeave(
    { to: '/contact-books/$bookId', params: { bookId: contact.contactBookId } },
    'contacts',
  );
  return (
    <ConfirmMenu
      title={t.deleteContactTitle(contact.email)}
      text={t.deleteContactText}
      action={t.deleteContact}
      run={async () => {
        await deleteAndLeave(`/contactBooks/${contact.contactBookId}/contacts/${contact.id}`);
        await refresh('contact-books');
      }}
      done={t.contactDeleted}
    />
  );
}

function hintFor(contact: ContactDetails): string | undefined {
  if (contact.subscribed) return undefined;
  return awaitsConfirmation(contact) ? t.awaitsConfirmationHint : t.subscribedHint;
}

/** The columns of lists of contacts. */
import type { Contact } from '../../../src/features/audience/contacts/contacts.schema.ts';
import { texts } from '../../texts/en.ts';
import { timeColumn, type Column } from '../../ui/columns.tsx';
import { TextLink } from '../../ui/text-link.tsx';
import { SubscriptionBadge } from './subscription-badge.tsx';

const t = texts.contacts;

export const EMAIL_COLUMN: Column<Contact> = {
  name: t.email,
  width: 2,
  cell: ({ id, contactBookId, email }) => (
    <TextLink
      to="/contact-books/$bookId/contacts/$contactId"
      params={{ bookId: contactBookId, contactId: id }}
    >
      {email}
    </TextLink>
  ),
};

export const NAME_COLUMN: Column<Contact> = {
  name: t.person,
  width: 1.5,
  wideOnly: true,
  cell: ({ firstName, lastName }) => [firstName, lastName].filter(Boolean).join(' '),
};

export const SUBSCRIPTION_COLUMN: Column<Contact> = {
  name: t.subscription,
  width: '10.5rem',
  narrowWidth: '7.5rem',
  cell: (contact) => <SubscriptionBadge contact={contact} />,
};

export const ADDED_COLUMN: Column<Contact> = timeColumn(t.added, ({ createdAt }) => createdAt, {
  width: '6.5rem',
});

export const CONTACT_COLUMNS = [EMAIL_COLUMN, NAME_COLUMN, SUBSCRIPTION_COLUMN, ADDED_COLUMN];

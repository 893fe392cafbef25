/** The columns of lists of contacts. */
import type { Contact } from '../../../src/features/audience/contacts/contacts.schema.ts';
import { fullName } from '../../../src/features/audience/own-fields/full-name.ts';
import { contactTexts } from '../../texts/en/contacts.ts';
import { timeColumn, type Column } from '../../ui/lists/columns.tsx';
import { TextLink } from '../../ui/text-link.tsx';
import { SubscriptionBadge } from './subscription-badge.tsx';

const t = contactTexts;

export const EMAIL_COLUMN: Column<Contact> = {
  name: t.email,
  width: 2,
  cell: (contact) => (
    <>
      <TextLink
        to="/contact-books/$bookId/contacts/$contactId"
        params={{ bookId: contact.contactBookId, contactId: contact.id }}
      >
        {contact.email}
      </TextLink>
      {/* On a phone the other columns are below the address. */}
      <span className="flex h-5 items-center gap-2 text-[0.8125rem] text-soft sm:hidden">
        <span className="shrink-0">
          <SubscriptionBadge contact={contact} />
        </span>
        <span className="min-w-0 truncate">{fullName(contact)}</span>
      </span>
    </>
  ),
};

export const NAME_COLUMN: Column<Contact> = {
  name: t.person,
  width: 1.5,
  wideOnly: true,
  cell: fullName,
};

export const SUBSCRIPTION_COLUMN: Column<Contact> = {
  name: t.subscription,
  width: '10.5rem',
  wideOnly: true,
  cell: (contact) => <SubscriptionBadge contact={contact} />,
};

export const ADDED_COLUMN: Column<Contact> = timeColumn(t.added, ({ createdAt }) => createdAt, {
  width: '6.5rem',
});

export const CONTACT_COLUMNS = [EMAIL_COLUMN, NAME_COLUMN, SUBSCRIPTION_COLUMN, ADDED_COLUMN];

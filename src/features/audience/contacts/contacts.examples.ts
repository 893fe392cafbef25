import type { Contact, ContactDetails } from './contacts.schema.ts';
import { eachOwnField, OWN_FIELDS } from '../own-fields/own-fields.ts';

export const exampleContact: Contact = {
  id: 'con_01kbd8x4zvf7m8rk2q3w5t6y7h',
  contactBookId: 'cbk_01kbd8x4zvf7m8rk2q3w5t6y7h',
  email: 'ada@example.com',
  ...eachOwnField((name) => OWN_FIELDS[name].example),
  properties: { city: 'London' },
  subscribed: true,
  unsubscribeReason: null,
  consent: null,
  source: 'form',
  sourceId: 'frm_01kbd8x4zvf7m8rk2q3w5t6y7h',
  createdAt: '2026-11-15T09:30:00.000Z',
  updatedAt: '2026-11-15T09:30:00.000Z',
};

export const exampleDetails: ContactDetails = {
  ...exampleContact,
  subscription: { state: 'subscribed', changedAt: exampleContact.createdAt, changedBy: 'recipient' },
  confirmationSentAt: '2026-11-15T09:29:00.000Z',
  lastOpenedAt: '2026-11-16T07:10:00.000Z',
  lastClickedAt: null,
  referrals: 3,
  suppression: null,
  books: [
    {
      contactBookId: exampleContact.contactBookId,
      contactId: exampleContact.id,
      name: 'Readers',
      emoji: '📙',
      subscribed: true,
    },
  ],
};

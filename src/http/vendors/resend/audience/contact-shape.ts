/** A contact in Resend's format, for requests and responses. */
import { z } from 'zod';
import {
  contactInput,
  contactUpdate,
  type Contact,
  type ContactUpdate,
} from '../../../../features/audience/contacts/contacts.schema.ts';
import { isMembership } from '../../../../features/audience/segments/membership.ts';
import { text } from '../../../../platform/schema.ts';
import { eachField, eachName } from './contact-names.ts';
import { validate } from '../../../requests/validate.ts';

const anything = z.unknown().optional();
const id = text({ min: 1, max: 256 });
const MAX_LINKED = 100;

const contactFields = {
  ...eachName(() => anything),
  unsubscribed: z.boolean().nullish(),
  properties: anything,
};
export const changedContact = z.object(contactFields);
export const newContactOfAudience = z.object({ email: anything, ...contactFields });
export const topicChoices = z
  .array(z.object({ id, subscription: z.enum(['opt_in', 'opt_out']) }))
  .max(MAX_LINKED);
export const newContact = newContactOfAudience.extend({
  segments: z.array(z.object({ id })).max(MAX_LINKED).nullish(),
  topics: topicChoices.nullish(),
});

export const listedContact = z.object({
  id: z.string(),
  email: z.string(),
  ...eachName(() => z.string().nullable()),
  created_at: z.string(),
  unsubscribed: z.boolean(),
});
const value = z.union([z.string(), z.number(), z.boolean()]);
export const shownContact = listedContact.extend({
  object: z.literal('contact'),
  properties: z.record(z.string(), z.object({ type: z.string(), value })),
});

type Fields = z.output<typeof changedContact>;

export function toContactInput({ email, ...fields }: z.output<typeof newContactOfAudience>) {
  return validate(contactInput, { email, ...fieldsOf(fields) });
}

export function toContactUpdate(fields: Fields): ContactUpdate {
  return validate(contactUpdate, fieldsOf(fields));
}

function fieldsOf({ unsubscribed, properties, ...named }: Fields) {
  return {
    ...eachField((theirs) => named[theirs]),
    properties,
    subscribed: unsubscribed === null || unsubscribed === undefined ? undefined : !unsubscribed,
  };
}

export function presentListed(contact: Contact) {
  return {
    id: contact.id,
    email: contact.email,
    ...eachName((ours) => contact[ours]),
    created_at: contact.createdAt,
    unsubscribed: !contact.subscribed,
  };
}

export function present(contact: Contact) {
  const own = Object.entries(contact.properties).filter(([name]) => !isMembership(name));
  return {
    object: 'contact' as const,
    ...presentListed(contact),
    properties: Object.fromEntries(own.map(([name, each]) => [name, { type: typeof each, value: each }])),
  };
}

/** Tools for contacts and segments. Names and values of contacts come from forms, so they are fenced. */
import { z } from 'zod';
import type { Contact } from '../../../features/audience/contacts/contacts.schema.ts';
import { eachOwnColumn, eachOwnField, OWN_FIELDS } from '../../../features/audience/own-fields/own-fields.ts';
import type { Segment } from '../../../features/audience/segments/segments.schema.ts';
import { fencedText, untrustedShape, type Fence } from './fence.ts';
import { cursor, idempotencyKey, limit, nextCursor, someId } from './shapes.ts';
import { CHANGES, READS, READS_OUTSIDE, tool } from './tool.ts';

interface Page<Item> {
  items: Item[];
  next_cursor: string | null;
}

const MAX_PROPERTIES = 30;
const email = z.string().min(1).max(320);

const contactShape = z.object({
  id: z.string(),
  contact_book_id: z.string(),
  email: z.string(),
  ...eachOwnColumn(() => fencedText.nullable()),
  subscribed: z.boolean(),
  source: z.string().describe('How the contact came here'),
  properties: z
    .array(z.object({ key: fencedText, value: z.union([fencedText, z.number(), z.boolean()]) }))
    .describe(`At most ${MAX_PROPERTIES}`),
  created_at: z.string(),
});

export const contactTools = [
  tool({
    name: 'find_contact',
    title: 'Find contacts',
    description:
      'Finds contacts in all contact books, by their exact address or by a part of the address or name.',
    hints: READS_OUTSIDE,
    operations: ['searchContacts'],
    input: z.object({
      email: email.optional().describe('The exact address'),
      search: z.string().min(1).max(200).optional().describe('A part of the address or name'),
      limit,
      cursor,
    }),
    output: z.object({ untrusted: untrustedShape, contacts: z.array(contactShape), next_cursor: nextCursor }),
    run: (query, { call }) => call<Page<Contact>>('searchContacts', { query }),
    present({ items, next_cursor }, fence) {
      const contacts = items.map((contact) => presentContact(contact, fence));
      return { untrusted: fence.describe(), contacts, next_cursor };
    },
  }),
  tool({
    name: 'upsert_contact',
    title: 'Add or update a contact',
    description:
      'Adds a contact to a contact book (list_segments shows the books), or updates the one with this address: names are replaced, properties are merged. Someone who has unsubscribed stays unsubscribed.',
    hints: CHANGES,
    operations: ['createContact'],
    input: z.object({
      contact_book_id: someId,
      email,
      ...eachOwnColumn((name) => z.string().max(OWN_FIELDS[name].max).nullable().optional()),
      properties: z
        .record(z.string().min(1).max(256), z.union([z.string(), z.number(), z.boolean(), z.null()]))
        .optional()
        .describe('null removes a value'),
      subscribed: z.boolean().optional(),
      idempotency_key: idempotencyKey,
    }),
    output: z.object({ contact_id: z.string() }),
    run: (
      { contact_book_id: contactBookId, idempotency_key, email: address, properties, subscribed, ...own },
      { call },
    ) =>
      call<{ contactId: string }>('createContact', {
        params: { contactBookId },
        body: {
          email: address,
          properties,
          subscribed,
          ...eachOwnField((name) => own[OWN_FIELDS[name].column]),
        },
        idempotencyKey: idempotency_key,
      }),
    present: ({ contactId }) => ({ contact_id: contactId }),
  }),
  tool({
    name: 'list_segments',
    title: 'List contact books and segments',
    description:
      'The contact books of the team, with how many contacts they have, and the segments of their contacts.',
    hints: READS,
    operations: ['listContactBooks', 'listSegments'],
    input: z.object({
      contact_book_id: someId.optional().describe('Only segments of this contact book'),
      limit: z.int().min(1).max(50).default(25),
      cursor,
    }),
    output: z.object({
      contact_books: z.array(z.object({ id: z.string(), name: z.string(), contacts: z.int() })),
      segments: z.array(z.object({ id: z.string(), name: z.string(), contact_book_id: z.string() })),
      next_cursor: nextCursor,
    }),
    async run({ contact_book_id: contactBookId, ...query }, { call }) {
      const books =
        await call<{ id: string; name: string; _count: { contacts: number } }[]>('listContactBooks');
      const segments = await call<Page<Segment>>('listSegments', { query: { ...query, contactBookId } });
      return { books, segments };
    },
    present: ({ books, segments }) => ({
      contact_books: books
        .slice(0, 100)
        .map(({ id, name, _count }) => ({ id, name, contacts: _count.contacts })),
      segments: segments.items.map(({ id, name, contactBookId }) => ({
        id,
        name,
        contact_book_id: contactBookId,
      })),
      next_cursor: segments.next_cursor,
    }),
  }),
  tool({
    name: 'count_segment',
    title: 'Count the contacts of a segment',
    description: 'How many contacts match a segment now.',
    hints: READS,
    operations: ['countSegment'],
    input: z.object({ segment_id: someId }),
    output: z.object({ count: z.int() }),
    run: ({ segment_id: segmentId }, { call }) =>
      call<{ count: number }>('countSegment', { params: { segmentId } }),
    present: ({ count }) => ({ count }),
  }),
];

function presentContact(contact: Contact, fence: Fence): z.infer<typeof contactShape> {
  return {
    id: contact.id,
    contact_book_id: contact.contactBookId,
    email: contact.email,
    ...eachOwnColumn((name) => fence.lineOrNull(contact[name])),
    subscribed: contact.subscribed,
    source: contact.source,
    properties: Object.entries(contact.properties)
      .slice(0, MAX_PROPERTIES)
      .map(([key, value]) => ({
        key: fence.line(key),
        value: typeof value === 'string' ? fence.line(value) : value,
      })),
    created_at: contact.createdAt,
  };
}

/**
 * Contact properties are the variables of the contact book. The id of a property is its key. The book's own properties
 * keep the type that was declared, because a variable has none.
 */
import { z } from 'zod';
import {
  contactBookUpdate,
  type ContactBook,
  type ContactBookUpdate,
} from '../../../features/audience/contact-books/contact-books.schema.ts';
import { changeContactBook, getContactBook } from '../../../features/audience/contact-books/contact-books.ts';
import type { Db } from '../../../platform/database.ts';
import { conflict, invalidField, notFound } from '../../../platform/errors.ts';
import { pathId, text } from '../../../platform/schema.ts';
import { validate } from '../../requests/validate.ts';
import { ensureContacts, findContacts } from './audience.ts';
import { listOf, listQuery, pageOf, toList } from './lists.ts';
import { resendRoute } from './resend-route.ts';

const TYPES = 'propertyTypes';

const fallback = z.union([z.string().max(1000), z.number(), z.null()]).optional();
const listed = z.object({
  id: z.string(),
  key: z.string(),
  type: z.enum(['string', 'number']),
  fallback_value: z.null(),
  created_at: z.string(),
});
const named = z.object({ object: z.literal('contact_property'), id: z.string() });
const params = z.object({ id: pathId() });

export const resendContactPropertyRoutes = [
  resendRoute({
    method: 'POST',
    path: '/contact-properties',
    permission: 'full',
    body: z.strictObject({
      key: text({ min: 1, max: 64 }),
      type: z.enum(['string', 'number']),
      fallback_value: fallback,
    }),
    answer: named,
    async handle({ db, teamId, body: { key, type, fallback_value } }) {
      refuseFallback(fallback_value);
      await changeContactBook(db, teamId, await ensureContacts(db, teamId), (book) => {
        if (book.variables.some((name) => name.toLowerCase() === key.toLowerCase()))
          throw conflict(`There is already a property ${key}.`);
        return toUpdate(book, [...book.variables, key], { ...typesOf(book), [key]: type });
      });
      return { object: 'contact_property' as const, id: key };
    },
  }),
  resendRoute({
    method: 'GET',
    path: '/contact-properties',
    permission: 'full',
    query: listQuery,
    answer: listOf(listed),
    async handle({ db, teamId, query }) {
      const book = await findBook(db, teamId);
      const all = book ? book.variables.map((key) => present(book, key)) : [];
      return toList(
        pageOf(all.toReversed(), query, ({ id }) => id),
        (property) => property,
      );
    },
  }),
  resendRoute({
    method: 'GET',
    path: '/contact-properties/{id}',
    permission: 'full',
    params,
    answer: listed.extend({ object: z.literal('contact_property') }),
    async handle({ db, teamId, params: { id } }) {
      return { object: 'contact_property' as const, ...present(await requireProperty(db, teamId, id), id) };
    },
  }),
  resendRoute({
    method: 'PATCH',
    path: '/contact-properties/{id}',
    permission: 'full',
    params,
    body: z.strictObject({ fallback_value: fallback }),
    answer: named,
    async handle({ db, teamId, params: { id }, body }) {
      refuseFallback(body.fallback_value);
      await requireProperty(db, teamId, id);
      return { object: 'contact_property' as const, id };
    },
  }),
  resendRoute({
    method: 'DELETE',
    path: '/contact-properties/{id}',
    permission: 'full',
    params,
    answer: named.extend({ deleted: z.boolean() }),
    async handle({ db, teamId, params: { id } }) {
      const { id: bookId } = await requireProperty(db, teamId, id);
      await changeContactBook(db, teamId, bookId, (book) => {
        const { [id]: _, ...types } = typesOf(book);
        return toUpdate(
          book,
          book.variables.filter((name) => name !== id),
          types,
        );
      });
      return { object: 'contact_property' as const, id, deleted: true };
    },
  }),
];

async function findBook(db: Db, teamId: number): Promise<ContactBook | null> {
  const id = await findContacts(db, teamId);
  return id === null ? null : getContactBook(db, teamId, id);
}

async function requireProperty(db: Db, teamId: number, key: string): Promise<ContactBook> {
  const book = await findBook(db, teamId);
  if (!book?.variables.includes(key)) throw notFound('Contact property');
  return book;
}

function toUpdate(book: ContactBook, variables: string[], types: Record<string, unknown>): ContactBookUpdate {
  return validate(contactBookUpdate, { variables, properties: { ...book.properties, [TYPES]: types } });
}

function typesOf({ properties }: ContactBook): Record<string, unknown> {
  const types = properties[TYPES];
  return typeof types === 'object' && types !== null ? (types as Record<string, unknown>) : {};
}

function refuseFallback(value: z.output<typeof fallback>): void {
  if (value !== undefined && value !== null)
    throw invalidField('fallback_value', 'must be written in the merge tag: {{{contact.city|friend}}}');
}

function present(book: ContactBook, key: string) {
  const type = typesOf(book)[key] === 'number' ? ('number' as const) : ('string' as const);
  return { id: key, key, type, fallback_value: null, created_at: book.createdAt };
}

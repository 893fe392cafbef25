/**
 * Contact properties are the variables of the contact book. The ID of a property is its key. The properties of the book
 * store the declared type and fallback, because a variable has neither.
 */
import { z } from 'zod';
import {
  contactBookUpdate,
  type ContactBook,
  type ContactBookUpdate,
} from '../../../../features/audience/contact-books/contact-books.schema.ts';
import {
  changeContactBook,
  getContactBook,
} from '../../../../features/audience/contact-books/contact-books.ts';
import { findName, propertyKey } from '../../../../mail/html/tag-names.ts';
import type { Db } from '../../../../platform/database/database.ts';
import { conflict, invalidField, notFound } from '../../../../platform/errors.ts';
import { pathId, text } from '../../../../platform/schema.ts';
import { readFields } from '../../mapping/read-fields.ts';
import { ensureContacts, findContacts } from './audience.ts';
import { listOf, listQuery, pageOf, toList } from '../routing/lists.ts';
import { deleteRoute } from '../routing/object-routes.ts';
import { resendRoute } from '../routing/resend-route.ts';

const TYPES = 'propertyTypes';
const FALLBACKS = 'propertyFallbacks';

const fallback = z
  .union([text({ max: 1000 }).regex(/^[^{}]*$/, { error: 'must not contain braces' }), z.number(), z.null()])
  .optional();
type Fallback = z.output<typeof fallback>;
const listed = z.object({
  id: z.string(),
  key: z.string(),
  type: z.enum(['string', 'number']),
  fallback_value: z.union([z.string(), z.number(), z.null()]),
  created_at: z.string(),
});
const named = z.object({ object: z.literal('contact_property'), id: z.string() });
const params = z.object({ id: pathId() });

export const resendContactPropertyRoutes = [
  resendRoute({
    method: 'POST',
    path: '/contact-properties',
    scope: 'contacts.write',
    permission: 'full',
    body: z.object({
      key: text({ min: 1, max: 64 }),
      type: z.enum(['string', 'number']),
      fallback_value: fallback,
    }),
    answer: named,
    async handle({ db, teamId, body: { key, type, fallback_value } }) {
      requireType(type, fallback_value);
      await changeContactBook(db, teamId, await ensureContacts(db, teamId), (book) => {
        if (findName(book.variables, key) !== undefined)
          throw conflict(`There is already a property ${key}.`);
        return toUpdate(book, {
          variables: [...book.variables, key],
          types: { ...readMap(book, TYPES), [key]: type },
          fallbacks: { ...readMap(book, FALLBACKS), [key]: fallback_value ?? null },
        });
      });
      return { object: 'contact_property' as const, id: key };
    },
  }),
  resendRoute({
    method: 'GET',
    path: '/contact-properties',
    scope: 'contacts.read',
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
    scope: 'contacts.read',
    permission: 'full',
    params,
    answer: listed.extend({ object: z.literal('contact_property') }),
    async handle({ db, teamId, params: { id } }) {
      const { book, key } = await requireProperty(db, teamId, id);
      return { object: 'contact_property' as const, ...present(book, key) };
    },
  }),
  resendRoute({
    method: 'PATCH',
    path: '/contact-properties/{id}',
    scope: 'contacts.write',
    permission: 'full',
    params,
    body: z.object({ fallback_value: fallback }),
    answer: named,
    async handle({ db, teamId, params: { id }, body }) {
      const { book: found, key } = await requireProperty(db, teamId, id);
      await changeContactBook(db, teamId, found.id, (book) => {
        requireType(typeOf(book, key), body.fallback_value);
        if (body.fallback_value === undefined) return {};
        const fallbacks = { ...readMap(book, FALLBACKS), [key]: body.fallback_value };
        return toUpdate(book, { variables: book.variables, types: readMap(book, TYPES), fallbacks });
      });
      return { object: 'contact_property' as const, id: key };
    },
  }),
  deleteRoute({
    path: '/contact-properties/{id}',
    scope: 'contacts.write',
    permission: 'full',
    object: 'contact_property',
    async remove({ db, teamId }, id) {
      const { book: found, key } = await requireProperty(db, teamId, id);
      await changeContactBook(db, teamId, found.id, (book) => {
        const { [key]: _, ...types } = readMap(book, TYPES);
        const { [key]: __, ...fallbacks } = readMap(book, FALLBACKS);
        const variables = book.variables.filter((name) => name !== key);
        return toUpdate(book, { variables, types, fallbacks });
      });
      return key;
    },
  }),
];

async function findBook(db: Db, teamId: number): Promise<ContactBook | null> {
  const id = await findContacts(db, teamId);
  return id === null ? null : getContactBook(db, teamId, id);
}

/** `key` is the name as the book spells it. */
async function requireProperty(
  db: Db,
  teamId: number,
  id: string,
): Promise<{ book: ContactBook; key: string }> {
  const book = await findBook(db, teamId);
  const key = book ? findName(book.variables, id) : undefined;
  if (!book || key === undefined) throw notFound('Contact property');
  return { book, key };
}

/** Returns the fallbacks of properties, for merge tags without their own fallback. */
export async function findFallbacks(db: Db, teamId: number): Promise<Map<string, string>> {
  const book = await findBook(db, teamId);
  const given = book ? Object.entries(readMap(book, FALLBACKS)) : [];
  return new Map(given.map(([key, value]) => [propertyKey(key), String(value)]));
}

function toUpdate(
  { properties }: ContactBook,
  declared: { variables: string[]; types: Record<string, unknown>; fallbacks: Record<string, unknown> },
): ContactBookUpdate {
  const { variables, types, fallbacks } = declared;
  const kept = Object.fromEntries(Object.entries(fallbacks).filter(([, value]) => value !== null));
  const update = { variables, properties: { ...properties, [TYPES]: types, [FALLBACKS]: kept } };
  return readFields(contactBookUpdate, update, { variables: 'key' });
}

function readMap({ properties }: ContactBook, name: string): Record<string, unknown> {
  const map = properties[name];
  return typeof map === 'object' && map !== null ? (map as Record<string, unknown>) : {};
}

function typeOf(book: ContactBook, key: string) {
  return readMap(book, TYPES)[key] === 'number' ? ('number' as const) : ('string' as const);
}

function requireType(type: 'string' | 'number', value: Fallback): void {
  if (value !== undefined && value !== null && typeof value !== type)
    throw invalidField('fallback_value', `must be a ${type}, as the property is`);
}

function present(book: ContactBook, key: string) {
  const value = readMap(book, FALLBACKS)[key];
  const type = typeOf(book, key);
  const fallback_value = typeof value === 'string' || typeof value === 'number' ? value : null;
  return { id: key, key, type, fallback_value, created_at: book.createdAt };
}

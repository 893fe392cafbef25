/**
 * The fields of a contact: `presentContact` builds them from columns for the API, and CONTACT_NOTICE builds them in SQL
 * over `contacts c` for webhooks. Both must give the same result, which told-events.test.ts checks.
 */
import { sql } from 'kysely';
import { Fragment } from '../../../platform/database/database.ts';
import { encodeId } from '../../../platform/ids.ts';
import type { Row } from '../../../platform/database/rows.ts';
import type { Contact } from './contacts.schema.ts';
import { OWN_COLUMNS_OF_C } from '../own-fields/own-columns.ts';
import { eachOwnField, OWN_FIELDS, type OwnColumn } from '../own-fields/own-fields.ts';

type IdField = 'id' | 'contactBookId';
type TimeField = 'createdAt' | 'updatedAt';

const FIELDS = {
  email: 'c.email',
  ...eachOwnField((name) => `nullif(c.${OWN_FIELDS[name].column}, '')`),
  // A null removes a property. A new contact may have nulls until the end of the transaction that adds it.
  properties: 'jsonb_strip_nulls(c.properties)',
  subscribed: `c.subscription = 'subscribed'`,
  unsubscribeReason: 'c.unsubscribe_reason',
  consent: 'c.consent',
  source: 'c.source',
  sourceId: 'c.source_id',
} satisfies Record<Exclude<keyof Contact, IdField | TimeField>, string>;
const TIMES = {
  createdAt: 'c.created_at',
  updatedAt: 'c.updated_at',
} satisfies Record<TimeField, string>;

export type ContactRow = Row<
  'contacts',
  | 'id'
  | 'contact_book_id'
  | 'email'
  | OwnColumn
  | 'subscription'
  | 'unsubscribe_reason'
  | 'source'
  | 'source_id'
  | 'created_at'
  | 'updated_at'
> &
  Pick<Contact, 'properties' | 'consent'>;

/** The columns of a `ContactRow`. They are plain, because PostgreSQL plans expressions anew for every list. */
export const CONTACT_COLUMNS = sql`
  c.id, c.contact_book_id, c.email, ${OWN_COLUMNS_OF_C}, c.properties, c.subscription,
  c.unsubscribe_reason, c.consent, c.source, c.source_id, c.created_at, c.updated_at`;

/**
 * The contact as a JSON object, without its two IDs. The statement must have `hook`, the webhooks of the team. The
 * object is null if there are none, because it takes time to build.
 */
export const CONTACT_NOTICE = new Fragment(
  `case when exists (select from hook) then jsonb_build_object(${[
    ...Object.entries(FIELDS).map(([name, value]) => `'${name}', ${value}`),
    ...Object.entries(TIMES).map(([name, value]) => `'${name}', rfc3339(${value})`),
  ].join(', ')}) end`,
);

/**
 * Names each field of the row, because copying them with a spread takes twice as long, and a list presents thousands
 * per second.
 */
export function presentContact(row: ContactRow): Contact {
  return {
    id: encodeId('con', row.id),
    contactBookId: encodeId('cbk', row.contact_book_id),
    email: row.email,
    ...eachOwnField((name) => row[OWN_FIELDS[name].column] || null),
    properties: withoutNulls(row.properties),
    subscribed: row.subscription === 'subscribed',
    unsubscribeReason: row.unsubscribe_reason,
    consent: row.consent,
    source: row.source,
    sourceId: row.source_id,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  };
}

function withoutNulls(properties: Contact['properties']): Contact['properties'] {
  const values: unknown[] = Object.values(properties);
  if (!values.includes(null)) return properties;
  return Object.fromEntries(Object.entries(properties).filter(([, value]) => (value as unknown) !== null));
}

/**
 * The columns of a contact's own fields (own-fields.ts) as parts of statements over `contacts c`. The texts are built
 * once, when the program starts.
 */
import { sql, type RawBuilder } from 'kysely';
import { Fragment } from '../../../platform/database/database.ts';
import type { CamelRow } from '../../../platform/database/rows.ts';
import { OWN_FIELD_NAMES, OWN_FIELDS, type OwnColumn, type OwnField } from './own-fields.ts';

/** Writes SQL for each field, separated by commas. */
export function eachColumn(write: (column: OwnColumn, name: OwnField) => string): string {
  return OWN_FIELD_NAMES.map((name) => write(OWN_FIELDS[name].column, name)).join(', ');
}

/** `first_name, last_name`, for the columns of an insert. */
export const OWN_COLUMNS = eachColumn((column) => column);
/** `c.first_name, c.last_name` */
export const OWN_COLUMNS_OF_C: RawBuilder<unknown> = sql.raw(eachColumn((column) => `c.${column}`));
/** With their type, for rows of JSON. */
export const OWN_RECORD = new Fragment(eachColumn((column) => `${column} text`));

/** What merge tags read of a contact, as `TAGGED_COLUMNS` selects it. */
export interface TaggedContact extends CamelRow<'contacts', OwnColumn> {
  properties: Record<string, unknown>;
}

/** `c` may come from a left join. */
export const TAGGED_COLUMNS: RawBuilder<unknown> = sql.raw(
  `${eachColumn((column, name) => `c.${column} as "${name}"`)}, coalesce(c.properties, '{}') as properties`,
);

/** The names of a contact in lower case, for searches. */
export const SEARCHED_NAMES: RawBuilder<string> = sql.raw(
  `lower(${OWN_FIELD_NAMES.map((name) => `coalesce(c.${OWN_FIELDS[name].column}, '')`).join(` || ' ' || `)})`,
);

/**
 * Types of the rows that a statement returns, derived from the tables (tables.ts), so that no statement declares
 * the type of a column by hand. Values that are not columns (a count, an expression) are added with `&`.
 */
import type { SelectType } from 'kysely';
import type { Tables } from './tables.ts';

/** Columns under their own names: `Row<'topics', 'id' | 'created_at'>`. One of them: `Row<'topics'>['id']`. */
export type Row<Table extends keyof Tables, Column extends keyof Tables[Table] = keyof Tables[Table]> = {
  [Name in Column]: SelectType<Tables[Table][Name]>;
};

/** Columns under camelCase names, as in `select created_at as "createdAt"`: `CamelRow<'topics', 'created_at'>`. */
export type CamelRow<Table extends keyof Tables, Column extends keyof Tables[Table] = keyof Tables[Table]> = {
  [Name in Column as Camel<Name & string>]: SelectType<Tables[Table][Name]>;
};

type Camel<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<Camel<Rest>>}`
  : Name;

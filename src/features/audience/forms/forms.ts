/** Operations on sign-up forms. public-form.ts and sign-up.ts serve visitors. */
import { sql } from 'kysely';
import { inTransaction, statement, type Db } from '../../../platform/database/database.ts';
import { notFound } from '../../../platform/errors.ts';
import { decodeId, newUuid } from '../../../platform/ids.ts';
import { readPageStart, toPage, type Page } from '../../../platform/pages.ts';
import type { Row } from '../../../platform/database/rows.ts';
import { contactBookKey, requireContactBook } from '../contact-books/contact-books.ts';
import { topicKey } from '../topics/topics.ts';
import { toFields } from './form-fields.ts';
import {
  COUNT_COLUMNS,
  FORM_COLUMNS,
  FORM_TABLES,
  presentForm,
  type Counts,
  type FormRow,
} from './form-row.ts';
import type { Form, FormInput, FormPreviewInput, FormQuery, FormUpdate } from './forms.schema.ts';

type CountedRow = FormRow & { counts: Counts };

export async function createForm(db: Db, teamId: number, baseUrl: string, input: FormInput): Promise<Form> {
  const id = newUuid();
  return inTransaction(db, async (trx) => {
    const book = await lockBook(trx, teamId, contactBookKey(input.contactBookId));
    const values = await valuesOf(trx, teamId, input, book.variables);
    await trx
      .insertInto('forms')
      .values({
        team_id: teamId,
        id,
        contact_book_id: book.id,
        name: input.name,
        fields: JSON.stringify(toFields([], [])),
        topic_ids: [],
        texts: mergeNamed({}, input.texts),
        colors: mergeNamed({}, input.colors),
        ...values,
      })
      .execute();
    return readForm(trx, teamId, id, baseUrl);
  });
}

export async function getForm(db: Db, teamId: number, baseUrl: string, formId: string): Promise<Form> {
  return readForm(db, teamId, formKey(formId), baseUrl);
}

export async function listForms(
  db: Db,
  teamId: number,
  baseUrl: string,
  { contactBookId, ...page }: FormQuery,
): Promise<Page<Form>> {
  const { key } = readPageStart('frm', page);
  const book = contactBookId === undefined ? null : contactBookKey(contactBookId);
  if (book !== null) await requireContactBook(db, teamId, book);
  const rows = await statement<CountedRow>(db)`
    select ${FORM_COLUMNS}, ${COUNT_COLUMNS} from ${FORM_TABLES}
    where f.team_id = ${teamId} and (${key}::uuid is null or f.id < ${key})
      and (${book}::uuid is null or f.contact_book_id = ${book})
    order by f.id desc limit ${page.limit + 1}`;
  return toPage(rows, page, (row) => presentForm(row, baseUrl));
}

export async function updateForm(
  db: Db,
  teamId: number,
  baseUrl: string,
  formId: string,
  update: FormUpdate,
): Promise<Form> {
  const id = formKey(formId);
  return inTransaction(db, async (trx) => {
    const before = await trx
      .selectFrom('forms')
      .select(['contact_book_id', 'fields', 'texts', 'colors'])
      .where('team_id', '=', teamId)
      .where('id', '=', id)
      .forUpdate()
      .executeTakeFirst();
    if (!before) throw notFound('Form');
    const isMoved = update.contactBookId !== undefined;
    const bookId = isMoved ? contactBookKey(update.contactBookId!) : before.contact_book_id;
    const book = await lockBook(trx, teamId, bookId);
    // The other book may lack variables of this one.
    const fields =
      update.fields === undefined && isMoved
        ? (before.fields as unknown as FormRow['fields'])
        : update.fields;
    const values = {
      ...(await valuesOf(trx, teamId, { ...update, fields }, book.variables)),
      ...(update.name === undefined ? {} : { name: update.name }),
      ...(isMoved ? { contact_book_id: book.id } : {}),
      ...(update.texts === undefined ? {} : { texts: mergeNamed(before.texts, update.texts) }),
      ...(update.colors === undefined ? {} : { colors: mergeNamed(before.colors, update.colors) }),
    };
    if (Object.keys(values).length > 0) {
      await trx
        .updateTable('forms')
        .set({ ...values, updated_at: sql`now()` })
        .where('team_id', '=', teamId)
        .where('id', '=', id)
        .execute();
    }
    return readForm(trx, teamId, id, baseUrl);
  });
}

export async function deleteForm(db: Db, teamId: number, formId: string): Promise<void> {
  const { numDeletedRows } = await db
    .deleteFrom('forms')
    .where('team_id', '=', teamId)
    .where('id', '=', formKey(formId))
    .executeTakeFirst();
  if (numDeletedRows === 0n) throw notFound('Form');
}

/** Returns the row that creating a form with this input would store. */
export async function draftForm(db: Db, teamId: number, input: FormPreviewInput): Promise<FormRow> {
  const id = contactBookKey(input.contactBookId);
  const book = await db
    .selectFrom('contact_books')
    .select(['name', 'variables', 'double_opt_in_enabled'])
    .where('team_id', '=', teamId)
    .where('id', '=', id)
    .executeTakeFirst();
  if (!book) throw notFound('Contact book');
  const now = new Date();
  return {
    teamId,
    id: newUuid(),
    contactBookId: id,
    name: input.name ?? '',
    fields: toFields(input.fields ?? [], book.variables),
    topicIds: [],
    texts: withoutNulls(input.texts ?? {}),
    colors: withoutNulls(input.colors ?? {}),
    redirectUrl: input.redirectUrl ?? null,
    language: input.language ?? null,
    createdAt: now,
    updatedAt: now,
    bookName: book.name,
    variables: book.variables,
    doubleOptInEnabled: book.double_opt_in_enabled,
  };
}

function formKey(formId: string): string {
  const key = decodeId('frm', formId);
  if (!key) throw notFound('Form');
  return key;
}

/** Locks the book, so that it is not deleted before the form refers to it. */
async function lockBook(trx: Db, teamId: number, id: string) {
  const { rows } = await sql<Row<'contact_books', 'id' | 'variables'>>`
    select id, variables from contact_books where team_id = ${teamId} and id = ${id} for key share
  `.execute(trx);
  if (!rows[0]) throw notFound('Contact book');
  return rows[0];
}

/** The columns that the input sets, except those that are merged with stored values. Null resets a column. */
async function valuesOf(
  trx: Db,
  teamId: number,
  { fields, topicIds, redirectUrl, language }: FormUpdate,
  variables: string[],
) {
  const topics = topicIds === undefined ? undefined : await findTopics(trx, teamId, topicIds ?? []);
  return {
    ...(fields === undefined ? {} : { fields: JSON.stringify(toFields(fields ?? [], variables)) }),
    ...(topics === undefined ? {} : { topic_ids: topics }),
    ...(redirectUrl === undefined ? {} : { redirect_url: redirectUrl }),
    ...(language === undefined ? {} : { language }),
  };
}

async function findTopics(trx: Db, teamId: number, topicIds: string[]): Promise<string[]> {
  const keys = [...new Set(topicIds.map(topicKey))];
  const { rows } = await sql`
    select 1 from topics where team_id = ${teamId} and id = any(${keys}::uuid[])
  `.execute(trx);
  if (rows.length < keys.length) throw notFound('Topic');
  return keys;
}

/** Replaces the named texts. Null removes one of them, or all. */
function mergeNamed(before: unknown, named: object | null | undefined): string {
  if (named === null) return '{}';
  return JSON.stringify(withoutNulls({ ...(before as object), ...named }));
}

/** An empty text also counts as none. */
function withoutNulls<Name extends string>(values: Partial<Record<Name, string | null | undefined>>) {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value)) as Partial<
    Record<Name, string>
  >;
}

async function readForm(db: Db, teamId: number, id: string, baseUrl: string): Promise<Form> {
  const [row] = await statement<CountedRow>(db)`
    select ${FORM_COLUMNS}, ${COUNT_COLUMNS} from ${FORM_TABLES} where f.team_id = ${teamId} and f.id = ${id}`;
  if (!row) throw notFound('Form');
  return presentForm(row, baseUrl);
}

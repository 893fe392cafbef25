/** Finds a form for its visitors. */
import { createBatcher } from '../../../platform/database/batcher.ts';
import { statement, type Db } from '../../../platform/database/database.ts';
import { decodeId } from '../../../platform/ids.ts';
import { keepKnown } from './form-fields.ts';
import { FORM_COLUMNS, FORM_TABLES, textsOf, type FormRow } from './form-row.ts';
import type { FormText } from './forms.schema.ts';

export type PublicForm = Omit<FormRow, 'texts'> & { texts: Record<FormText, string | null> };

/** Undefined for a form that does not exist. Visitors belong to no team: anyone who knows the ID may use the form. */
export async function findPublicForm(db: Db, formId: string): Promise<PublicForm | undefined> {
  const id = decodeId('frm', formId);
  return id === null ? undefined : readPublicForm(db, id);
}

export function toPublicForm(row: FormRow): PublicForm {
  return { ...row, fields: keepKnown(row.fields, row.variables), texts: textsOf(row) };
}

/** Concurrent visits share one statement. */
const readPublicForm = createBatcher<string, PublicForm | undefined>({
  keyOf: () => 'forms',
  async work(db, ids) {
    const rows = await statement<FormRow>(db)`
      select ${FORM_COLUMNS} from ${FORM_TABLES} where f.id = any(${[...new Set(ids)]}::uuid[])`;
    const found = new Map(rows.map((row) => [row.id, toPublicForm(row)]));
    return ids.map((id) => found.get(id));
  },
});

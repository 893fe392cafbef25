/** The row of a form with its contact book and topics. */
import { Fragment } from '../../../platform/database/database.ts';
import { encodeId } from '../../../platform/ids.ts';
import type { CamelRow, Row } from '../../../platform/database/rows.ts';
import { renderEmbedHtml } from './embed-html.ts';
import { embedScriptTags } from './embed-script.ts';
import { keepKnown } from './form-fields.ts';
import type { Form, FormColor, FormField, FormText } from './forms.schema.ts';

/** The path of the page, without the ID. */
export const FORM_PATH = '/f/';

export type FormRow = CamelRow<
  'forms',
  | 'team_id'
  | 'id'
  | 'contact_book_id'
  | 'name'
  | 'topic_ids'
  | 'redirect_url'
  | 'language'
  | 'created_at'
  | 'updated_at'
> &
  CamelRow<'contact_books', 'variables' | 'double_opt_in_enabled'> & {
    fields: FormField[];
    texts: Partial<Record<FormText, string>>;
    colors: Partial<Record<FormColor, string>>;
    bookName: Row<'contact_books'>['name'];
  };

/** The columns of a `FormRow` from `FORM_TABLES`. Topics that no longer exist are left out. */
export const FORM_COLUMNS = new Fragment(`
  f.team_id as "teamId", f.id, f.contact_book_id as "contactBookId", f.name, f.fields, f.texts, f.colors,
  f.redirect_url as "redirectUrl", f.language, f.created_at as "createdAt", f.updated_at as "updatedAt",
  b.name as "bookName", b.variables, b.double_opt_in_enabled as "doubleOptInEnabled",
  array(
    select t.id from unnest(f.topic_ids) with ordinality as chosen (id, no)
    join topics t on t.team_id = f.team_id and t.id = chosen.id order by chosen.no
  ) as "topicIds"`);
export const FORM_TABLES = new Fragment(
  'forms f join contact_books b on b.team_id = f.team_id and b.id = f.contact_book_id',
);

export interface Counts {
  views: number;
  signups: number;
  confirmed: number;
}

/** The sums over all slots, in addition to the columns of the form. */
export const COUNT_COLUMNS = new Fragment(`
  (select jsonb_build_object('views', coalesce(sum(n.views), 0), 'signups', coalesce(sum(n.signups), 0),
     'confirmed', coalesce(sum(n.confirmed), 0))
   from form_counts n where n.team_id = f.team_id and n.form_id = f.id) as counts`);

export function textsOf({ texts }: Pick<FormRow, 'texts'>): Record<FormText, string | null> {
  return {
    title: texts.title ?? null,
    description: texts.description ?? null,
    button: texts.button ?? null,
    note: texts.note ?? null,
    thankYouTitle: texts.thankYouTitle ?? null,
    thankYou: texts.thankYou ?? null,
  };
}

export function presentForm(row: FormRow & { counts: Counts }, baseUrl: string): Form {
  const id = encodeId('frm', row.id);
  const url = `${baseUrl.replace(/\/+$/, '')}${FORM_PATH}${id}`;
  const fields = keepKnown(row.fields, row.variables);
  const texts = textsOf(row);
  const { background = null, text = null, button = null, buttonText = null } = row.colors;
  return {
    id,
    name: row.name,
    contactBookId: encodeId('cbk', row.contactBookId),
    fields,
    topicIds: row.topicIds.map((topic) => encodeId('top', topic)),
    texts,
    colors: { background, text, button, buttonText },
    redirectUrl: row.redirectUrl,
    language: row.language,
    url,
    embedHtml: renderEmbedHtml({ url, fields, texts, language: row.language }),
    embedScripts: embedScriptTags(url),
    counts: row.counts,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}

/** Starter templates are documents of the email editor in the brand of the team, for new campaigns and templates. */
import { sql } from 'kysely';
import { renderEditorHtml } from '../../../mail/html/editor/editor-html.ts';
import type { Db } from '../../../platform/database/database.ts';
import type { Row } from '../../../platform/database/rows.ts';
import { getBrand } from '../brand/brand.ts';
import { newsletters } from './newsletters.ts';
import type { Starter } from './starters.schema.ts';
import { transactional } from './transactional.ts';

const DESIGNS = [...newsletters, ...transactional];

export async function listStarters(db: Db, teamId: number): Promise<Starter[]> {
  const brand = await getBrand(db, teamId);
  const { rows } = await sql<Row<'teams', 'name'>>`select name from teams where id = ${teamId}`.execute(db);
  const teamName = rows[0]!.name;
  return DESIGNS.map(({ make, accent, ...design }) => {
    const document = make({ brand, teamName, accent: brand.buttonColor ?? accent });
    return { ...design, content: JSON.stringify(document), html: renderEditorHtml(document)! };
  });
}

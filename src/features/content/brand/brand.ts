/** The brand of a team: the design that its new emails start with. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';
import type { Row } from '../../../platform/database/rows.ts';
import type { Brand, BrandUpdate } from './brand.schema.ts';

const COLUMNS = [
  'logo_url',
  'background_color',
  'content_color',
  'text_color',
  'link_color',
  'button_color',
  'font_family',
  'footer_text',
  'postal_address',
  'updated_at',
] as const;

type BrandRow = Row<'brands', (typeof COLUMNS)[number]>;

export async function getBrand(db: Db, teamId: number): Promise<Brand> {
  const row = await db.selectFrom('brands').select(COLUMNS).where('team_id', '=', teamId).executeTakeFirst();
  return present(row);
}

/** Changes only the fields that are given. */
export async function updateBrand(db: Db, teamId: number, update: BrandUpdate): Promise<Brand> {
  const values = Object.fromEntries(
    Object.entries({
      logo_url: update.logoUrl,
      background_color: update.backgroundColor,
      content_color: update.contentColor,
      text_color: update.textColor,
      link_color: update.linkColor,
      button_color: update.buttonColor,
      font_family: update.fontFamily,
      footer_text: update.footerText,
      postal_address: update.postalAddress,
    })
      .filter(([, value]) => value !== undefined)
      // An empty text counts as none.
      .map(([name, value]) => [name, value || null]),
  );
  if (Object.keys(values).length === 0) return getBrand(db, teamId);
  const row = await db
    .insertInto('brands')
    .values({ team_id: teamId, ...values })
    .onConflict((conflict) => conflict.column('team_id').doUpdateSet({ ...values, updated_at: sql`now()` }))
    .returning(COLUMNS)
    .executeTakeFirstOrThrow();
  return present(row);
}

function present(row: BrandRow | undefined): Brand {
  return {
    logoUrl: row?.logo_url ?? null,
    backgroundColor: row?.background_color ?? null,
    contentColor: row?.content_color ?? null,
    textColor: row?.text_color ?? null,
    linkColor: row?.link_color ?? null,
    buttonColor: row?.button_color ?? null,
    fontFamily: row?.font_family ?? null,
    footerText: row?.footer_text ?? null,
    postalAddress: row?.postal_address ?? null,
    updatedAt: row?.updated_at.toISOString() ?? null,
  };
}

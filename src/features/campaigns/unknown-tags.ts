/** Finds merge tags without a value before a campaign is sent, so that no email has gaps. */
import { sql } from 'kysely';
import { renderEditorHtml } from '../../mail/html/editor/editor-html.ts';
import { findTags } from '../../mail/html/merge-tags.ts';
import { isLinkTag, plainName, propertyKey } from '../../mail/html/tag-names.ts';
import type { Db } from '../../platform/database/database.ts';
import type { Row } from '../../platform/database/rows.ts';
import { isContactTag } from '../audience/own-fields/own-fields.ts';
import type { CampaignRow } from './campaign-row.ts';
import { isFeedName } from './feed-values.ts';
import { allVariants } from './variants.ts';

const MAX_NAMED = 20;
/** A property that is in use usually appears within this many contacts. */
const FIRST_CONTACTS = 1_000;

/** The fields that the check depends on. */
type Tagged = Pick<
  CampaignRow,
  | 'teamId'
  | 'contactBookIds'
  | 'subject'
  | 'previewText'
  | 'html'
  | 'plain'
  | 'content'
  | 'variants'
  | 'translations'
  | 'feed'
>;

export interface TagCheck {
  /** True when the campaign still has the tags and books that were checked. */
  isFor(campaign: Tagged): boolean;
  /** A sentence for the user, or null. */
  problem: string | null;
  /** The names that no contact has. */
  unknown: string[];
}

/**
 * A tag is known when it has a fallback or is a contact field, a variable of the book or a property of a
 * contact. Proving that no contact has a property reads all contacts, so call this before the campaign is
 * locked.
 */
export async function checkTags(db: Db, campaign: Tagged): Promise<TagCheck> {
  const unknown = await findUnknown(db, campaign);
  return {
    isFor: (other) => fingerprint(other) === fingerprint(campaign),
    problem: describeUnknown(unknown),
    unknown,
  };
}

function fingerprint({
  contactBookIds,
  subject,
  previewText,
  html,
  plain,
  content,
  variants,
  translations,
}: Tagged): string {
  return JSON.stringify([contactBookIds, subject, previewText, html, plain, content, variants, translations]);
}

async function findUnknown(db: Db, campaign: Tagged): Promise<string[]> {
  const { teamId, contactBookIds } = campaign;
  const names = new Set(
    [...allVariants(campaign), ...inAllLanguages(campaign)]
      .flatMap(partsOf)
      .flatMap((part) => (part ? [...findTags(part)] : []))
      .filter(
        ({ name, fallback }) => fallback === '' && !isLinkTag(name) && !(campaign.feed && isFeedName(name)),
      )
      .map(({ name }) => name),
  );
  if (names.size === 0) return [];
  const { rows: books } = await sql<Row<'contact_books', 'variables'>>`
    select variables from contact_books where team_id = ${teamId} and id = any(${contactBookIds}::uuid[])
  `.execute(db);
  const variables = books.flatMap((book) => book.variables);
  let unknown = [...names].filter((name) => !isContactTag(name, variables));
  for (const contacts of [FIRST_CONTACTS, null]) {
    if (unknown.length > 0) unknown = await withoutProperty(db, campaign, unknown, contacts);
  }
  return unknown;
}

function inAllLanguages(campaign: Tagged): Tagged[] {
  return Object.values(campaign.translations ?? {}).map((each) => ({ ...campaign, ...each, plain: null }));
}

function partsOf({ subject, previewText, html, plain, content }: Tagged): (string | null)[] {
  return [subject, previewText, html ?? (content && renderEditorHtml(content)), plain];
}

function describeUnknown(unknown: string[]): string | null {
  if (unknown.length === 0) return null;
  const named = unknown.slice(0, MAX_NAMED).map((name) => `{{${name}}}`);
  const more = unknown.length > MAX_NAMED ? ` and ${unknown.length - MAX_NAMED} more` : '';
  return `No contact has a value for these merge tags: ${named.join(', ')}${more}. Correct the tags, add them to the variables of the contact book, or give them a fallback.`;
}

/**
 * Returns the names that no contact has as a property. With null, checks all contacts instead of the first ones of each
 * book.
 */
async function withoutProperty(
  db: Db,
  { teamId, contactBookIds }: Tagged,
  names: string[],
  contacts: number | null,
): Promise<string[]> {
  const { rows } = await sql<{ key: string }>`
    select distinct property_key(key) as key
    from unnest(${contactBookIds}::uuid[]) as book (id)
    cross join lateral (
      select properties from contacts where team_id = ${teamId} and contact_book_id = book.id
      limit ${contacts}::bigint
    ) c, jsonb_object_keys(c.properties) as key
    where property_key(key) = any(${names.flatMap(keysOf)}::text[])
  `.execute(db);
  const known = new Set(rows.map(({ key }) => key));
  return names.filter((name) => !keysOf(name).some((key) => known.has(key)));
}

/** The property names that a tag can refer to. */
function keysOf(name: string): string[] {
  return [propertyKey(plainName(name)), propertyKey(name)];
}

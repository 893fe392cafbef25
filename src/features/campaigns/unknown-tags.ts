/** Merge tags that stand for nothing: found before a campaign is sent, so that nobody gets a letter with holes in it. */
import { sql } from 'kysely';
import { renderEditorHtml } from '../../mail/editor-html.ts';
import { findTags } from '../../mail/merge-tags.ts';
import { isContactTag, isLinkTag, plainName } from '../../mail/tag-names.ts';
import type { Db } from '../../platform/database.ts';
import type { CampaignRow } from './campaign-row.ts';

const MOST_NAMED = 20;
/** A property that is used at all is usually found among so many contacts. */
const FIRST_CONTACTS = 1_000;

/** What the tags of a campaign depend on. */
type Tagged = Pick<CampaignRow, 'teamId' | 'contactBookIds' | 'subject' | 'previewText' | 'html' | 'content'>;

export interface TagCheck {
  /** Whether this campaign has the tags and books that were looked at. */
  isFor(campaign: Tagged): boolean;
  /** What is wrong, in a sentence. */
  problem: string | null;
}

/**
 * A tag with a fallback always stands for something. Otherwise it is a field, a variable or a property of a contact. To
 * know that no contact has a property, all of them are read: do it before the campaign is locked.
 */
export async function checkTags(db: Db, campaign: Tagged): Promise<TagCheck> {
  return {
    isFor: (other) => identify(other) === identify(campaign),
    problem: describeUnknown(await findUnknown(db, campaign)),
  };
}

function identify({ contactBookIds, subject, previewText, html, content }: Tagged): string {
  return JSON.stringify([contactBookIds, subject, previewText, html, content]);
}

async function findUnknown(db: Db, campaign: Tagged): Promise<string[]> {
  const { teamId, contactBookIds, subject, previewText, html, content } = campaign;
  const body = html ?? (content && renderEditorHtml(content));
  const names = new Set(
    [subject, previewText, body]
      .flatMap((part) => (part ? [...findTags(part)] : []))
      .filter(({ name, fallback }) => fallback === '' && !isLinkTag(name))
      .map(({ name }) => name),
  );
  if (names.size === 0) return [];
  const { rows: books } = await sql<{ variables: string[] }>`
    select variables from contact_books where team_id = ${teamId} and id = any(${contactBookIds}::uuid[])
  `.execute(db);
  const variables = books.flatMap((book) => book.variables);
  let unknown = [...names].filter((name) => !isContactTag(name, variables));
  for (const contacts of [FIRST_CONTACTS, null]) {
    if (unknown.length > 0) unknown = await withoutProperty(db, campaign, unknown, contacts);
  }
  return unknown;
}

function describeUnknown(unknown: string[]): string | null {
  if (unknown.length === 0) return null;
  const named = unknown.slice(0, MOST_NAMED).map((name) => `{{${name}}}`);
  const more = unknown.length > MOST_NAMED ? ` and ${unknown.length - MOST_NAMED} more` : '';
  return `The campaign has merge tags that no contact of its book has a value for: ${named.join(', ')}${more}. Correct them, add them to the variables of the book, or give them a fallback.`;
}

/** The names that no contact has as a property, of the first so many of each book, or of all where that is null. */
async function withoutProperty(
  db: Db,
  { teamId, contactBookIds }: Tagged,
  names: string[],
  contacts: number | null,
): Promise<string[]> {
  const { rows } = await sql<{ key: string }>`
    select distinct lower(key) as key
    from unnest(${contactBookIds}::uuid[]) as book (id)
    cross join lateral (
      select properties from contacts where team_id = ${teamId} and contact_book_id = book.id
      limit ${contacts}::bigint
    ) c, jsonb_object_keys(c.properties) as key
    where lower(key) = any(${names.flatMap(keysOf)}::text[])
  `.execute(db);
  const known = new Set(rows.map(({ key }) => key));
  return names.filter((name) => !keysOf(name).some((key) => known.has(key)));
}

/** How a property may be called that a tag stands for. */
function keysOf(name: string): string[] {
  return [plainName(name).toLowerCase(), name.toLowerCase()];
}

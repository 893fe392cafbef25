/** Merge tags that stand for nothing: found before a campaign is sent, so that nobody gets a letter with holes in it. */
import { sql } from 'kysely';
import { renderEditorHtml } from '../../mail/editor-html.ts';
import { findTags } from '../../mail/merge-tags.ts';
import { isContactTag, isLinkTag, plainName } from '../../mail/tag-names.ts';
import type { Db } from '../../platform/database.ts';
import { badRequest } from '../../platform/errors.ts';
import type { CampaignRow } from './campaign-row.ts';

const MOST_NAMED = 20;

/** A tag with a fallback always stands for something. Otherwise it is a field, a variable or a property of a contact. */
export async function refuseUnknownTags(
  db: Db,
  {
    teamId,
    contactBookIds,
    subject,
    previewText,
    html,
    content,
  }: Pick<CampaignRow, 'teamId' | 'contactBookIds' | 'subject' | 'previewText' | 'html' | 'content'>,
): Promise<void> {
  const body = html ?? (content && renderEditorHtml(content));
  const names = new Set(
    [subject, previewText, body]
      .flatMap((part) => (part ? [...findTags(part)] : []))
      .filter(({ name, fallback }) => fallback === '' && !isLinkTag(name))
      .map(({ name }) => name),
  );
  if (names.size === 0) return;
  const { rows: books } = await sql<{ variables: string[] }>`
    select variables from contact_books where team_id = ${teamId} and id = any(${contactBookIds}::uuid[])
  `.execute(db);
  const variables = books.flatMap((book) => book.variables);
  const doubtful = [...names].filter((name) => !isContactTag(name, variables));
  if (doubtful.length === 0) return;
  const unknown = await withoutProperty(db, teamId, contactBookIds, doubtful);
  if (unknown.length === 0) return;
  const named = unknown.slice(0, MOST_NAMED).map((name) => `{{${name}}}`);
  const more = unknown.length > MOST_NAMED ? ` and ${unknown.length - MOST_NAMED} more` : '';
  throw badRequest(
    `The campaign has merge tags that no contact of its book has a value for: ${named.join(', ')}${more}. Correct them, add them to the variables of the book, or give them a fallback.`,
  );
}

async function withoutProperty(
  db: Db,
  teamId: number,
  contactBookIds: string[],
  names: string[],
): Promise<string[]> {
  const { rows } = await sql<{ key: string }>`
    select distinct lower(key) as key
    from contacts c, jsonb_object_keys(c.properties) as key
    where c.team_id = ${teamId} and c.contact_book_id = any(${contactBookIds}::uuid[])
      and lower(key) = any(${names.flatMap(keysOf)}::text[])
  `.execute(db);
  const known = new Set(rows.map(({ key }) => key));
  return names.filter((name) => !keysOf(name).some((key) => known.has(key)));
}

/** How a property may be called that a tag stands for. */
function keysOf(name: string): string[] {
  return [plainName(name).toLowerCase(), name.toLowerCase()];
}

/**
 * Finds the merge tag of a template that has no value, such as one that was added after the step was made. The run then
 * waits for someone to mend it, because an email with a gap cannot be taken back.
 */
import { sql } from 'kysely';
import { certainTags } from '../../../mail/html/merge-tags.ts';
import { findName, isLinkTag, plainName, propertyKey } from '../../../mail/html/tag-names.ts';
import type { Db } from '../../../platform/database/database.ts';
import type { TaggedContact } from '../../audience/own-fields/own-columns.ts';
import { isContactTag } from '../../audience/own-fields/own-fields.ts';
import type { ContactContent } from '../../audience/rendering/render-for-contact.ts';

/** Values of the run, which an event or a webhook may leave out. */
const OF_RUN: ReadonlySet<string> = new Set(['event', 'step']);

/** The names of the tags that need a value: without a fallback, and outside of conditions and loops. */
export function neededNames({ subject, previewText, html, plain }: ContactContent): string[] {
  const tags = [subject, previewText, html, plain].flatMap((part) => (part ? certainTags(part) : []));
  const needed = tags.filter(
    ({ name, fallback }) => fallback === '' && !isLinkTag(name) && !OF_RUN.has(rootOf(name)),
  );
  return [...new Set(needed.map(({ name }) => name))];
}

/** `given` has the names of the step's variables. A variable of a contact book may be empty for a contact. */
export async function findGap(
  db: Db,
  teamId: number,
  needed: readonly string[],
  { given, contact }: { given: readonly string[]; contact: TaggedContact },
): Promise<string | null> {
  const known = [...given, ...Object.keys(contact.properties)];
  const open = needed.filter((name) => !isContactTag(name, known) && !findName(given, rootOf(name)));
  if (open.length === 0) return null;
  const { rows } = await sql<{ key: string }>`
    select distinct property_key(variable) as key
    from contact_books b, unnest(b.variables) as variable where b.team_id = ${teamId}
  `.execute(db);
  const variables = new Set(rows.map(({ key }) => key));
  return open.find((name) => !variables.has(propertyKey(plainName(name)))) ?? null;
}

/** `order` for `order.total`. */
function rootOf(name: string): string {
  return name.split('.', 1)[0]!;
}

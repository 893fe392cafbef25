/**
 * Templates for clients of vendors whose templates are Mustache or Handlebars. Ours have only tags with a name.
 * Sections, loops and conditions are rejected, because they would be sent unchanged.
 */
import { findTemplateId, readTemplateContent } from '../../../features/content/templates/templates.ts';
import { TAG } from '../../../mail/html/tag-names.ts';
import type { Db } from '../../../platform/database/database.ts';
import { AppError, badRequest, invalidField } from '../../../platform/errors.ts';

const MAX_VARIABLES = 1_000;
const MAX_DEPTH = 20;

type Value = string | number | boolean | null;

/** The emails of one request are composed in memory. */
const MAX_REQUEST_BYTES = 50 * 1024 * 1024;

export function requireSmallRequest(bytes: number): void {
  if (bytes > MAX_REQUEST_BYTES)
    throw new AppError('TOO_LARGE', 'The emails of one request must not be larger than 50 MiB in total.');
}

/** Finds the template with this ID, number or name. `length` is the length of its content. */
export async function findUsableTemplate(
  db: Db,
  teamId: number,
  reference: string,
): Promise<{ templateId: string; length: number; hasStyleSheet: boolean }> {
  const templateId = await findTemplateId(db, teamId, reference);
  const { subject, html, plain } = await readTemplateContent(db, teamId, templateId);
  for (const part of [subject, html, plain])
    if (part !== null && hasOtherTags(part))
      throw badRequest(
        'The template contains more than tags such as {{name}} and {{user.name}}: sections, loops, conditions and unescaped values are not supported.',
      );
  return {
    templateId,
    length: (html?.length ?? 0) + (plain?.length ?? 0),
    hasStyleSheet: /<style/i.test(html ?? ''),
  };
}

export function hasOtherTags(text: string): boolean {
  return text.includes('{{') && (text.includes('{{{') || text.replaceAll(TAG, '').includes('{{'));
}

/** Converts `{user: {name: 'Ada'}}` to `{'user.name': 'Ada'}`, as the tags of a template name it. */
export function flattenModel(model: unknown, field: string): Record<string, Value> {
  const flat: Record<string, Value> = {};
  let count = 0;
  const add = (value: unknown, path: string, depth: number): void => {
    if (++count > MAX_VARIABLES) throw invalidField(field, `must have at most ${MAX_VARIABLES} values`);
    if (Array.isArray(value)) throw invalidField(path, 'must not be a list, because a template has no loops');
    if (typeof value !== 'object' || value === null) {
      flat[path.slice(field.length + 1)] = value as Value;
      return;
    }
    if (depth > MAX_DEPTH) throw invalidField(field, `must not be nested deeper than ${MAX_DEPTH} levels`);
    for (const [name, inner] of Object.entries(value)) add(inner, `${path}.${name}`, depth + 1);
  };
  if (typeof model !== 'object' || model === null || Array.isArray(model))
    throw invalidField(field, 'must be an object');
  for (const [name, value] of Object.entries(model)) add(value, `${field}.${name}`, 1);
  return flat;
}

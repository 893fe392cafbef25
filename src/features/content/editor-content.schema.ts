/** The document of the email editor in templates, campaigns and confirmation emails. */
import { z } from 'zod';
import { depthWithin, record, text } from '../../platform/schema.ts';
import { MAX_MERGE_TAGS, withTags } from './content-limits.ts';

const MAX_CONTENT_CHARACTERS = 500_000;
const MAX_CONTENT_DEPTH = 200;
const MAX_CONTENT_NODES = 20_000;
const MAX_ROOT_FIELDS = 100;

/** Accepts an object or a string, and is stored as a string. */
export const editorContent = z
  .union([text({ max: MAX_CONTENT_CHARACTERS }), record(z.string(), z.unknown(), { max: MAX_ROOT_FIELDS })])
  .refine((value) => isEditorDocument(value), {
    error: `must be the JSON document of the email editor: an object with "type": "doc", at most ${MAX_CONTENT_DEPTH} levels and ${MAX_CONTENT_NODES} nodes`,
  })
  .transform((value) => (typeof value === 'string' ? value : JSON.stringify(value)))
  .pipe(withTags(text({ max: MAX_CONTENT_CHARACTERS }), 'editor'))
  .describe(`At most ${MAX_CONTENT_NODES} nodes and ${MAX_MERGE_TAGS} merge tags`);

function isEditorDocument(value: string | Record<string, unknown>): boolean {
  let document: unknown = value;
  try {
    if (typeof value === 'string') document = JSON.parse(value);
  } catch {
    return false;
  }
  if (typeof document !== 'object' || document === null || !depthWithin(document, MAX_CONTENT_DEPTH))
    return false;
  if (countObjects(document) > MAX_CONTENT_NODES) return false;
  return (document as { type?: unknown }).type === 'doc';
}

/** Expects a document whose depth was checked. */
function countObjects(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce<number>(
    (sum, inner) => sum + countObjects(inner),
    Array.isArray(value) ? 0 : 1,
  );
}

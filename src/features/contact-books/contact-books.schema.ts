import { z } from 'zod';
import { parseMailbox } from '../../mail/address.ts';
import {
  depthWithin,
  jsonObject,
  MAX_MERGE_TAGS,
  pathId,
  record,
  text,
  timestamp,
  withFewTags,
} from '../../platform/schema.ts';

const RESERVED_VARIABLES = new Set(['email', 'firstname', 'lastname']);
const MAX_PROPERTIES_BYTES = 16 * 1024;
const MAX_CONTENT_CHARACTERS = 500_000;
const MAX_CONTENT_DEPTH = 200;
const MAX_CONTENT_NODES = 20_000;
const MAX_ROOT_FIELDS = 100;

export const contactBookSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    teamId: z.int(),
    properties: z.record(z.string(), z.unknown()),
    variables: z.array(z.string()).describe('Personalization variables for contacts of the book'),
    emoji: z.string(),
    createdAt: timestamp,
    updatedAt: timestamp,
    doubleOptInEnabled: z.boolean(),
    doubleOptInFrom: z.string().nullable(),
    doubleOptInSubject: z.string(),
    doubleOptInContent: z.string().describe('The JSON document of the email editor, as a string'),
    _count: z.object({ contacts: z.int() }),
  })
  .meta({ id: 'ContactBook' });

const variables = z
  .array(
    z
      .string()
      .regex(/^[A-Za-z][A-Za-z0-9_]{0,63}$/, {
        error: 'must begin with a letter and have at most 64 letters, digits and underscores',
      })
      .refine((name) => !RESERVED_VARIABLES.has(name.toLowerCase()), {
        error: 'is a name that every contact has already',
      }),
  )
  .max(1000)
  .refine((names) => new Set(names.map((name) => name.toLowerCase())).size === names.length, {
    error: 'must not name a variable twice',
  });

/** The editor's document, kept as a string whichever way it was sent. */
export const editorContent = z
  .union([text({ max: MAX_CONTENT_CHARACTERS }), record(z.string(), z.unknown(), { max: MAX_ROOT_FIELDS })])
  .refine((value) => isEditorDocument(value), {
    error: `must be the JSON document of the email editor: an object with "type": "doc", at most ${MAX_CONTENT_DEPTH} levels and ${MAX_CONTENT_NODES} nodes`,
  })
  .transform((value) => (typeof value === 'string' ? value : JSON.stringify(value)))
  .pipe(withFewTags(text({ max: MAX_CONTENT_CHARACTERS })))
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

/** Of a document whose depth is known to be harmless. */
function countObjects(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce<number>(
    (sum, inner) => sum + countObjects(inner),
    Array.isArray(value) ? 0 : 1,
  );
}

const bookName = text({ min: 1, max: 200, trim: true });

export const contactBookUpdate = z.object({
  name: bookName.optional(),
  emoji: text({ min: 1, max: 32, trim: true }).nullish(),
  properties: jsonObject({ maxBytes: MAX_PROPERTIES_BYTES }).nullish(),
  variables: variables.nullish(),
  doubleOptInEnabled: z.boolean().nullish(),
  doubleOptInFrom: text({ min: 1, max: 600 })
    .refine((value) => parseMailbox(value) !== null, {
      error: 'must be an address, as Name <user@example.com>',
    })
    .nullish()
    .describe('`Name <user@domain>` or a bare address, on a domain that your team has verified'),
  doubleOptInSubject: text({ min: 1, max: 500, trim: true }).nullish(),
  doubleOptInContent: editorContent
    .nullish()
    .describe('Must contain {{doubleOptInUrl}} while double opt-in is on'),
});

export const contactBookInput = contactBookUpdate.extend({ name: bookName });

export const contactBookParams = z.object({ contactBookId: pathId(3) });
export const contactBookList = z.array(contactBookSchema);
export const contactBookDeleted = z.object({ id: z.string(), success: z.boolean(), message: z.string() });

export type ContactBook = z.infer<typeof contactBookSchema>;
export type ContactBookInput = z.output<typeof contactBookInput>;
export type ContactBookUpdate = z.output<typeof contactBookUpdate>;

/** Imports of contacts from a CSV file, into the contact book that the door shows. */
import { z } from 'zod';
import { receiveUpload, startImport } from '../../../../features/audience/contacts/imports/import-upload.ts';
import {
  importInput,
  type ContactImport,
} from '../../../../features/audience/contacts/imports/imports.schema.ts';
import { getImport, listImports } from '../../../../features/audience/contacts/imports/imports.ts';
import { invalidField, notFound } from '../../../../platform/errors.ts';
import { pathId, record, text } from '../../../../platform/schema.ts';
import { FormBody } from '../../../requests/read-form.ts';
import { validate } from '../../../requests/validate.ts';
import { CONTACT_NAMES, eachName } from './contact-names.ts';
import { ensureContacts, findContacts } from './audience.ts';
import { listOf, listQueryWith, toList, toPageRequest } from '../routing/lists.ts';
import { readFields } from '../../mapping/read-fields.ts';
import { resendRoute } from '../routing/resend-route.ts';

/** Larger files go through our own API, which streams them. */
const BODY_LIMIT = 40 * 1024 * 1024;
const CHUNK_BYTES = 1024 * 1024;
const MAX_JSON_LENGTH = 200_000;

const STATUSES = {
  queued: ['PENDING'],
  in_progress: ['RUNNING'],
  completed: ['DONE'],
  failed: ['FAILED', 'CANCELLED'],
} as const satisfies Record<string, ContactImport['status'][]>;
type Status = keyof typeof STATUSES;
const status = z.enum(Object.keys(STATUSES) as Status[]);

const named = z.object({ object: z.literal('contact_import'), id: z.string() });
const shown = named.extend({
  status,
  created_at: z.string(),
  completed_at: z.string().nullable(),
  counts: z.object({
    total: z.int(),
    created: z.int(),
    updated: z.int(),
    skipped: z.int(),
    failed: z.int(),
  }),
});

const column = text({ min: 1, max: 1_000 }).optional();
const onlyText = 'must be string: an import stores text';
const columnMap = z.strictObject({
  email: column,
  ...eachName(() => column),
  unsubscribed: column,
  properties: record(
    text({ min: 1, max: 256 }),
    z.strictObject({
      column: text({ min: 1, max: 1_000 }),
      type: z.literal('string', { error: onlyText }).optional(),
    }),
    { max: 1_000 },
  ).optional(),
});
/** Our imports have neither segments nor topics, and always update existing contacts. */
const empty = z
  .array(z.unknown())
  .max(1_000)
  .refine((all) => all.length === 0, { error: 'is not supported: add the contacts when they are imported' });
const importForm = z.strictObject({
  column_map: columnMap.optional(),
  on_conflict: z.literal('upsert', { error: 'must be upsert: contacts that exist are updated' }).optional(),
  segments: empty.optional(),
  topics: empty.optional(),
});

const body = z
  .instanceof(FormBody, { error: 'must be a form' })
  .transform((form): { form: FormBody; received?: { bookId: string; importId: string } } => ({ form }));

export const resendImportRoutes = [
  resendRoute({
    method: 'POST',
    path: '/contacts/imports',
    scope: 'contacts.write',
    permission: 'full',
    creates: 'contactImports',
    takesForms: true,
    bodyLimitBytes: BODY_LIMIT,
    body,
    answer: named,
    async prepare({ db, teamId, caller, body: { form } }) {
      const { file, input } = readForm(form);
      const bookId = await ensureContacts(db, teamId);
      const importId = await receiveUpload(db, teamId, bookId, input, inChunks(file), caller.by);
      return { form, received: { bookId, importId } };
    },
    async handle({ db, teamId, body: { received } }) {
      const { bookId, importId } = received!;
      const { id } = await startImport(db, teamId, bookId, importId);
      return { object: 'contact_import' as const, id };
    },
  }),
  resendRoute({
    method: 'GET',
    path: '/contacts/imports',
    scope: 'contacts.read',
    permission: 'full',
    query: listQueryWith({ status: status.optional() }),
    answer: listOf(shown),
    async handle({ db, teamId, query: { status: wanted, ...query } }) {
      const page = toPageRequest(query);
      const bookId = await findContacts(db, teamId);
      if (bookId === null) return toList({ items: [], next_cursor: null }, present);
      const statuses = wanted && [...STATUSES[wanted]];
      return toList(await listImports(db, teamId, bookId, page, statuses), present);
    },
  }),
  resendRoute({
    method: 'GET',
    path: '/contacts/imports/{id}',
    scope: 'contacts.read',
    permission: 'full',
    params: z.object({ id: pathId() }),
    answer: shown,
    async handle({ db, teamId, params: { id } }) {
      const bookId = await findContacts(db, teamId);
      if (bookId === null) throw notFound('Import');
      return present(await getImport(db, teamId, bookId, id));
    },
  }),
];

function readForm({ texts, files }: FormBody) {
  const [file, another] = files;
  if (file?.name !== 'file' || another) throw invalidField('file', 'is required, and must be the only file');
  const fields = Object.fromEntries(
    texts.map(({ name, value }) => [name, name === 'on_conflict' ? value : parse(name, value)]),
  );
  const { column_map: map = {} } = readFields(importForm, fields, {});
  // A book with double opt-in stores the contacts as pending, and sends no email.
  const input = validate(importInput, { mapping: JSON.stringify(toMapping(map)) });
  return { file: file.content, input };
}

function parse(name: string, json: string): unknown {
  if (json.length > MAX_JSON_LENGTH)
    throw invalidField(name, `must have at most ${MAX_JSON_LENGTH} characters`);
  try {
    return JSON.parse(json);
  } catch {
    throw invalidField(name, 'must be valid JSON');
  }
}

/** Our mapping names the target of each column. */
function toMapping({ email, unsubscribed, properties = {}, ...named }: z.output<typeof columnMap>) {
  const targets: [column: string | undefined, target: string][] = [
    [email, 'email'],
    ...CONTACT_NAMES.map(([theirs, ours]): [string | undefined, string] => [named[theirs], ours]),
    [unsubscribed, 'unsubscribed'],
    ...Object.entries(properties).map(([key, from]): [string, string] => [from.column, `property:${key}`]),
  ];
  const given = targets.filter((target): target is [string, string] => target[0] !== undefined);
  if (new Set(given.map(([from]) => from)).size < given.length)
    throw invalidField('column_map', 'must not use a column twice');
  return Object.fromEntries(given);
}

async function* inChunks(file: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < file.length; at += CHUNK_BYTES) yield file.subarray(at, at + CHUNK_BYTES);
}

function present({ id, status: ours, createdAt, finishedAt, ...counts }: ContactImport) {
  const [name] = Object.entries(STATUSES).find(([, all]) => (all as readonly string[]).includes(ours))!;
  return {
    object: 'contact_import' as const,
    id,
    status: name as Status,
    created_at: createdAt,
    completed_at: finishedAt,
    counts: {
      total: counts.rows,
      created: counts.created,
      updated: counts.updated,
      skipped: 0,
      failed: counts.refused,
    },
  };
}

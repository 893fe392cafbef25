/** Reads a listmonk instance through its API, or a CSV file of subscribers that it exported. */
import { z } from 'zod';
import { readExportedRows } from './export-file.ts';
import {
  readEntries,
  readPages,
  splitName,
  type Checkpoints,
  type ImportedContact,
  type Item,
  type Reader,
} from './items.ts';
import type { VendorApi } from './vendor-api.ts';

const PAGE = 100;
const REASONS = { hard: 'HARD_BOUNCE', complaint: 'COMPLAINT' } as const;

const listShape = z.object({
  id: z.number(),
  uuid: z.string(),
  name: z.string(),
  optin: z.enum(['single', 'double']),
});
const subscriberShape = z.object({
  email: z.string(),
  name: z.string().nullish(),
  attribs: z.record(z.string(), z.unknown()).nullish(),
  status: z.string(),
  lists: z.array(z.object({ id: z.number(), subscription_status: z.string() })).nullish(),
});
const bounceShape = z.object({ email: z.string(), type: z.string() });
const templateShape = z.object({
  name: z.string(),
  type: z.string(),
  subject: z.string().nullish(),
  body: z.string(),
});
const templatesShape = z.object({ data: z.array(templateShape).nullish() });

type List = z.output<typeof listShape>;

export function createListmonkReader(api: VendorApi): Reader {
  return { vendor: 'listmonk', read: (checkpoints) => readInstance(api, checkpoints) };
}

async function* readInstance(api: VendorApi, checkpoints: Checkpoints): AsyncGenerator<Item> {
  const lists = new Map<number, List>();
  for await (const list of readAll(api, '/api/lists', listShape)) lists.set(list.id, list);
  for (const template of (await api.find(templatesShape, '/api/templates'))?.data ?? [])
    yield toTemplate(template);
  yield* readPages(
    'bounces',
    checkpoints,
    (cursor) => readPage(api, '/api/bounces', bounceShape, cursor),
    ({ email, type }) =>
      type === 'hard' || type === 'complaint' ? [{ kind: 'suppression', email, reason: REASONS[type] }] : [],
  );
  for (const { uuid, name, optin } of lists.values())
    yield { kind: 'list', list: { id: uuid, name, doubleOptIn: optin === 'double' } };
  yield* readPages(
    'subscribers',
    checkpoints,
    (cursor) => readPage(api, '/api/subscribers', subscriberShape, cursor),
    (subscriber) => toItems(subscriber, lists),
  );
}

/** A subscriber becomes a contact in the book of each of its lists. */
function toItems(subscriber: z.output<typeof subscriberShape>, lists: Map<number, List>): Item[] {
  const { email, status } = subscriber;
  const suppression: Item[] =
    status === 'blocklisted' ? [{ kind: 'suppression', email, reason: 'MANUAL' }] : [];
  const memberships = (subscriber.lists ?? []).filter(({ id }) => lists.has(id));
  if (memberships.length === 0) {
    const skipped: Item = { kind: 'skipped', what: 'subscribers that are on no list' };
    return [...suppression, skipped];
  }
  return [
    ...suppression,
    ...memberships.map(({ id, subscription_status }): Item => {
      const { uuid, optin } = lists.get(id)!;
      const contact: ImportedContact = {
        email,
        ...splitName(subscriber.name),
        properties: subscriber.attribs ?? {},
        ...statusOf(status, subscription_status, optin),
      };
      return { kind: 'contact', listId: uuid, contact };
    }),
  ];
}

/** On a list with single opt-in, listmonk writes to unconfirmed subscribers too. */
function statusOf(
  status: string,
  subscription: string,
  optin: List['optin'],
): Pick<ImportedContact, 'status' | 'reason'> {
  if (status === 'blocklisted') return { status: 'unsubscribed', reason: 'BLOCKLISTED' };
  if (status === 'disabled') return { status: 'unsubscribed', reason: 'DISABLED' };
  if (status !== 'enabled' || subscription === 'unsubscribed') return { status: 'unsubscribed' };
  return { status: subscription === 'unconfirmed' && optin === 'double' ? 'pending' : 'subscribed' };
}

/** A campaign template of listmonk is a frame around the content of a campaign. Posthorn has no such frames. */
function toTemplate({ name, type, subject, body }: z.output<typeof templateShape>): Item {
  if (type !== 'tx')
    return { kind: 'skipped', what: 'campaign templates: only transactional templates can be imported' };
  return {
    kind: 'template',
    template: { name, subject: subject ? toTags(subject) : null, html: toTags(body), text: null },
  };
}

/** The data of an email is `.Tx.Data.x` in listmonk and `x` in Posthorn. */
function toTags(text: string): string {
  return text.replaceAll(/\{\{\s*\.Tx\.Data\.([A-Za-z_]\w{0,63})\s*\}\}/g, '{{$1}}');
}

/** The cursor is the page number. Subscribers are sorted by their creation time, so that new ones come last. */
async function readPage<Shape extends z.ZodType>(
  api: VendorApi,
  path: string,
  shape: Shape,
  cursor = '1',
): Promise<{ entries: z.output<Shape>[]; next: string | null }> {
  const resultsShape = z.object({ data: z.object({ results: z.array(shape).nullish() }) });
  const order = path === '/api/lists' ? {} : { order_by: 'created_at', order: 'ASC' };
  const { data } = await api.get(resultsShape, path, { page: cursor, per_page: PAGE, ...order });
  const entries = data.results ?? [];
  return { entries, next: entries.length === 0 ? null : String(Number(cursor) + 1) };
}

function readAll<Shape extends z.ZodType>(
  api: VendorApi,
  path: string,
  shape: Shape,
): AsyncGenerator<z.output<Shape>> {
  return readEntries((cursor) => readPage(api, path, shape, cursor));
}

/**
 * The file contains neither the lists of a subscriber nor whether the subscriber has left them. So the contacts have
 * to confirm, unless the operator states with --consent that they have agreed.
 */
export function createListmonkFileReader(
  path: string,
  { book, isConfirmed }: { book: string; isConfirmed: boolean },
): Reader {
  return {
    vendor: 'listmonk',
    async *read(): AsyncGenerator<Item> {
      yield { kind: 'list', list: { id: book, name: book, doubleOptIn: !isConfirmed } };
      for await (const { file, line, problem, fields } of readExportedRows(path)) {
        if (problem !== null) {
          yield { kind: 'refused', what: `${file}, line ${line}`, reason: problem };
          continue;
        }
        const { name, status, attributes } = fields.properties;
        if (status === 'blocklisted') yield { kind: 'suppression', email: fields.email, reason: 'MANUAL' };
        const contact: ImportedContact = {
          email: fields.email,
          ...splitName(name),
          properties: readAttributes(attributes),
          ...statusOf(status ?? '', isConfirmed ? 'confirmed' : 'unconfirmed', 'double'),
        };
        yield { kind: 'contact', listId: book, contact };
      }
    },
  };
}

function readAttributes(text: string | undefined): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text ?? '{}');
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/**
 * Reads a Resend account. Its lists of contacts contain neither properties nor choices of topics. If the account has
 * either, each contact is also read separately, because a choice of topics is consent. `skipDetails` omits that.
 */
import { z } from 'zod';
import { fromTemplateTags } from '../../http/vendors/resend/emails/merge-tags.ts';
import {
  readEntries,
  readPages,
  type Checkpoints,
  type ImportedContact,
  type Item,
  type Reader,
} from './items.ts';
import type { VendorApi } from './vendor-api.ts';

const PAGE = 100;
const DETAILS_AT_ONCE = 4;
const LIST_ID = 'contacts';
const REASONS: Record<string, 'HARD_BOUNCE' | 'COMPLAINT'> = {
  bounce: 'HARD_BOUNCE',
  complaint: 'COMPLAINT',
};

const keyed = z.object({ id: z.string() });
const named = z.object({ id: z.string(), name: z.string() });
const contactShape = z.object({
  id: z.string(),
  email: z.string(),
  first_name: z.string().nullish(),
  last_name: z.string().nullish(),
  unsubscribed: z.boolean(),
});
const suppressionShape = z.object({ id: z.string(), email: z.string(), origin: z.string() });
const topicShape = named.extend({
  description: z.string().nullish(),
  default_subscription: z.enum(['opt_in', 'opt_out']),
});
const propertyShape = z.union([
  z.object({ value: z.unknown() }),
  z.string(),
  z.number(),
  z.boolean(),
  z.null(),
]);
const detailsShape = z.object({ properties: z.record(z.string(), propertyShape).nullish() });
const choiceShape = z.object({ id: z.string(), subscription: z.string() });
const templateShape = named.extend({
  alias: z.string().nullish(),
  subject: z.string().nullish(),
  html: z.string().nullish(),
  text: z.string().nullish(),
  variables: z
    .array(z.object({ key: z.string(), fallback_value: z.union([z.string(), z.number()]).nullish() }))
    .nullish(),
});

type Contact = z.output<typeof contactShape>;
type Topic = z.output<typeof topicShape>;

export function createResendReader(api: VendorApi, { skipDetails }: { skipDetails: boolean }): Reader {
  return { vendor: 'Resend', read: (checkpoints) => readAccount(api, skipDetails, checkpoints) };
}

async function* readAccount(
  api: VendorApi,
  skipDetails: boolean,
  checkpoints: Checkpoints,
): AsyncGenerator<Item> {
  for await (const { name } of readAll(api, '/domains', named)) yield { kind: 'domain', name };
  for await (const { id } of readAll(api, '/templates', named)) {
    const template = await api.find(templateShape, `/templates/${encodeURIComponent(id)}`);
    if (template) yield { kind: 'template', template: toTemplate(template) };
  }
  const topics: Topic[] = [];
  for await (const topic of readAll(api, '/topics', topicShape)) {
    topics.push(topic);
    yield { kind: 'topic', topic: toTopic(topic) };
  }
  yield* readPages(
    'suppressions',
    checkpoints,
    (cursor) => readPage(api, '/suppressions', suppressionShape, cursor),
    ({ email, origin }) => [{ kind: 'suppression', email, reason: REASONS[origin] ?? 'MANUAL' }],
  );
  yield {
    kind: 'list',
    list: { id: LIST_ID, name: 'Contacts', doubleOptIn: false, isOldestBook: true },
  };
  const hasProperties = (await readPage(api, '/contact-properties', keyed, undefined)).entries.length > 0;
  yield* readPages(
    'contacts',
    checkpoints,
    async (cursor) => {
      const { entries, next } = await readPage(api, '/contacts', contactShape, cursor);
      const wanted = skipDetails ? { hasProperties: false, topics: [] } : { hasProperties, topics };
      return { entries: await addDetails(api, entries, wanted), next };
    },
    (contact) => [{ kind: 'contact', listId: LIST_ID, contact }],
  );
  if (skipDetails && (hasProperties || topics.length > 0))
    yield { kind: 'skipped', what: 'properties and topic choices of contacts, because of --skip-details' };
  yield* readSegments(api, checkpoints);
}

async function* readSegments(api: VendorApi, checkpoints: Checkpoints): AsyncGenerator<Item> {
  for await (const { id, name } of readAll(api, '/segments', named)) {
    const path = `/segments/${encodeURIComponent(id)}/contacts`;
    yield* readPages(
      `segment ${id}`,
      checkpoints,
      (cursor) => readPage(api, path, contactShape, cursor),
      ({ email }) => [{ kind: 'member', listId: LIST_ID, segment: name, email }],
    );
  }
}

/** A list that the vendor does not have is treated as empty. Every account has the list of domains. */
async function readPage<Shape extends z.ZodType<{ id: string }>>(
  api: VendorApi,
  path: string,
  shape: Shape,
  cursor: string | undefined,
): Promise<{ entries: z.output<Shape>[]; next: string | null }> {
  const listShape = z.object({ has_more: z.boolean().nullish(), data: z.array(shape) });
  const query = { limit: PAGE, after: cursor };
  const page = await (path === '/domains'
    ? api.get(listShape, path, query)
    : api.find(listShape, path, query));
  const entries = page?.data ?? [];
  return { entries, next: page?.has_more ? (entries.at(-1)?.id ?? null) : null };
}

function readAll<Shape extends z.ZodType<{ id: string }>>(
  api: VendorApi,
  path: string,
  shape: Shape,
): AsyncGenerator<z.output<Shape>> {
  return readEntries((cursor) => readPage(api, path, shape, cursor));
}

async function addDetails(
  api: VendorApi,
  contacts: Contact[],
  { hasProperties, topics }: { hasProperties: boolean; topics: Topic[] },
): Promise<ImportedContact[]> {
  const found: ImportedContact[] = [];
  for (let at = 0; at < contacts.length; at += DETAILS_AT_ONCE)
    found.push(
      ...(await Promise.all(
        contacts.slice(at, at + DETAILS_AT_ONCE).map(async (contact) => ({
          ...toContact(contact),
          properties: hasProperties ? await readProperties(api, contact.id) : {},
          topics: topics.length > 0 ? await readChoices(api, contact.id) : [],
        })),
      )),
    );
  return found;
}

async function readProperties(api: VendorApi, id: string): Promise<Record<string, unknown>> {
  const path = `/contacts/${encodeURIComponent(id)}`;
  const contact = await api.find(detailsShape, path);
  return Object.fromEntries(
    Object.entries(contact?.properties ?? {}).map(([name, each]) => [
      name,
      typeof each === 'object' && each !== null ? each.value : each,
    ]),
  );
}

async function readChoices(api: VendorApi, id: string) {
  const choices: { id: string; subscribed: boolean }[] = [];
  const path = `/contacts/${encodeURIComponent(id)}/topics`;
  for await (const topic of readAll(api, path, choiceShape))
    choices.push({ id: topic.id, subscribed: topic.subscription === 'opt_in' });
  return choices;
}

function toContact(contact: Contact): ImportedContact {
  return {
    email: contact.email,
    firstName: contact.first_name,
    lastName: contact.last_name,
    status: contact.unsubscribed ? 'unsubscribed' : 'subscribed',
  };
}

/** Our `opt_out` is Resend's `opt_in`: everyone gets emails of the topic until they unsubscribe from it. */
function toTopic({ id, name, description, default_subscription }: Topic) {
  const defaultSubscription = default_subscription === 'opt_in' ? ('opt_out' as const) : ('opt_in' as const);
  return { id, name, description: description ?? null, defaultSubscription };
}

function toTemplate({ name, alias, subject, html, text, variables }: z.output<typeof templateShape>) {
  const given = (variables ?? []).filter(({ fallback_value }) => (fallback_value ?? null) !== null);
  const fallbacks = new Map(given.map(({ key, fallback_value }) => [key, String(fallback_value)]));
  return {
    name,
    alias,
    subject: fromTemplateTags(subject ?? null, fallbacks),
    html: fromTemplateTags(html ?? null, fallbacks),
    text: fromTemplateTags(text ?? null, fallbacks),
  };
}

/**
 * Reads a Mailgun account: domains, suppressions and templates of each domain, and mailing lists with their members.
 */
import { z } from 'zod';
import { readEntries, readPages, splitName, type Checkpoints, type Item, type Reader } from './items.ts';
import type { VendorApi } from './vendor-api.ts';

const PAGE = 100;
/** The largest page of suppressions that Mailgun returns. */
const SUPPRESSIONS_PAGE = 1_000;

const namedShape = z.object({ name: z.string() });
const listShape = z.object({ address: z.string(), name: z.string().nullish() });
const memberShape = listShape.extend({
  vars: z.record(z.string(), z.unknown()).nullish(),
  subscribed: z.boolean(),
});
const suppressedShape = z.object({ address: z.string(), tags: z.array(z.string()).nullish() });
const templateShape = z.object({
  template: z.object({
    version: z
      .object({ template: z.string().nullish(), headers: z.record(z.string(), z.unknown()).nullish() })
      .nullish(),
  }),
});

export function createMailgunReader(api: VendorApi): Reader {
  return { vendor: 'Mailgun', read: (checkpoints) => readAccount(api, checkpoints) };
}

async function* readAccount(api: VendorApi, checkpoints: Checkpoints): AsyncGenerator<Item> {
  const domains = await readDomains(api);
  for (const name of domains) yield { kind: 'domain', name };
  for (const domain of domains) {
    yield* readTemplates(api, domain);
    yield* readSuppressions(api, domain, 'bounces', checkpoints, ({ address }) => [
      { kind: 'suppression', email: address, reason: 'HARD_BOUNCE' },
    ]);
    yield* readSuppressions(api, domain, 'complaints', checkpoints, ({ address }) => [
      { kind: 'suppression', email: address, reason: 'COMPLAINT' },
    ]);
    yield* readSuppressions(api, domain, 'unsubscribes', checkpoints, ({ address, tags }) => [
      !tags || tags.length === 0 || tags.includes('*')
        ? { kind: 'suppression', email: address, reason: 'MANUAL' }
        : {
            kind: 'skipped',
            what: 'unsubscribes from single tags: Posthorn suppresses addresses for all email',
          },
    ]);
  }
  const lists: z.output<typeof listShape>[] = [];
  for await (const list of readAll(api, '/v3/lists/pages', listShape)) lists.push(list);
  for (const list of lists) yield* readMembers(api, list, checkpoints);
}

async function readDomains(api: VendorApi): Promise<string[]> {
  const names: string[] = [];
  for (;;) {
    const { items } = await api.get(pageOf(namedShape), '/v4/domains', {
      limit: PAGE,
      skip: names.length,
    });
    if (!items || items.length === 0) break;
    names.push(...items.map(({ name }) => name));
  }
  // Mailgun's own test domain cannot be moved.
  return names.filter((name) => !/^sandbox[0-9a-f]+\.mailgun\.org$/.test(name));
}

function readSuppressions(
  api: VendorApi,
  domain: string,
  list: 'bounces' | 'complaints' | 'unsubscribes',
  checkpoints: Checkpoints,
  toItems: (entry: z.output<typeof suppressedShape>) => Item[],
): AsyncGenerator<Item> {
  const first = `/v3/${domain}/${list}?limit=${SUPPRESSIONS_PAGE}`;
  const readNext = (cursor = first) => readPage(api, cursor, suppressedShape);
  return readPages(`${list} of ${domain}`, checkpoints, readNext, toItems);
}

async function* readMembers(
  api: VendorApi,
  list: z.output<typeof listShape>,
  checkpoints: Checkpoints,
): AsyncGenerator<Item> {
  const { address } = list;
  yield { kind: 'list', list: { id: address, name: list.name || address, doubleOptIn: false } };
  const first = `/v3/lists/${encodeURIComponent(address)}/members/pages?limit=${PAGE}`;
  yield* readPages(
    `members of ${address}`,
    checkpoints,
    (cursor = first) => readPage(api, cursor, memberShape),
    ({ address: email, name, vars, subscribed }) => [
      {
        kind: 'contact',
        listId: address,
        contact: {
          email,
          ...splitName(name),
          properties: vars ?? {},
          status: subscribed ? 'subscribed' : 'unsubscribed',
        },
      },
    ],
  );
}

async function* readTemplates(api: VendorApi, domain: string): AsyncGenerator<Item> {
  for await (const { name } of readAll(api, `/v3/${domain}/templates`, namedShape)) {
    const path = `/v3/${domain}/templates/${encodeURIComponent(name)}`;
    const found = await api.find(templateShape, path, { active: 'yes' });
    const { template: html, headers } = found?.template.version ?? {};
    const subject = typeof headers?.Subject === 'string' ? headers.Subject : null;
    if (html) yield { kind: 'template', template: { name, subject, html, text: null } };
    else yield { kind: 'skipped', what: 'templates without an active version' };
  }
}

function pageOf<Shape extends z.ZodType>(shape: Shape) {
  return z.object({
    items: z.array(shape).nullish(),
    paging: z.object({ next: z.string().nullish() }).nullish(),
  });
}

function readAll<Shape extends z.ZodType>(
  api: VendorApi,
  path: string,
  shape: Shape,
): AsyncGenerator<z.output<Shape>> {
  return readEntries((cursor = `${path}?limit=${PAGE}`) => readPage(api, cursor, shape));
}

/**
 * An empty page is the last one. Only path and query of the next page's URL are used, so that the key is sent only to
 * the configured host.
 */
async function readPage<Shape extends z.ZodType>(
  api: VendorApi,
  path: string,
  shape: Shape,
): Promise<{ entries: z.output<Shape>[]; next: string | null }> {
  const page = await api.find(pageOf(shape), path);
  const entries = page?.items ?? [];
  const next = page?.paging?.next ?? '';
  if (entries.length === 0 || !URL.canParse(next)) return { entries, next: null };
  const { pathname, search } = new URL(next);
  return { entries, next: `${pathname}${search}` };
}

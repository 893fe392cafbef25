/**
 * Reads a Mailchimp account through its API. Audiences become contact books; tags and the interests of groups become
 * segments. The API does not return the content of templates.
 */
import { z } from 'zod';
import { AppError } from '../../platform/errors.ts';
import { readPages, type Checkpoints, type ImportedContact, type Item, type Reader } from './items.ts';
import type { VendorApi } from './vendor-api.ts';

const PAGE = 500;
const MEMBER_FIELDS = [
  'email_address',
  'status',
  'unsubscribe_reason',
  'merge_fields',
  'interests',
  'tags',
  'language',
  'timestamp_signup',
  'ip_signup',
  'timestamp_opt',
  'ip_opt',
];
/** Sorts by the time of signing up, so that new members come last. */
const MEMBERS_QUERY = {
  fields: MEMBER_FIELDS.map((field) => `members.${field}`).join(','),
  sort_field: 'timestamp_signup',
  sort_dir: 'ASC',
};

const audienceShape = z.object({ id: z.string(), name: z.string(), double_optin: z.boolean().nullish() });
const memberShape = z.object({
  email_address: z.string(),
  status: z.string(),
  unsubscribe_reason: z.string().nullish(),
  merge_fields: z.record(z.string(), z.unknown()).nullish(),
  interests: z.record(z.string(), z.boolean()).nullish(),
  tags: z.array(z.object({ name: z.string() })).nullish(),
  language: z.string().nullish(),
  timestamp_signup: z.string().nullish(),
  ip_signup: z.string().nullish(),
  timestamp_opt: z.string().nullish(),
  ip_opt: z.string().nullish(),
});
const domainsShape = z.object({ domains: z.array(z.object({ domain: z.string() })).nullish() });
const categoryShape = z.object({ id: z.string(), title: z.string() });
const interestShape = z.object({ id: z.string(), name: z.string() });

type Member = z.output<typeof memberShape>;

/** The key ends with the data center: `…-us21`. */
export function mailchimpUrl(key: string): string {
  const center = /-([a-z]{2,4}\d{1,4})$/.exec(key)?.[1];
  if (center === undefined)
    throw new AppError('BAD_REQUEST', 'A Mailchimp key ends with its data center, such as -us21.');
  return `https://${center}.api.mailchimp.com/3.0`;
}

export function createMailchimpReader(api: VendorApi): Reader {
  return { vendor: 'Mailchimp', read: (checkpoints) => readAccount(api, checkpoints) };
}

async function* readAccount(api: VendorApi, checkpoints: Checkpoints): AsyncGenerator<Item> {
  const audiences = await readAll(api, '/lists', 'lists', audienceShape);
  const verified = await api.find(domainsShape, '/verified-domains');
  for (const { domain } of verified?.domains ?? []) yield { kind: 'domain', name: domain };
  for (const { id, name, double_optin } of audiences) {
    const path = `/lists/${encodeURIComponent(id)}/members`;
    const pending = await readPage(api, path, 'members', memberShape, 0, { status: 'pending', count: 1 });
    yield { kind: 'list', list: { id, name, doubleOptIn: double_optin === true || pending.length > 0 } };
    const interests = await readInterests(api, id);
    yield* readPages(
      `members of ${id}`,
      checkpoints,
      async (cursor = '0') => {
        const offset = Number(cursor);
        const entries = await readPage(api, path, 'members', memberShape, offset, MEMBERS_QUERY);
        return { entries, next: entries.length === 0 ? null : String(offset + entries.length) };
      },
      (member) => [{ kind: 'contact', listId: id, contact: toContact(member, interests) }],
    );
  }
  yield { kind: 'skipped', what: "templates: Mailchimp's API does not return their content" };
}

/** Returns the names of interests with the names of their groups, by ID. */
async function readInterests(api: VendorApi, listId: string): Promise<Map<string, string>> {
  const names = new Map<string, string>();
  const path = `/lists/${encodeURIComponent(listId)}/interest-categories`;
  for (const { id, title } of await readAll(api, path, 'categories', categoryShape)) {
    const interests = await readAll(
      api,
      `${path}/${encodeURIComponent(id)}/interests`,
      'interests',
      interestShape,
    );
    for (const interest of interests) names.set(interest.id, `${title}: ${interest.name}`);
  }
  return names;
}

async function readAll<Shape extends z.ZodType>(
  api: VendorApi,
  path: string,
  field: string,
  shape: Shape,
): Promise<z.output<Shape>[]> {
  const all: z.output<Shape>[] = [];
  for (;;) {
    const entries = await readPage(api, path, field, shape, all.length);
    if (entries.length === 0) return all;
    all.push(...entries);
  }
}

async function readPage<Shape extends z.ZodType>(
  api: VendorApi,
  path: string,
  field: string,
  shape: Shape,
  offset: number,
  query: Record<string, string | number> = {},
): Promise<z.output<Shape>[]> {
  const answerShape = z.object({ [field]: z.array(shape) });
  return (await api.get(answerShape, path, { count: PAGE, offset, ...query }))[field]!;
}

function toContact(member: Member, interests: Map<string, string>): ImportedContact {
  const { FNAME: firstName, LNAME: lastName, ...fields } = member.merge_fields ?? {};
  const chosen = Object.entries(member.interests ?? {}).filter(([, isChosen]) => isChosen);
  return {
    email: member.email_address,
    firstName: typeof firstName === 'string' && firstName !== '' ? firstName : null,
    lastName: typeof lastName === 'string' && lastName !== '' ? lastName : null,
    ...toStatus(member.status, member.unsubscribe_reason),
    properties: {
      ...fields,
      // The record of the consent, under the column names of Mailchimp's exports.
      OPTIN_TIME: member.timestamp_signup,
      OPTIN_IP: member.ip_signup,
      CONFIRM_TIME: member.timestamp_opt,
      CONFIRM_IP: member.ip_opt,
      language: member.language,
    },
    segments: [
      ...(member.tags ?? []).map(({ name }) => name),
      ...chosen.flatMap(([id]) => interests.get(id) ?? []),
    ],
  };
}

/** Transactional contacts have bought something but have not agreed to receive campaigns. */
export function toStatus(status: string, reason?: string | null): Pick<ImportedContact, 'status' | 'reason'> {
  switch (status) {
    case 'subscribed':
    case 'pending':
    case 'cleaned':
      return { status };
    case 'unsubscribed':
      return { status, reason };
    case 'transactional':
    case 'nonsubscribed':
      return { status: 'unsubscribed', reason: 'NEVER_SUBSCRIBED' };
    default:
      return { status: 'unsubscribed', reason: status.toUpperCase() };
  }
}

/**
 * An instance with some of everything, for the test that upgrades the data of the last release. `fillInstance` uses only
 * requests that every version has. `readInstance` returns what an upgrade must not change.
 */
import type { Call } from '../../src/testing/test-server.ts';

/** The key of the instance. Its data is public. */
export const SAMPLE_KEY = 'upgrade-sample-'.padEnd(40, 'x');

const DOMAIN = 'harbour.test';
const html = '<p>Dear {{firstName}}, the harbour is open.</p>';

export async function fillInstance(call: Call): Promise<void> {
  const make = async (path: string, input: unknown, method = 'POST') => {
    const { status, body } = await call(method, path, input);
    if (status !== 200) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(body)}`);
    return body;
  };
  const domain = await make('/domains', { name: DOMAIN });
  await make(`/domains/${domain.id}/verify`, undefined, 'PUT');
  await until(async () => (await call('GET', `/domains/${domain.id}`)).body.status === 'SUCCESS');
  const book = await make('/contactBooks', { name: 'Readers', variables: ['city'] });
  const people = Array.from({ length: 25 }, (_, no) => ({
    email: `reader${no}@example.org`,
    firstName: `Reader ${no}`,
    subscribed: no % 5 !== 0,
    properties: { city: no % 2 === 0 ? 'Oslo' : 'Ghent' },
  }));
  await make(`/contactBooks/${book.id}/contacts/bulk`, people);
  await make('/topics', { name: 'Weekly news' });
  await make('/templates', { name: 'Welcome', subject: 'Welcome', html });
  await make('/suppressions', { email: 'gone@example.org' });
  await make('/webhooks', { url: 'https://hooks.example/one', events: ['email.bounced'] });
  await make('/forms', { name: 'Join us', contactBookId: book.id });
  const filter = { all: [{ field: 'properties.city', op: 'equals', value: 'Oslo' }] };
  await make('/segments', { name: 'In Oslo', contactBookId: book.id, filter });
  const from = `hello@${DOMAIN}`;
  await make('/emails', {
    from,
    to: ['ada@example.org', 'grace@example.org'],
    subject: 'Hello',
    html,
    tags: [],
  });
  const scheduledAt = '2099-01-01T09:00:00Z';
  await make('/emails', { from, to: 'later@example.org', subject: 'Later', text: 'Later', scheduledAt });
  const campaign = { name: 'Spring', subject: 'Spring', from, html, contactBookId: book.id };
  await make('/campaigns', { ...campaign, name: 'Draft' });
  const sent = await make('/campaigns', campaign);
  await make(`/campaigns/${sent.id}/schedule`, {});
  const mailbox = await make('/mailboxes', { address: `ada@${DOMAIN}`, name: 'Ada' });
  const message = { to: ['keeper@example.org'], subject: 'The lighthouse', text: 'Is it on?' };
  await make(`/mailboxes/${mailbox.id}/messages`, { ...message, undoSeconds: 0 });
  await make(`/mailboxes/${mailbox.id}/drafts`, { ...message, subject: 'A draft' });
  await until(async () => (await call('GET', `/campaigns/${sent.id}`)).body.status === 'SENT');
  await until(async () => {
    const { items } = (await call('GET', '/emails?limit=100')).body as { items: { status: string }[] };
    const waiting = items.filter(({ status }) => status !== 'DELIVERED');
    return items.length > 20 && waiting.length === 1;
  });
}

/** The lists of the API by their paths, with the fields that identify and describe each item. */
export async function readInstance(call: Call): Promise<Record<string, unknown[]>> {
  const found: Record<string, unknown[]> = {};
  const list = async (path: string) => {
    const { status, body } = await call('GET', path);
    if (status !== 200) throw new Error(`GET ${path}: ${status} ${JSON.stringify(body)}`);
    const items = (Array.isArray(body) ? body : (body.items ?? body.data ?? body.campaigns)) as Record<
      string,
      unknown
    >[];
    found[path] = items
      .map(describe)
      .toSorted((one, other) => JSON.stringify(one).localeCompare(JSON.stringify(other)));
    return items;
  };
  for (const path of [
    '/domains',
    '/topics',
    '/templates',
    '/suppressions',
    '/webhooks',
    '/forms',
    '/segments',
  ])
    await list(path);
  for (const { id } of await list('/contactBooks'))
    await list(`/contactBooks/${String(id)}/contacts?limit=100`);
  for (const { id } of await list('/emails?limit=100'))
    found[`/emails/${String(id)}`] = [await bodyOf(String(id))];
  for (const { id } of await list('/campaigns')) {
    const { body } = await call('GET', `/campaigns/${String(id)}/recipients?limit=100`);
    found[`/campaigns/${String(id)}/recipients`] = (body.items as Record<string, unknown>[])
      .map(({ email, status }) => `${String(email)} ${String(status)}`)
      .toSorted();
  }
  for (const { id } of await list('/mailboxes'))
    for (const folder of ['inbox', 'sent', 'drafts'])
      await list(`/mailboxes/${String(id)}/threads?folder=${folder}`);

  async function bodyOf(id: string): Promise<unknown> {
    const { body } = await call('GET', `/emails/${id}`);
    const { subject, to, html: content, status, scheduledAt } = body;
    // Links begin with the address of the instance, which has another port each time.
    return {
      subject,
      to,
      content: (content as string | null)?.replaceAll(/127\.0\.0\.1:\d+/g, 'here') ?? null,
      status,
      scheduledAt,
    };
  }
  return found;
}

const DESCRIBING = [
  'id',
  'name',
  'address',
  'email',
  'subject',
  'status',
  'subscribed',
  'firstName',
  'properties',
];

function describe(item: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(DESCRIBING.filter((name) => name in item).map((name) => [name, item[name]]));
}

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  const endsAt = Date.now() + 120_000;
  while (!(await isTrue())) {
    if (Date.now() > endsAt) throw new Error('The instance does not finish its work.');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

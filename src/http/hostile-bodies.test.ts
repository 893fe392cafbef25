/** Tests that bodies that are expensive to process get a short error response and do not block other requests. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addDomain } from '../testing/factories.ts';
import { startTestServer, type TestServer, type TestTeam } from '../testing/test-server.ts';

/** On an idle computer it takes a tenth of a second. The bugs that this test guards against took half a minute. */
const HELD_UP_MS = 5_000;
const MAX_ANSWER_BYTES = 20_000;

let server: TestServer;
let team: TestTeam;
let bookId: string;
let mailboxId: string;

beforeAll(async () => {
  server = await startTestServer();
  team = await server.createTeam();
  await addDomain(server.db, team.teamId, 'shop.test');
  bookId = (await team.call('POST', '/contactBooks', { name: 'Book' })).body.id;
  mailboxId = (await team.call('POST', '/mailboxes', { address: 'box@shop.test', name: 'Box' })).body.id;
});
afterAll(() => server.close());

const email = { from: 'a@shop.test', to: 'ada@example.org', subject: 'x', text: 'x' };
const campaign = { name: 'x', from: 'a@shop.test', subject: 'x', contactBookId: 'cbk_x' };
const many = <Item>(count: number, item: Item): Item[] => Array.from({ length: count }, () => item);
const zeros = (count: number) => `[${'0,'.repeat(count)}0]`;
const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
const badEntries = (count: number) =>
  `{${Array.from({ length: count }, (_, at) => `"k${at}":[]`).join(',')}}`;
/** Returns a body whose field has this JSON as its value. */
const withField = (body: object, name: string, json: string) =>
  `${JSON.stringify({ ...body, [name]: undefined }).slice(0, -1)},${JSON.stringify(name)}:${json}}`;
const spaces = `${' '.repeat(4_000)}x`;
const longKey = 'k'.repeat(500_000);

const BODIES: [string, string, () => string][] = [
  ['5 million numbers for addresses', '/emails', () => withField(email, 'to', zeros(5_000_000))],
  ['40,000 numbers for addresses', '/emails', () => withField(email, 'cc', zeros(40_000))],
  ['blanks in a sender', '/emails', () => JSON.stringify({ ...email, from: spaces })],
  ['blanks in an address', '/emails', () => JSON.stringify({ ...email, to: [spaces], replyTo: spaces })],
  ['150,000 bad variables', '/emails', () => withField(email, 'variables', badEntries(150_000))],
  ['90,000 bad headers', '/emails', () => withField(email, 'headers', badEntries(90_000))],
  ['2 MB of brackets', '/emails', () => withField(email, 'attachments', deep(1_000_000))],
  ['a list of 2 MB of brackets', '/emails/batch', () => deep(1_000_000)],
  ['5 million numbers as a batch', '/emails/batch', () => zeros(5_000_000)],
  [
    '150,000 bad entries in an item of a batch',
    '/emails/batch',
    () => `[${withField(email, 'variables', badEntries(150_000))}]`,
  ],
  [
    '100 emails with 200 bad addresses each',
    '/emails/batch',
    () =>
      JSON.stringify(
        many(100, {
          ...email,
          to: many(50, 0),
          cc: many(50, ''),
          bcc: many(50, 'x'),
          replyTo: many(50, 'y'),
        }),
      ),
  ],
  [
    '10,000 rows that are all wrong',
    '/contactBooks/BOOK/contacts/bulk',
    () => JSON.stringify(many(10_000, { email: 0, firstName: 0, lastName: 0, subscribed: 0, properties: 0 })),
  ],
  [
    '150,000 bad properties of one row',
    '/contactBooks/BOOK/contacts/bulk',
    () => `[${withField({ email: 'a@b.test' }, 'properties', badEntries(150_000))}]`,
  ],
  ['a batch that breaks off', '/contactBooks/BOOK/contacts/bulk', () => `[${'{},'.repeat(400_000)}`],
  [
    'a property with a very long name',
    '/contactBooks/BOOK/contacts',
    () => JSON.stringify({ email: 'a@b.test', properties: { [longKey]: 1 } }),
  ],
  [
    'blanks in the sender of confirmations',
    '/contactBooks',
    () => JSON.stringify({ name: 'x', doubleOptInFrom: spaces.slice(0, 500) }),
  ],
  [
    '100,000 bad variables of a book',
    '/contactBooks',
    () => withField({ name: 'x' }, 'variables', zeros(90_000)),
  ],
  [
    'deep properties of a book',
    '/contactBooks',
    () => withField({ name: 'x' }, 'properties', `{"a":${deep(200)}}`),
  ],
  [
    'a deep document',
    '/contactBooks',
    () => JSON.stringify({ name: 'x', doubleOptInContent: `{"type":"doc","content":${deep(200_000)}}` }),
  ],
  [
    'a segment of 90,000 numbers',
    '/segments',
    () => withField({ name: 'x', contactBookId: bookId }, 'filter', `{"all":${zeros(90_000)}}`),
  ],
  [
    'a segment of very long names',
    '/segments',
    () =>
      JSON.stringify({
        name: 'x',
        contactBookId: bookId,
        filter: {
          all: many(90, { field: `properties.${'p'.repeat(200)}`, op: 'q'.repeat(15_000), value: 1 }),
        },
      }),
  ],
  [
    'a deep segment',
    '/segments',
    () =>
      withField(
        { name: 'x', contactBookId: bookId },
        'filter',
        `${'{"all":['.repeat(120)}${']}'.repeat(120)}`,
      ),
  ],
  ['90,000 books of a campaign', '/campaigns', () => withField(campaign, 'contactBookIds', zeros(90_000))],
  ['90,000 addresses of a message', '/mailboxes/BOX/messages', () => withField(email, 'to', zeros(90_000))],
  [
    '90,000 events of a webhook',
    '/webhooks',
    () => withField({ url: 'https://a.test' }, 'events', zeros(90_000)),
  ],
  [
    '350,000 merge tags of a campaign',
    '/campaigns',
    () => JSON.stringify({ ...campaign, html: '{{a}}'.repeat(350_000) }),
  ],
  [
    '60,000 links of a campaign',
    '/campaigns',
    () => JSON.stringify({ ...campaign, html: '<a href=https://a.test/>'.repeat(60_000) }),
  ],
  [
    '90,000 merge tags of a template',
    '/templates',
    () => JSON.stringify({ name: 'x', html: '{{a}}'.repeat(90_000) }),
  ],
  [
    'a document of 100,000 nodes',
    '/templates',
    () => JSON.stringify({ name: 'x', content: `{"type":"doc","content":[${'{},'.repeat(100_000)}{}]}` }),
  ],
  [
    '24 MB of HTML with 700,000 links',
    '/emails',
    () => JSON.stringify({ ...email, html: '<a href="https://a.test/">link</a> '.repeat(700_000) }),
  ],
  [
    '4 MB of HTML with 120,000 links',
    '/emails',
    () => JSON.stringify({ ...email, html: '<a href="https://a.test/">link</a> '.repeat(120_000) }),
  ],
  ['20 MB of text', '/emails', () => JSON.stringify({ ...email, text: 'Hello world.\n'.repeat(1_600_000) })],
  [
    '20 MB of text from a mailbox',
    '/mailboxes/BOX/messages',
    () => JSON.stringify({ to: [email.to], subject: 'x', text: 'Hello world.\n'.repeat(1_600_000) }),
  ],
];

/** Sends the body, and makes other requests until the response arrives. Returns the longest duration of these. */
async function sendMeanwhile(path: string, body: unknown) {
  const sending = fetch(`${server.url}/api/v1${path.replace('BOOK', bookId).replace('BOX', mailboxId)}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${team.key}`, 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  let isAnswered = false;
  void sending.finally(() => (isAnswered = true));
  let longestMs = 0;
  while (!isAnswered) {
    const askedAt = performance.now();
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    longestMs = Math.max(longestMs, performance.now() - askedAt);
  }
  const answer = await sending;
  return { status: answer.status, text: await answer.text(), longestMs };
}

test.each(BODIES)('%s is rejected without blocking others', async (_name, path, body) => {
  const { status, text, longestMs } = await sendMeanwhile(path, body());
  const { error } = JSON.parse(text);
  expect([status, error.code]).toEqual([400, 'BAD_REQUEST']);
  expect(Buffer.byteLength(text)).toBeLessThan(MAX_ANSWER_BYTES);
  expect((error.issues ?? []).length).toBeLessThanOrEqual(50);
  expect(longestMs).toBeLessThan(HELD_UP_MS);
});

test('the largest allowed email does not block other requests', async () => {
  const html = `${'<a href="https://a.test/x">link</a>'.repeat(5_000)}${'<b>&lt;</b>'.repeat(400_000)}`;
  const { status, longestMs } = await sendMeanwhile('/emails', {
    ...email,
    html,
    text: '.\r\n'.repeat(1_600_000),
    tracking: { opens: true, clicks: true },
    attachments: [{ filename: 'a.bin', content: Buffer.alloc(12_000_000, 7).toString('base64') }],
  });
  expect(status).toBe(200);
  expect(longestMs).toBeLessThan(HELD_UP_MS);
});

test('the largest allowed bulk of contacts does not block other requests', async () => {
  const properties = Object.fromEntries(
    Array.from({ length: 40 }, (_, at) => [`property${at}`, 'some value']),
  );
  const rows = Array.from({ length: 10_000 }, (_, at) => ({ email: `ada${at}@example.org`, properties }));
  const { status, longestMs } = await sendMeanwhile(`/contactBooks/${bookId}/contacts/bulk`, rows);
  expect(status).toBe(200);
  expect(longestMs).toBeLessThan(HELD_UP_MS);
});

import { sql } from 'kysely';
import PostalMime from 'postal-mime';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  addBook,
  closeCampaignWorld,
  create,
  get,
  letterTo,
  makePeople,
  openCampaignWorld,
  server,
  sink,
  start,
  team,
  untilStatus,
  visit,
} from '../../../testing/fixtures/campaign-world.ts';
import { addVerifiedDomain } from '../../../testing/fixtures/relay-world.ts';

beforeAll(openCampaignWorld);
afterAll(closeCampaignWorld);
beforeEach(() => sink.reset());

const VARIANTS = [
  { subject: 'Variant A' },
  { subject: 'Variant B', from: 'Bee <bee@news.test>', previewText: 'Seen in B', html: '<p>Body of B</p>' },
];
const TRACKED = { tracking: { opens: true, clicks: true }, html: '<a href="https://shop.example/">Shop</a>' };

interface LedgerRow {
  email: string;
  variant: number | null;
  state: string;
}

async function ledgerOf(id: string): Promise<LedgerRow[]> {
  return (await team.call('GET', `/campaigns/${id}/recipients?limit=100`)).body.items;
}

async function untilTested(id: string): Promise<void> {
  await expect.poll(async () => (await get(id)).testSentAt).not.toBeNull();
}

/** Moves the end of the test this many minutes closer. */
async function passTime(minutes: number): Promise<void> {
  await sql`update campaigns set test_sent_at = test_sent_at - make_interval(mins => ${minutes})
    where test_sent_at is not null`.execute(server.db);
}

async function subjectsByRecipient(): Promise<Record<string, string>> {
  const entries = sink.messages.map(async ({ recipients, data }) => [
    recipients[0]!,
    (await PostalMime.parse(data)).subject ?? '',
  ]);
  return Object.fromEntries(await Promise.all(entries));
}

async function openMail(email: string): Promise<void> {
  await visit((await letterTo(email)).pixel);
}

test('analytics count an email as tracked if the domain of its variant tracks opens', async () => {
  const { id: domainId } = await addVerifiedDomain(server, team, 'tracking.test');
  await team.call('PATCH', `/domains/${domainId}`, { openTracking: true });
  const id = await create(await addBook(makePeople(4)), {
    variants: [{ subject: 'Variant A' }, { subject: 'Variant B', from: 'bee@tracking.test' }],
    testPercent: 100,
    decideBy: 'person',
  });
  await start(id);
  await untilStatus(id, 'SENT');
  const { body } = await team.call('GET', `/analytics/email-time-series?campaignId=${id}&days=7`);
  expect([body.totalCounts.delivered, body.tracked.opens.emails]).toEqual([4, 2]);
});

test('the test goes to its share, and the rest get the variant that more people opened', async () => {
  const book = await addBook(makePeople(20));
  const id = await create(book, {
    ...TRACKED,
    variants: [{ subject: 'Variant A' }, { subject: 'Variant B' }],
    testPercent: 50,
    decideBy: 'opens',
    decideAfterMinutes: 60,
  });
  await start(id);
  await untilTested(id);
  expect(sink.messages).toHaveLength(10);
  const ledger = await ledgerOf(id);
  const ofVariant = (variant: number | null) => ledger.filter((row) => row.variant === variant);
  expect([ofVariant(0).length, ofVariant(1).length, ofVariant(null).length]).toEqual([5, 5, 10]);
  const subjects = await subjectsByRecipient();
  for (const { email } of ofVariant(0)) expect(subjects[email]).toBe('Variant A');
  for (const { email } of ofVariant(1)) expect(subjects[email]).toBe('Variant B');
  expect(await get(id)).toMatchObject({ status: 'RUNNING', total: 20, sent: 10, winner: null });

  await openMail(ofVariant(1)[0]!.email);
  await openMail(ofVariant(1)[1]!.email);
  await openMail(ofVariant(0)[0]!.email);
  const results = () => team.call('GET', `/campaigns/${id}/variants`);
  await expect
    .poll(async () => (await results()).body.variants.map(({ opened }: { opened: number }) => opened))
    .toEqual([1, 2]);
  expect((await results()).body).toMatchObject({
    variants: [
      { variant: 0, subject: 'Variant A', recipients: 5, sent: 5, delivered: 5 },
      { variant: 1, subject: 'Variant B', recipients: 5, sent: 5, delivered: 5 },
    ],
    winner: null,
    decideAt: expect.any(String),
  });
  await passTime(61);
  await untilStatus(id, 'SENT');
  expect(await get(id)).toMatchObject({ winner: 1, sent: 20, decidedAt: expect.any(String) });
  expect(sink.messages).toHaveLength(20);
  const all = await subjectsByRecipient();
  for (const { email } of ofVariant(null)) expect(all[email]).toBe('Variant B');
  expect((await ledgerOf(id)).filter(({ variant }) => variant === 1)).toHaveLength(15);
});

test('a variant may have its own sender, preview text and content, and a person may choose', async () => {
  const book = await addBook(makePeople(6));
  const id = await create(book, { variants: VARIANTS, testPercent: 30, decideBy: 'person' });
  expect((await team.call('POST', `/campaigns/${id}/winner`, { variant: 1 })).status).toBe(409);
  await start(id);
  await untilTested(id);
  await passTime(100_000);
  expect(sink.messages).toHaveLength(2);
  const mails = await Promise.all(sink.messages.map(({ data }) => PostalMime.parse(data)));
  const ofB = mails.find(({ subject }) => subject === 'Variant B')!;
  expect(ofB.from).toEqual({ name: 'Bee', address: 'bee@news.test' });
  expect(ofB.html).toContain('Body of B');
  expect(ofB.html).toContain('Seen in B');
  const { body: list } = await team.call('GET', '/emails?limit=2');
  const shown = await Promise.all(
    list.items.map(
      async ({ id: emailId }: { id: string }) => (await team.call('GET', `/emails/${emailId}`)).body,
    ),
  );
  expect(shown.find(({ subject }) => subject === 'Variant B')).toMatchObject({
    from: 'Bee <bee@news.test>',
    html: expect.stringContaining('Body of B'),
  });

  expect((await team.call('POST', `/campaigns/${id}/winner`, { variant: 2 })).status).toBe(400);
  expect((await team.call('POST', `/campaigns/${id}/winner`, {})).status).toBe(400);
  const stranger = await server.createTeam();
  expect((await stranger.call('POST', `/campaigns/${id}/winner`, { variant: 0 })).status).toBe(404);
  const answers = await Promise.all(
    [0, 1].map((variant) => team.call('POST', `/campaigns/${id}/winner`, { variant })),
  );
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  await untilStatus(id, 'SENT');
  expect(sink.messages).toHaveLength(6);
  expect((await get(id)).winner).toBe(answers[0]!.status === 200 ? 0 : 1);
});

test('a pause and a change of runners keep the variants, and nobody gets two emails', async () => {
  const book = await addBook(makePeople(40));
  const id = await create(book, {
    variants: [{ subject: 'A' }, { subject: 'B' }, { subject: 'C' }],
    testPercent: 50,
    decideAfterMinutes: 0,
    batchSize: 3,
  });
  await start(id);
  await expect.poll(() => sink.messages.length).toBeGreaterThan(3);
  await team.call('POST', `/campaigns/${id}/pause`);
  const before = await ledgerOf(id);
  expect((await team.call('PATCH', `/campaigns/${id}`, { subject: 'Other' })).status).toBe(409);
  await team.call('POST', `/campaigns/${id}/resume`);
  await untilStatus(id, 'SENT');
  const after = await ledgerOf(id);
  for (const [at, { email, variant }] of before.entries()) {
    if (variant !== null) expect(after[at]).toMatchObject({ email, variant });
  }
  expect(new Set(sink.messages.map(({ recipients }) => recipients[0])).size).toBe(40);
  expect(sink.messages).toHaveLength(40);
});

test('with 100 percent everyone is in the test', async () => {
  const book = await addBook(makePeople(5));
  const id = await create(book, { variants: VARIANTS, testPercent: 100, decideAfterMinutes: 1_000 });
  await start(id);
  await untilStatus(id, 'SENT');
  expect(sink.messages).toHaveLength(5);
  expect((await ledgerOf(id)).map(({ variant }) => variant)).toEqual([0, 1, 0, 1, 0]);
});

test('previews and test emails show the chosen variant', async () => {
  const book = await addBook(makePeople(1));
  const id = await create(book, { variants: VARIANTS });
  const preview = (body: object) => team.call('POST', `/campaigns/${id}/preview`, body);
  expect((await preview({})).body.subject).toBe('Variant A');
  expect((await preview({ variant: 1 })).body).toMatchObject({
    subject: 'Variant B',
    html: expect.stringContaining('Body of B'),
  });
  await team.call('POST', `/campaigns/${id}/test`, { to: 'me@example.org', variant: 1 });
  await expect.poll(() => sink.messages.length).toBe(1);
  expect((await PostalMime.parse(sink.messages[0]!.data)).subject).toBe('[Test] Variant B');
});

test.each([
  ['one variant', { variants: [{ subject: 'A' }] }],
  ['five variants', { variants: Array.from({ length: 5 }, () => ({ subject: 'A' })) }],
  ['a variant without anything of its own', { variants: [{ subject: 'A' }, {}] }],
  ['a variant with an empty subject', { variants: [{ subject: 'A' }, { subject: '  ' }] }],
  ['a sender of another domain', { variants: [{ subject: 'A' }, { from: 'x@elsewhere.example' }] }],
  ['testPercent 0', { variants: VARIANTS, testPercent: 0 }],
  ['testPercent 101', { variants: VARIANTS, testPercent: 101 }],
  ['an unknown way to decide', { variants: VARIANTS, decideBy: 'dice' }],
  ['a negative time', { variants: VARIANTS, decideAfterMinutes: -1 }],
  ['variants that are no list', { variants: 'AB' }],
])('%s is 400', async (_name, fields) => {
  const book = await addBook(makePeople(1));
  const campaign = { name: 'X', from: 'a@news.test', subject: 'X', contactBookId: book, html: '<p>x</p>' };
  expect((await team.call('POST', '/campaigns', { ...campaign, ...fields })).status).toBe(400);
});

test('variants can be changed until the start, checked for unknown tags, and removed', async () => {
  const book = await addBook(makePeople(2));
  const id = await create(book, { variants: VARIANTS, testPercent: 40, decideBy: 'clicks' });
  expect(await get(id)).toMatchObject({ testPercent: 40, decideBy: 'clicks', decideAfterMinutes: 240 });
  await team.call('PATCH', `/campaigns/${id}`, { variants: [{ subject: 'A' }, { subject: '{{nonsense}}' }] });
  expect((await team.call('POST', `/campaigns/${id}/schedule`, {})).status).toBe(400);
  const { body } = await team.call('PATCH', `/campaigns/${id}`, { variants: null, testPercent: null });
  expect(body).toMatchObject({ variants: null, testPercent: 20 });
  await start(id);
  await untilStatus(id, 'SENT');
  expect(sink.messages).toHaveLength(2);
});

test('a campaign whose variants all have content needs no content of its own', async () => {
  const book = await addBook(makePeople(2));
  const bodies = [{ html: '<p>One</p>' }, { html: '<p>Two</p>' }];
  const campaign = { name: 'X', from: 'a@news.test', subject: 'X', contactBookId: book };
  const { status, body } = await team.call('POST', '/campaigns', { ...campaign, variants: bodies });
  expect(status).toBe(200);
  expect((await team.call('PATCH', `/campaigns/${body.id}`, { variants: null })).status).toBe(400);
});

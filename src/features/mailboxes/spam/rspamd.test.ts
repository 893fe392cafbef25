import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { rawMail, startMailWorld, type MailWorld } from '../../../testing/mail-world.ts';
import { startRspamdServer, type RspamdServer } from '../../../testing/servers/rspamd-server.ts';

let rspamd: RspamdServer;
let world: MailWorld;

beforeAll(async () => {
  rspamd = await startRspamdServer();
  world = await startMailWorld({ env: { RSPAMD_URL: rspamd.url } });
});
afterAll(async () => {
  await world.close();
  await rspamd.close();
});
beforeEach(() => {
  rspamd.requests.length = 0;
});

const SPAM = {
  score: 9.134,
  required_score: 15,
  action: 'add header',
  symbols: {
    BAYES_SPAM: { name: 'BAYES_SPAM', score: 5.1, description: 'Message probably spam' },
    R_DKIM_NA: { name: 'R_DKIM_NA', score: 0 },
    VIOLATED: { score: 4.034 },
  },
};

function answerWith(body: unknown, status = 200): void {
  rspamd.answer = { status, body };
}

async function arrive(more: object = {}) {
  const box = await world.freshMailbox();
  await world.receive(box, more);
  const [thread] = [...(await world.threads(box.id)), ...(await world.threads(box.id, '?folder=spam'))];
  const { messages } = await world.thread(thread!.id);
  return { box, thread: thread!, message: messages[0]! as (typeof messages)[0] & { spam: unknown } };
}

test('each message is checked with its envelope, and the score and symbols are kept with it', async () => {
  answerWith({ ...SPAM, action: 'no action' });
  const { box, message, thread } = await arrive({ subject: 'Grüße' });
  expect([message.folder, thread.folder]).toEqual(['inbox', 'inbox']);
  expect(message.spam).toEqual({
    score: 9.13,
    reasons: ['Message probably spam (BAYES_SPAM, 5.1).', 'The filter has found VIOLATED (VIOLATED, 4.03).'],
    symbols: [
      { name: 'BAYES_SPAM', score: 5.1 },
      { name: 'R_DKIM_NA', score: 0 },
      { name: 'VIOLATED', score: 4.03 },
    ],
  });
  const [asked] = rspamd.requests;
  expect(asked).toMatchObject({
    path: '/checkv2',
    headers: {
      ip: '127.0.0.1',
      helo: 'mx.example.org',
      from: 'charles@example.org',
      rcpt: box.address,
      password: 'sesame',
    },
  });
  expect(asked!.body).toContain('Subject: Grüße');
  const { body } = await world.team.call('GET', `/messages/${message.id}`);
  expect(body.spam).toEqual(message.spam);
});

test.each([
  ['no action', 'inbox'],
  ['greylist', 'inbox'],
  ['soft reject', 'inbox'],
  ['add header', 'spam'],
  ['rewrite subject', 'spam'],
  ['reject', 'spam'],
])('the action %j leads to %s', async (action, folder) => {
  answerWith({ ...SPAM, action });
  expect((await arrive()).message.folder).toBe(folder);
});

test('a verdict without points has a reason too', async () => {
  answerWith({ score: 15, action: 'reject', symbols: { GTUBE: { name: 'GTUBE', score: 0 } } });
  const { message } = await arrive();
  expect(message.spam).toMatchObject({ score: 15, reasons: ['The filter says: reject.'] });
});

test('people teach it by moving messages in and out of spam', async () => {
  answerWith({ ...SPAM, action: 'no action' });
  const { message, thread } = await arrive({ text: 'Cheap engines' });
  rspamd.requests.length = 0;
  await world.team.call('PATCH', `/threads/${thread.id}`, { folder: 'spam' });
  await expect.poll(() => rspamd.requests.map(({ path }) => path)).toEqual(['/learnspam']);
  expect(rspamd.requests[0]!.body).toContain('Cheap engines');
  expect(rspamd.requests[0]!.headers.password).toBe('sesame');
  await world.team.call('PATCH', `/messages/${message.id}`, { folder: 'inbox' });
  await expect.poll(() => rspamd.requests.map(({ path }) => path)).toEqual(['/learnspam', '/learnham']);
});

test('it is taught a message that was read and kept, so that it knows as many of both kinds', async () => {
  answerWith({ ...SPAM, action: 'no action' });
  const { box, message } = await arrive({ text: 'The minutes of the meeting' });
  await world.team.call('PATCH', `/messages/${message.id}`, { read: true });
  for (const subject of ['Offer 1', 'Offer 2']) await world.receive(box, { subject, text: 'Cheap engines' });
  const offers = (await world.threads(box.id)).filter(({ subject }) => subject.startsWith('Offer'));
  rspamd.requests.length = 0;
  for (const { id } of offers) await world.team.call('PATCH', `/threads/${id}`, { folder: 'spam' });
  const taught = () => rspamd.requests.map(({ path }) => path).toSorted();
  await expect.poll(taught).toEqual(['/learnham', '/learnspam', '/learnspam']);
  const kept = rspamd.requests.find(({ path }) => path === '/learnham')!;
  expect(kept.body).toContain('The minutes of the meeting');
});

test('a rule about spam sees its verdict', async () => {
  answerWith(SPAM);
  const box = await world.freshMailbox();
  const { status } = await world.team.call('POST', `/mailboxes/${box.id}/rules`, {
    name: 'Spam to archive',
    match: 'all',
    conditions: [{ field: 'spam', op: 'is', value: true }],
    actions: [{ type: 'move', value: 'archive' }],
  });
  expect(status).toBe(200);
  await world.receive(box);
  await expect.poll(async () => (await world.folder(box.id, 'archive')).total).toBe(1);
});

test.each([
  ['a status', 500, 'oops'],
  ['something else', 200, 'not JSON'],
  ['an answer without a score', 200, {}],
])(
  'a failure with %s delivers, and the filter is asked again later',
  async (_what, status, body) => {
    answerWith(body, status);
    const { message } = await arrive();
    expect([message.folder, message.spam]).toEqual(['inbox', null]);
    answerWith({ ...SPAM, action: 'reject' });
    // After a failure it is left alone for some seconds.
    await expect
      .poll(async () => (await arrive()).message.folder, { timeout: 20_000, interval: 1_000 })
      .toBe('spam');
  },
  30_000,
);

test('bad input does not reach the headers', async () => {
  answerWith(SPAM);
  const box = await world.freshMailbox();
  const { data } = await world
    .write(box.address, rawMail(), 'a\tb@example.org')
    .catch(() => ({ data: null }));
  expect(data === null || /^[25]/.test(data)).toBe(true);
});

import { dkimVerify } from 'mailauth/lib/dkim/verify.js';
import PostalMime from 'postal-mime';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { rebuildCounts } from '../../activity/analytics/rebuild.ts';
import {
  addBook,
  untilStatus,
  closeCampaignWorld,
  create,
  makePeople,
  findContact,
  get,
  readLedger,
  openCampaignWorld,
  publicKey,
  recipients,
  server,
  sink,
  start,
  team,
} from '../../../testing/fixtures/campaign-world.ts';

beforeAll(openCampaignWorld);
afterAll(closeCampaignWorld);
beforeEach(() => sink.reset());

describe('a campaign', () => {
  test('reaches everyone once, with exact counts and a ledger', async () => {
    const book = await addBook([...makePeople(110), { email: 'no@example.org', subscribed: false }]);
    await team.call('POST', '/suppressions', { email: 'u7@example.org' });
    const id = await create(book, { batchSize: 50 });
    await start(id);
    await untilStatus(id, 'SENT');
    expect(recipients()).toEqual(
      makePeople(110)
        .map(({ email }) => email)
        .filter((email) => email !== 'u7@example.org')
        .toSorted(),
    );
    expect(await get(id)).toMatchObject({ total: 109, sent: 109, delivered: 109, bounced: 0 });
    const ledger = await readLedger(id);
    expect(Object.keys(ledger)).toHaveLength(100);
    expect(new Set(Object.values(ledger))).toEqual(new Set(['delivered']));
    const { body } = await team.call('GET', `/campaigns/${id}/recipients?limit=100`);
    const next = await team.call('GET', `/campaigns/${id}/recipients?cursor=${body.next_cursor}`);
    expect(next.body.items).toHaveLength(9);
    expect(next.body.items[0]).toMatchObject({ state: 'delivered', status: 'DELIVERED', reason: null });
    expect((await team.call('GET', `/campaigns/${id}/recipients?cursor=%00`)).status).toBe(400);
  });

  test('is personalised, signed and has one-click unsubscribe', async () => {
    const book = await addBook(
      [
        {
          email: 'ada@example.org',
          firstName: 'Ada <b>&',
          properties: { city: 'Zürich\r\nBcc: x@example.org', Points: 3 },
        },
      ],
      { variables: ['city'] },
    );
    const id = await create(book, {
      subject: 'Hi {{firstName}} from {{CITY}}',
      previewText: 'For {{firstName}}',
      html:
        '<html><head><style>p{color:#123456}</style></head><body><p>Dear {{firstName}} of {{city}}, {{points}} ' +
        '{{unknown,fallback=a&b}}</p><a href="https://shop.example/?a=1&amp;b=2">Shop</a></body></html>',
      tracking: { opens: true, clicks: true },
      replyTo: 'desk@news.test',
    });
    await start(id);
    await untilStatus(id, 'SENT');
    const [message] = sink.messages;
    const raw = message!.data;
    const mail = await PostalMime.parse(raw);
    expect(mail.subject).toBe('Hi Ada <b>& from Zürich Bcc: x@example.org');
    expect(mail.to).toEqual([{ address: 'ada@example.org', name: '' }]);
    expect(mail.replyTo![0]!.address).toBe('desk@news.test');
    expect(mail.headers.some(({ key }) => key === 'bcc')).toBe(false);
    expect(mail.html).toContain('Dear Ada &lt;b&gt;&amp; of Zürich');
    expect(mail.html).toContain('a&amp;b');
    expect(mail.html).toMatch(/<p style="color: ?#123456/);
    expect(mail.html).toContain('display:none');
    expect(mail.html).toMatch(/href="https:\/\/post\.example\/t\/c\/[\w-]+"/);
    expect(mail.html).toMatch(/src="https:\/\/post\.example\/t\/o\/[\w-]+"/);
    expect(mail.html).toMatch(/href="https:\/\/post\.example\/u\/[\w-]+"/);
    expect(mail.text).toContain('Dear Ada <b>& of Zürich');
    expect(mail.text).toContain(', 3 a&b');
    expect(mail.text).toContain('https://shop.example/?a=1&b=2');
    expect(mail.text).toMatch(/https:\/\/post\.example\/u\/[\w-]+/);
    const header = (name: string) => mail.headers.find(({ key }) => key === name)?.value;
    expect(header('list-unsubscribe')).toMatch(
      /^<https:\/\/post\.example\/u\/[\w-]+>, ?<mailto:u-[\w-]+@bounce\.news\.test\?subject=unsubscribe>$/,
    );
    expect(header('list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click');
    const { results } = await dkimVerify(raw, {
      resolver: async () => [[`v=DKIM1; k=rsa; p=${publicKey}`]],
    });
    expect(results[0]!.status.result).toBe('pass');
    expect(header('list-id')).toBe(`<${book}.news.test>`);
    expect(header('feedback-id')).toBe(`${id}:${team.teamId}:news.test:posthorn`);
    for (const name of ['list-unsubscribe-post', 'list-id', 'feedback-id'])
      expect(results[0]!.signingHeaders!.keys.toLowerCase()).toContain(name);
    for (const line of raw.toString('latin1').split('\r\n')) expect(line.length).toBeLessThanOrEqual(998);

    const { body: list } = await team.call('GET', '/emails?limit=1');
    const { body: email } = await team.call('GET', `/emails/${list.items[0].id}`);
    expect(email).toMatchObject({
      status: 'DELIVERED',
      to: ['ada@example.org'],
      subject: expect.stringContaining('Ada'),
    });
    expect(email.html).toContain('Dear Ada &lt;b&gt;&amp; of Zürich');
    expect(email.html).not.toContain('/t/c/');
    expect(mail.messageId).toBe(email.messageId);
    const found = await team.call('GET', '/emails?search=ada@example.org');
    expect(found.body.items[0].id).toBe(email.id);

    expect(list.items[0].subject).toBe(email.subject);
    const contacts = `/contactBooks/${book}/contacts`;
    const [{ id: contactId }] = (await team.call('GET', contacts)).body.items;
    const { body: activity } = await team.call('GET', `${contacts}/${contactId}/activity`);
    expect(activity.items[0].subject).toBe(email.subject);
    expect((await team.call('GET', '/emails/export?search=ada@example.org')).body).toContain(
      'Hi Ada <b>& from',
    );
    await team.call('DELETE', `${contacts}/${contactId}`);
    const [withoutContact] = (await team.call('GET', '/emails?limit=1')).body.items;
    expect(withoutContact).toMatchObject({ id: email.id, subject: 'Hi  from ' });
  });

  test('encodes each value for its context, in both spellings of a tag and in editor links', async () => {
    const book = await addBook([
      {
        email: 'ada@example.org',
        firstName: 'Ada & Co',
        properties: { url: 'javascript:alert(1)', site: 'https://a.example/?a=1&b=2' },
      },
    ]);
    const id = await create(book, {
      html: null,
      content: {
        type: 'doc',
        content: [
          { type: 'paragraph', content: [{ type: 'text', text: 'Hi {{contact.firstName}}' }] },
          { type: 'button', attrs: { text: 'Bad', url: '{{url}}' } },
          { type: 'button', attrs: { text: 'Good', url: '{{site}}' } },
          { type: 'button', attrs: { text: 'Query', url: 'https://a.example/?n={{firstName}}' } },
        ],
      },
    });
    await start(id);
    await untilStatus(id, 'SENT');
    const { html } = await PostalMime.parse(sink.messages[0]!.data);
    expect(html).toContain('Hi Ada &amp; Co');
    expect(html).toContain('href="https://a.example/?a=1&amp;b=2"');
    expect(html).toContain('href="https://a.example/?n=Ada%20%26%20Co"');
    expect(html).not.toContain('href="javascript');
  });

  test('is not scheduled with unknown merge tags', async () => {
    const book = await addBook([{ email: 'ada@example.org', properties: { Points: 3 } }], {
      variables: ['city'],
    });
    const schedule = async (html: string, scheduledAt?: string) => {
      const id = await create(book, { subject: 'Hi {{frstName}}', html });
      const refused = await team.call('POST', `/campaigns/${id}/schedule`, { scheduledAt });
      await team.call('PATCH', `/campaigns/${id}`, { subject: 'Hi {{firstName}}' });
      const second = await team.call('POST', `/campaigns/${id}/schedule`, {
        scheduledAt: '2099-01-01T00:00:00Z',
      });
      return { refused, second };
    };
    const good =
      '<p>{{contact.city}} {{points}} {{other,fallback=x}} {{email}} {{unsubscribeUrl}} {{preferencesUrl}} { {{ }} {{1}}</p>';
    const { refused, second } = await schedule(good);
    expect([refused.status, refused.body.error.code]).toEqual([400, 'BAD_REQUEST']);
    expect(refused.body.error.message).toContain('{{frstName}}.');
    expect(second.status).toBe(200);
    const bad = await schedule('<p>{{nobody}} {{contact.cty}}</p>');
    expect(bad.second.body.error.message).toContain('{{nobody}}, {{contact.cty}}.');
  });

  test('goes once to a contact in several books, and not to contacts in an excluded segment', async () => {
    const first = await addBook([{ email: 'ann@example.org' }, { email: 'both@example.org' }]);
    const second = await addBook([
      { email: 'BOTH@example.org' },
      { email: 'zoe@example.org', properties: { plan: 'free' } },
      { email: 'yes@example.org', properties: { plan: 'pro' } },
    ]);
    const { body: segment } = await team.call('POST', '/segments', {
      name: 'Free',
      contactBookId: second,
      filter: { all: [{ field: 'properties.plan', op: 'equals', value: 'free' }] },
    });
    const id = await create(first, { contactBookIds: [second], excludeSegmentIds: [segment.id] });
    await start(id);
    await untilStatus(id, 'SENT');
    expect(recipients()).toEqual(['ann@example.org', 'both@example.org', 'yes@example.org']);
    expect(await get(id)).toMatchObject({ total: 3, sent: 3 });
    const only = await create(second, { segmentId: segment.id });
    sink.reset();
    await start(only);
    await untilStatus(only, 'SENT');
    expect(recipients()).toEqual(['zoe@example.org']);
  });

  test('goes only to its topic, and skips contacts that leave the topic before sending', async () => {
    const { body: topic } = await team.call('POST', '/topics', { name: 'T', defaultSubscription: 'opt_out' });
    const book = await addBook([{ email: 'in@example.org' }, { email: 'out@example.org' }]);
    const out = await findContact(book, 'out@example.org');
    await team.call('PATCH', `/contactBooks/${book}/contacts/${out}/topics`, {
      topics: [{ id: topic.id, subscribed: false }],
    });
    const { body: topics } = await team.call('GET', `/contactBooks/${book}/contacts/${out}/topics`);
    expect(topics.items[0].subscribed).toBe(false);
    const id = await create(book, { topicId: topic.id });
    await start(id);
    await untilStatus(id, 'SENT');
    expect(recipients()).toEqual(['in@example.org']);
    expect(await get(id)).toMatchObject({ total: 1, sent: 1, topicId: topic.id });
  });

  test('starts at its time', async () => {
    const id = await create(await addBook(makePeople(3)), {
      scheduledAt: new Date(Date.now() + 500).toISOString(),
    });
    expect((await get(id)).status).toBe('SCHEDULED');
    await untilStatus(id, 'SENT');
    expect(sink.messages).toHaveLength(3);
  });

  test('sends copies without counting them', async () => {
    const id = await create(await addBook(makePeople(2)), {
      cc: 'boss@example.net',
      bcc: ['log@example.net'],
    });
    await start(id);
    await untilStatus(id, 'SENT');
    await sink.waitForMessages(6);
    expect(recipients().filter((address) => address.endsWith('example.net'))).toHaveLength(4);
    expect(sink.messages.every(({ data }) => /^Cc: boss@example.net/im.test(data.toString()))).toBe(true);
    expect(sink.messages.some(({ data }) => data.toString().includes('log@example.net'))).toBe(false);
    expect(await get(id)).toMatchObject({ total: 2, sent: 2, delivered: 2 });
    await expect
      .poll(async () => (await team.call('GET', '/emails?status=DELIVERED')).body.items.length)
      .toBeGreaterThan(1);
    await rebuildCounts(server.db);
    expect(await get(id)).toMatchObject({ total: 2, sent: 2, delivered: 2 });
  });

  test('can send test emails, which are not counted', async () => {
    const book = await addBook([{ email: 'ada@example.org', firstName: 'Ada' }]);
    const id = await create(book);
    const { status, body } = await team.call('POST', `/campaigns/${id}/test`, {
      to: ['ada@example.org', 'me@example.com'],
    });
    expect([status, body]).toEqual([
      200,
      { success: true, emailIds: [expect.any(String), expect.any(String)] },
    ]);
    await sink.waitForMessages(2);
    const subjects = sink.messages.map(({ data }) => /^Subject: (.*)/m.exec(data.toString())![1]!.trim());
    expect(subjects.toSorted()).toEqual(['[Test] Hello Ada', '[Test] Hello friend']);
    expect(await get(id)).toMatchObject({ status: 'DRAFT', total: 0, sent: 0 });
    expect((await team.call('POST', `/campaigns/${id}/test`, { to: [] })).status).toBe(400);
    expect((await team.call('POST', `/campaigns/${id}/test`, {})).status).toBe(400);
  });

  test('respects its rate', async () => {
    const id = await create(await addBook(makePeople(20)), { ratePerMinute: 60 });
    const startedAt = performance.now();
    await start(id);
    await sink.waitForMessages(4);
    // The first email leaves immediately, and one more may have accumulated.
    expect(sink.messages.length).toBeLessThanOrEqual(2 + (performance.now() - startedAt) / 1000);
    await team.call('POST', `/campaigns/${id}/pause`);
    await team.call('DELETE', `/campaigns/${id}`);
  });
});

test('an email that is sent during a campaign overtakes the queued ones, even at a slow relay', async () => {
  sink.behave({ dripMs: 2 });
  const id = await create(await addBook(makePeople(500, 'bulk.test')), { batchSize: 100_000 });
  await start(id);
  await sink.waitForMessages(60, 30_000);
  const before = sink.messages.length;
  const sent = await team.call('POST', '/emails', {
    from: 'hello@news.test',
    to: 'urgent@example.org',
    subject: 'Your code',
    text: '4711',
  });
  expect(sent.status).toBe(200);
  await expect.poll(() => recipients(), { interval: 5, timeout: 30_000 }).toContain('urgent@example.org');
  // Some messages were in flight and a few more were claimed.
  expect(recipients().indexOf('urgent@example.org')).toBeLessThan(before + 150);
  sink.behave({ dripMs: 0 });
  await untilStatus(id, 'SENT');
}, 60_000);

test('one-click unsubscribe counts once for the campaign, and the next campaign skips the contact', async () => {
  const book = await addBook([{ email: 'leaver@q.test' }, { email: 'stayer@q.test' }]);
  const id = await create(book);
  await start(id);
  await untilStatus(id, 'SENT');
  const mail = sink.messages.find(({ recipients: [to] }) => to === 'leaver@q.test')!;
  const { headers } = await PostalMime.parse(mail.data);
  const [, path] = /^<https:\/\/post\.example(\/u\/[\w-]+)>/.exec(
    headers.find(({ key }) => key === 'list-unsubscribe')!.value,
  )!;
  for (let times = 0; times < 2; times++) {
    const answer = await fetch(`${server.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'List-Unsubscribe=One-Click',
    });
    expect(answer.status).toBe(200);
  }
  expect(await get(id)).toMatchObject({ total: 2, sent: 2, unsubscribed: 1 });
  const next = await create(book);
  sink.reset();
  await start(next);
  await untilStatus(next, 'SENT');
  expect(recipients()).toEqual(['stayer@q.test']);
  expect((await get(next)).total).toBe(1);
});

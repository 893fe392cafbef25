import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startMailWorld, type MailWorld, writeTo } from '../../../testing/mail-world.ts';
import { createCall } from '../../../testing/test-server.ts';

let world: MailWorld;
let count = 0;

beforeAll(async () => {
  world = await startMailWorld();
});
afterAll(() => world.close());

async function subjectsOf(mailboxId: string, query = ''): Promise<string[]> {
  return (await world.threads(mailboxId, query)).map(({ subject }) => subject);
}

async function patch(threadId: string, body: unknown) {
  return world.team.call('PATCH', `/threads/${threadId}`, body);
}

describe('a whole thread', () => {
  test('is marked read and unread with all its messages', async () => {
    const box = await world.freshMailbox();
    await world.receive(box, { subject: 'Read me' });
    await world.receive(box, { subject: 'Re: Read me' });
    const threadId = (await world.threads(box.id))[0]!.id;
    const answer = await patch(threadId, { read: true });
    expect([answer.status, answer.body]).toEqual([200, { success: true }]);
    const reads = async () => (await world.thread(threadId)).messages.map(({ read }) => read);
    expect(await reads()).toEqual([true, true]);
    expect(await world.threads(box.id, '?unread=true')).toEqual([]);
    expect(await world.folder(box.id, 'inbox')).toMatchObject({ unread: 0, total: 1 });
    await patch(threadId, { read: false });
    expect(await reads()).toEqual([false, false]);
    expect(await world.threads(box.id, '?unread=true')).toHaveLength(1);
    expect(await world.threads(box.id, '?unread=false')).toEqual([]);
    expect(await world.folder(box.id, 'inbox')).toMatchObject({ unread: 1, total: 1 });
  });

  test('is moved with all its messages and returns to the inbox when a new one arrives', async () => {
    const box = await world.freshMailbox();
    await world.receive(box, { subject: 'Move me' });
    const threadId = (await world.threads(box.id))[0]!.id;
    for (const folder of ['archive', 'spam', 'trash', 'inbox', 'archive']) {
      expect((await patch(threadId, { folder, read: true })).status).toBe(200);
      const thread = await world.thread(threadId);
      expect([thread.folder, ...thread.messages.map((message) => message.folder)]).toEqual([folder, folder]);
      expect(await subjectsOf(box.id, `?folder=${folder}`)).toEqual(['Move me']);
      expect(await subjectsOf(box.id)).toEqual(['trash', 'spam'].includes(folder) ? [] : ['Move me']);
      expect(await world.folder(box.id, folder)).toEqual({ folder, unread: 0, total: 1 });
    }
    await world.receive(box, { subject: 'Re: Move me' });
    expect(await world.thread(threadId)).toMatchObject({ folder: 'inbox', message_count: 2, unread: true });
    expect(await world.folder(box.id, 'archive')).toMatchObject({ total: 0 });
  });

  test.each([
    ['nothing', {}],
    ['an unknown folder', { folder: 'sent' }],
    ['a folder that is no text', { folder: 1 }],
    ['a word for read', { read: 'yes' }],
    ['null', { read: null }],
    ['an array', []],
    ['broken JSON', '{'],
    ['a body over the limit', { read: true, padding: 'x'.repeat(3 * 1024 * 1024) }],
  ])('is not changed by %s', async (_what, input) => {
    const box = await world.freshMailbox();
    await world.receive(box);
    const [thread] = await world.threads(box.id);
    const { status, body } = await world.team.call('PATCH', `/threads/${thread!.id}`, input, {
      'content-type': 'application/json',
    });
    expect([status, body.error.code]).toEqual([400, 'BAD_REQUEST']);
    expect((await world.threads(box.id))[0]).toEqual(thread);
  });

  test('can be deleted only from the trash', async () => {
    const box = await world.freshMailbox();
    await world.receive(box);
    const [thread] = await world.threads(box.id);
    const refused = await world.team.call('DELETE', `/threads/${thread!.id}`);
    expect([refused.status, refused.body.error.code]).toEqual([409, 'CONFLICT']);
    await patch(thread!.id, { folder: 'trash' });
    expect((await world.team.call('DELETE', `/threads/${thread!.id}`)).body).toEqual({
      id: thread!.id,
      success: true,
    });
    expect((await world.team.call('GET', `/threads/${thread!.id}`)).status).toBe(404);
    expect(await world.folder(box.id, 'trash')).toMatchObject({ total: 0 });
  });

  test('of another team is not found, and an invalid id is rejected', async () => {
    const box = await world.freshMailbox();
    await world.receive(box);
    const [thread] = await world.threads(box.id);
    for (const [method, body] of [
      ['GET', undefined],
      ['PATCH', { read: true }],
      ['DELETE', undefined],
    ] as const) {
      const stranger = await world.other.call(method, `/threads/${thread!.id}`, body);
      expect([stranger.status, stranger.body.error.code]).toEqual([404, 'NOT_FOUND']);
      expect((await world.team.call(method, '/threads/thr_nobody', body)).status).toBe(404);
      expect((await world.team.call(method, '/threads/thr.nobody', body)).status).toBe(400);
    }
    const [message] = (await world.thread(thread!.id)).messages;
    for (const part of ['', '/raw', '/display', '/attachments/0']) {
      expect((await world.other.call('GET', `/messages/${message!.id}${part}`)).status).toBe(404);
    }
    expect((await world.team.call('GET', `/messages/${message!.id}`)).status).toBe(200);
    expect((await world.other.call('GET', `/mailboxes/${box.id}/threads`)).status).toBe(404);
    expect((await world.other.call('GET', `/mailboxes/${box.id}/folders`)).status).toBe(404);
    const { key } = (await world.team.call('POST', '/api-keys', { name: 'k', permission: 'sending' })).body;
    const sending = createCall(world.server.url, key);
    expect((await sending('PATCH', `/threads/${thread!.id}`, { read: true })).status).toBe(403);
  });
});

describe('the list', () => {
  test('is paged, newest first, without gaps or duplicates', async () => {
    const box = await world.freshMailbox();
    for (let at = 0; at < 5; at += 1) await world.receive(box, { subject: `Page ${at}` });
    const seen: string[] = [];
    let cursor = '';
    for (let pages = 0; pages < 3; pages += 1) {
      const { body } = await world.team.call('GET', `/mailboxes/${box.id}/threads?limit=2${cursor}`);
      seen.push(...body.items.map(({ subject }: { subject: string }) => subject));
      cursor = `&cursor=${body.next_cursor}`;
      if (pages === 2) expect(body.next_cursor).toBeNull();
    }
    expect(seen).toEqual(['Page 4', 'Page 3', 'Page 2', 'Page 1', 'Page 0']);
  });

  test.each([
    'folder=nowhere',
    'unread=maybe',
    'cursor=x',
    'limit=0',
    'limit=101',
    'q=before:yesterday',
    'q=after:2026-02-30',
    'q=larger:huge',
    'q=smaller:5TB',
    'q=is:green',
    'q=has:wheels',
    'q=in:nowhere',
    'q=-in:inbox',
    'q=in:inbox%20in:spam',
    'q=colour:red',
    'q=constructor:x',
  ])('refuses %s', async (query) => {
    const box = await world.freshMailbox();
    expect((await world.team.call('GET', `/mailboxes/${box.id}/threads?${query}`)).status).toBe(400);
  });

  test('has views of sent, scheduled and draft messages', async () => {
    const box = await world.freshMailbox();
    const send = async (subject: string, input: object) =>
      (
        await world.team.call('POST', `/mailboxes/${box.id}/messages`, {
          to: ['x@example.org'],
          subject,
          text: 'x',
          ...input,
        })
      ).body;
    await send('Sent', { undo_seconds: 0 });
    await send('Waiting', { undo_seconds: 120 });
    const back = await send('Back', { undo_seconds: 120 });
    await world.team.call('DELETE', `/scheduled/${back.id}`);
    expect(await subjectsOf(box.id, '?folder=sent')).toEqual(['Sent']);
    expect(await subjectsOf(box.id, '?folder=scheduled')).toEqual(['Waiting']);
    expect(await subjectsOf(box.id, '?folder=drafts')).toEqual(['Back']);
    expect(await subjectsOf(box.id, '?folder=inbox')).toEqual([]);
    expect(await subjectsOf(box.id)).toEqual(['Back', 'Waiting', 'Sent']);
    for (const folder of ['sent', 'scheduled', 'drafts'])
      expect(await world.folder(box.id, folder)).toEqual({ folder, unread: 0, total: 1 });
    expect((await world.thread(back.thread_id)).folder).toBe('drafts');
  });
});

test('search finds words in subject, people and text, and supports its operators', async () => {
  const box = await world.freshMailbox();
  const stranger = await world.freshMailbox();
  await world.receive(box, { subject: 'The Analytical Engine', text: 'It turns the wheels.' });
  await world.receive(box, {
    subject: 'Lunch',
    from: 'Ada King <ada.king@example.net>',
    text: 'Zürich, 東京都で',
  });
  await world.receive(box, {
    subject: 'Files',
    from: 'bob@example.net',
    text: '--b\nContent-Type: text/plain\n\nsee file\n--b\nContent-Type: application/pdf\nContent-Disposition: attachment; filename=a.pdf\n\nx\n--b--',
    more: 'MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b',
  });
  await world.receive(stranger, { subject: 'The Analytical Engine' });
  const find = (q: string) => subjectsOf(box.id, `?q=${encodeURIComponent(q)}`);
  expect(await find('analytical')).toEqual(['The Analytical Engine']);
  expect(await find('ENG')).toEqual(['The Analytical Engine']);
  expect(await find('wheels engine')).toEqual(['The Analytical Engine']);
  expect(await find('wheels lunch')).toEqual([]);
  expect(await find('"turns the"')).toEqual(['The Analytical Engine']);
  expect(await find('"the turns"')).toEqual([]);
  expect(await find('"analytical engine" from:charles is:unread before:2100-01-01')).toEqual([
    'The Analytical Engine',
  ]);
  expect(await find('-"turns the" is:unread')).toEqual(['Files', 'Lunch']);
  expect(await find('from:"ada king"')).toEqual(['Lunch']);
  expect(await find('from:"example king"')).toEqual([]);
  expect(await find('has:attachment "see file" from:bob')).toEqual(['Files']);
  expect(await find('zürich')).toEqual(['Lunch']);
  expect(await find('東京')).toEqual(['Lunch']);
  expect(await find('king')).toEqual(['Lunch']);
  expect(await find('from:ada.king@example.net')).toEqual(['Lunch']);
  expect(await find('from:charles')).toEqual(['The Analytical Engine']);
  expect(await find('to:charles')).toEqual([]);
  expect(await find('to:ada')).toHaveLength(3);
  expect(await find('has:attachment')).toEqual(['Files']);
  expect(await find('is:unread -lunch -files')).toEqual(['The Analytical Engine']);
  expect(await find('after:2020-01-01 lunch')).toEqual(['Lunch']);
  expect(await find('before:2020-01-01')).toEqual([]);
  expect(await find(`'); drop table messages; -- & | ! :* <-> \\`)).toEqual([]);
  expect(await find('   ')).toHaveLength(3);
  expect(await find('subject:engine')).toEqual(['The Analytical Engine']);
  expect(await find('subject:wheels')).toEqual([]);
  expect(await find('subject:"analytical engine"')).toEqual(['The Analytical Engine']);
  expect(await find('subject:"engine analytical"')).toEqual([]);
  expect(await find('-subject:engine')).toEqual(['Files', 'Lunch']);
  expect(await find('larger:1')).toHaveLength(3);
  expect(await find('larger:1.5MB')).toEqual([]);
  expect(await find('smaller:1.5mb lunch')).toEqual(['Lunch']);
  expect(await find('-smaller:1M')).toEqual([]);
  expect(await find('is:starred')).toEqual([]);
  expect(await find('-is:starred')).toHaveLength(3);
  expect(await find('label:work')).toEqual([]);
  expect(await find('re:lunch https://x.example 12:30')).toEqual([]);
  expect(await find('"colour:red"')).toEqual([]);
  const [lunch] = await world.threads(box.id, '?q=lunch');
  await patch(lunch!.id, { folder: 'archive', read: true });
  expect(await subjectsOf(box.id, '?q=lunch&folder=inbox')).toEqual([]);
  expect(await subjectsOf(box.id, '?q=lunch&folder=archive&unread=false')).toEqual(['Lunch']);
  expect(await find('in:archive')).toEqual(['Lunch']);
  expect(await find('in:inbox lunch')).toEqual([]);
  await patch(lunch!.id, { folder: 'trash', starred: true });
  expect(await find('lunch')).toEqual([]);
  expect(await find('lunch in:TRASH')).toEqual(['Lunch']);
  expect(await find('lunch in:anywhere is:starred')).toEqual(['Lunch']);
  expect(await subjectsOf(box.id, '?q=in:trash&folder=inbox')).toEqual(['Lunch']);
  const { body: refused } = await world.team.call('GET', `/mailboxes/${box.id}/threads?q=colour:red`);
  expect(refused.error.message).toContain('“colour:” is not a search operator');
});

async function scheduleReminder(box: { id: string }) {
  const { body } = await world.team.call('POST', `/mailboxes/${box.id}/messages`, {
    to: ['charles@example.org'],
    subject: `Reminder ${(count += 1)}`,
    text: 'Anything new?',
    send_at: new Date(Date.now() + 3_600_000).toISOString(),
    cancel_if_replied: true,
  });
  const message = (await world.team.call('GET', `/messages/${body.id}`)).body;
  return { id: body.id, reply: `In-Reply-To: ${message.message_id}` };
}

async function statusOf(messageId: string): Promise<string> {
  return (await world.team.call('GET', `/messages/${messageId}`)).body.status;
}

describe('a message with cancel_if_replied', () => {
  test('becomes a draft when a reply arrives first', async () => {
    const box = await world.freshMailbox();
    const { id: messageId, reply } = await scheduleReminder(box);
    const { body: before } = await world.team.call('GET', `/messages/${messageId}`);
    expect(before.cancel_if_replied).toBe(true);
    await world.receive(box, { more: reply });
    const { body: after } = await world.team.call('GET', `/messages/${messageId}`);
    expect(after).toMatchObject({ status: 'draft', cancel_if_replied: false });
  });

  test('stays scheduled after an automatic reply or mail in another thread', async () => {
    const box = await world.freshMailbox();
    const { id: messageId, reply } = await scheduleReminder(box);
    await world.receive(box, { more: `${reply}\nAuto-Submitted: auto-replied` });
    await world.receive(box, { subject: 'Something else' });
    expect(await statusOf(messageId)).toBe('waiting');
  });
});

test('a key bound to a domain can access only threads and messages of that domain', async () => {
  const box = await world.freshMailbox();
  await world.receive(box);
  const [thread] = await world.threads(box.id);
  const [message] = (await world.thread(thread!.id)).messages;
  const { body: second } = await world.team.call('POST', '/domains', { name: 'bound.test' });
  const domains: { id: number; name: string }[] = (await world.team.call('GET', '/domains')).body;
  const own = domains.find(({ name }) => name === 'harbour.test')!;
  for (const [domainId, expected] of [
    [own.id, 200],
    [second.id, 404],
  ]) {
    const key = { name: 'k', permission: 'full', domainId };
    const call = createCall(world.server.url, (await world.team.call('POST', '/api-keys', key)).body.key);
    expect((await call('GET', `/threads/${thread!.id}`)).status).toBe(expected);
    expect((await call('PATCH', `/threads/${thread!.id}`, { read: true })).status).toBe(expected);
    expect((await call('GET', `/messages/${message!.id}`)).status).toBe(expected);
    expect((await call('GET', `/mailboxes/${box.id}/threads`)).status).toBe(expected);
    expect((await call('GET', `/mailboxes/${box.id}/scheduled`)).status).toBe(expected);
  }
});

test('a thread that is too large for one answer omits the bodies of older messages', async () => {
  const box = await world.freshMailbox();
  const large = 'All work and no play.\n'.repeat(150_000);
  for (let no = 0; no < 6; no++) await world.receive(box, { subject: 'Flood', text: `${no}\n${large}` });
  const [thread] = await world.threads(box.id);
  const draft = { thread_id: thread!.id, to: ['a@example.org'], text: 'Stop' };
  await world.team.call('POST', `/mailboxes/${box.id}/drafts`, draft);
  const { messages } = await world.thread(thread!.id);
  expect(messages.map(({ body_omitted, text }) => [body_omitted, text?.slice(0, 4) ?? null])).toEqual([
    [true, null],
    [true, null],
    [true, null],
    [false, '3\nAl'],
    [false, '4\nAl'],
    [false, '5\nAl'],
    [false, 'Stop'],
  ]);
  const { body } = await world.team.call('GET', `/messages/${messages[0]!.id}`);
  expect([body.body_omitted, body.text.length]).toEqual([false, large.length + 2]);
});

test.each(['', ':;', '<>'])(
  'a thread of a message with the sender %j does not name the mailbox as one',
  async (from) => {
    const box = await world.freshMailbox();
    const raw = `From: ${from}\nTo: ${box.address}\nSubject: Hello\nMessage-ID: <${box.id}@x>\n\nHello\n`;
    expect((await writeTo(world.server.smtpPort, box.address, raw)).data).toMatch(/^250/);
    const [thread] = await world.threads(box.id, '?folder=spam');
    expect(thread!.participants).toEqual([]);
  },
);

test.each([
  ['"Support <support@bank.example>" <eve@example.org>', 'eve@example.org'],
  ['"Support <help@example.org>" <eve@example.org>', '"Support <help@example.org>" <eve@example.org>'],
  ['"eve@example.org" <eve@example.org>', 'eve@example.org'],
  ['"The \\"Countess\\" \\\\" <eve@example.org>', '"The \\"Countess\\" \\\\" <eve@example.org>'],
  ['"Lovelace, Ada" <eve@example.org>', 'Lovelace, Ada <eve@example.org>'],
  [`${'Very '.repeat(100)}Long <eve@example.org>`, `${'Very '.repeat(39)}Very <eve@example.org>`],
])('a message can be answered whatever the name of its sender: %s', async (from, shown) => {
  const box = await world.freshMailbox();
  await world.receive(box, { from });
  const [thread] = await world.threads(box.id);
  const [message] = (await world.thread(thread!.id)).messages;
  expect([message!.from, thread!.participants[0]]).toEqual([shown, shown]);
  const reply = { to: [message!.from], thread_id: thread!.id, subject: 'Re', text: 'Yes' };
  const { status, body } = await world.team.call('POST', `/mailboxes/${box.id}/messages`, reply);
  expect([status, body.to]).toEqual([200, [shown]]);
});

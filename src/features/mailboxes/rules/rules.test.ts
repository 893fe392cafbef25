import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rawMail, startMailWorld, type MailWorld } from '../../../testing/mail-world.ts';
import { addPerson, setUpOwner, type TestPerson } from '../../../testing/people.ts';

let world: MailWorld;
let owner: TestPerson;

beforeAll(async () => {
  world = await startMailWorld();
  owner = await setUpOwner(world.server);
});
afterAll(() => world.close());

type Box = { id: string; address: string };

async function firstMessage(box: Box, query = '') {
  const [thread] = await world.threads(box.id, query);
  return (await world.thread(thread!.id)).messages.at(-1)!;
}

async function sandbox(subject: string): Promise<{ raw: string }[]> {
  const { body } = await world.team.call('GET', '/sandbox/messages?limit=100');
  return body.items.filter(({ raw }: { raw: string }) => raw.includes(`Subject: ${subject}`));
}

test('a rule labels, stars, reads and files a message as it is stored', async () => {
  const box = await world.freshMailbox();
  const { body: folder } = await world.team.call('POST', `/mailboxes/${box.id}/folders`, { name: 'Bills' });
  await world.addRule(box, {
    conditions: [{ field: 'subject', op: 'contains', value: 'invoice' }],
    actions: [
      { type: 'label', value: 'bills' },
      { type: 'star' },
      { type: 'read' },
      { type: 'move', value: folder.id },
    ],
  });
  await world.receive(box, { subject: 'Your invoice' });
  await world.receive(box, { subject: 'Hello' });
  expect(await firstMessage(box, `?folder=${folder.id}`)).toMatchObject({
    labels: ['bills'],
    starred: true,
    read: true,
    folder: folder.id,
  });
  expect(await world.threads(box.id, '?folder=inbox')).toHaveLength(1);
});

test('a rule names a folder by its ID or name, and keeps the ID', async () => {
  const box = await world.freshMailbox();
  const path = `/mailboxes/${box.id}`;
  const { body: folder } = await world.team.call('POST', `${path}/folders`, { name: 'Work/Bills' });
  const add = (value: string) =>
    world.team.call('POST', `${path}/rules`, { name: value, actions: [{ type: 'move', value }] });
  for (const [value, kept] of [
    ['Work/Bills', folder.id],
    [folder.id, folder.id],
    ['archive', 'archive'],
    ['trash', 'trash'],
  ])
    expect([value, (await add(value)).body.actions]).toEqual([value, [{ type: 'move', value: kept }]]);
  for (const value of ['Nothing', 'sent', 'Sent', 'drafts', 'snoozed', ''])
    expect([value, (await add(value)).status]).toEqual([value, 400]);
});

test('a rule names a label by its ID, name or keyword', async () => {
  const box = await world.freshMailbox();
  const { body: label } = await world.team.call('POST', `/mailboxes/${box.id}/labels`, {
    name: 'Große Kunden',
  });
  for (const value of [label.id, 'große kunden', label.keyword]) {
    const rule = await world.addRule(box, { actions: [{ type: 'label', value }] });
    expect(rule.actions).toEqual([{ type: 'label', value: label.keyword }]);
  }
  await world.receive(box, { subject: 'Hello' });
  expect(await firstMessage(box)).toMatchObject({ labels: [label.keyword] });
  for (const value of ['No such label', 'lab_01kbd8x4zvf7m8rk2q3w5t6y7h', '']) {
    const actions = [{ type: 'unlabel', value }];
    const { status, body } = await world.team.call('POST', `/mailboxes/${box.id}/rules`, {
      name: 'x',
      actions,
    });
    expect([status, body.error.code]).toEqual([400, 'BAD_REQUEST']);
  }
});

test('a change of a rule holds for the next message', async () => {
  const box = await world.freshMailbox();
  const rule = await world.addRule(box, { actions: [{ type: 'star' }] });
  await world.receive(box, { subject: 'one' });
  await world.team.call('PATCH', `/mailboxes/${box.id}/rules/${rule.id}`, { enabled: false });
  await world.receive(box, { subject: 'two' });
  await world.team.call('DELETE', `/mailboxes/${box.id}/rules/${rule.id}`);
  await world.receive(box, { subject: 'three' });
  const threads = await world.threads(box.id, '?starred=true');
  expect(threads.map(({ subject }) => subject)).toEqual(['one']);
});

test.each([
  [
    'an unknown field',
    { conditions: [{ field: 'nose', op: 'is', value: 'x' }], actions: [{ type: 'star' }] },
  ],
  [
    'an op that the field does not have',
    { conditions: [{ field: 'size', op: 'contains', value: 'x' }], actions: [{ type: 'star' }] },
  ],
  ['no action', { actions: [] }],
  ['21 actions', { actions: Array.from({ length: 21 }, () => ({ type: 'star' })) }],
  ['a folder that does not exist', { actions: [{ type: 'move', value: 'fld_01kbd8x4zvf7m8rk2q3w5t6y7h' }] }],
  ['a saved reply that does not exist', { actions: [{ type: 'reply', saved_reply_id: 'srp_x' }] }],
  [
    'a segment that does not exist',
    { conditions: [{ field: 'segment', op: 'is', value: 'seg_x' }], actions: [{ type: 'star' }] },
  ],
  ['an address that is none', { actions: [{ type: 'forward', to: 'nobody' }] }],
  ['a script as URL', { actions: [{ type: 'webhook', url: 'javascript:alert(1)' }] }],
  ['an event of ours', { actions: [{ type: 'event', name: 'email.opened' }] }],
])('%s is refused', async (_what, rule) => {
  const box = await world.freshMailbox();
  const { status } = await world.team.call('POST', `/mailboxes/${box.id}/rules`, { name: 'x', ...rule });
  expect(status).toBe(400);
  expect((await world.team.call('GET', `/mailboxes/${box.id}/rules`)).body.items).toEqual([]);
});

test('rules have an order, which moves with them, and other teams do not find them', async () => {
  const box = await world.freshMailbox();
  const ids: string[] = [];
  for (const name of ['a', 'b', 'c'])
    ids.push((await world.addRule(box, { name, actions: [{ type: 'star' }] })).id);
  await world.team.call('PATCH', `/mailboxes/${box.id}/rules/${ids[2]}`, { position: 1 });
  const names = async () =>
    (await world.team.call('GET', `/mailboxes/${box.id}/rules`)).body.items.map(
      ({ name, position }: { name: string; position: number }) => `${position}${name}`,
    );
  expect(await names()).toEqual(['1c', '2a', '3b']);
  await world.team.call('DELETE', `/mailboxes/${box.id}/rules/${ids[0]}`);
  expect(await names()).toEqual(['1c', '2b']);
  expect((await world.other.call('GET', `/mailboxes/${box.id}/rules/${ids[1]}`)).status).toBe(404);
  const other = await world.freshMailbox();
  expect((await world.team.call('GET', `/mailboxes/${other.id}/rules/${ids[1]}`)).status).toBe(404);
});

test('a preview changes nothing, and applying acts on what is there', async () => {
  const box = await world.freshMailbox();
  for (const subject of ['old invoice', 'other', 'invoice two'])
    await world.receive(box, { subject, more: 'X-Job: nightly' });
  const rule = await world.addRule(box, {
    enabled: false,
    conditions: [
      { field: 'subject', op: 'contains', value: 'invoice' },
      { field: 'header:x-job', op: 'is', value: 'nightly' },
    ],
    actions: [
      { type: 'label', value: 'bills' },
      { type: 'move', value: 'archive' },
    ],
  });
  const path = `/mailboxes/${box.id}/rules/${rule.id}`;
  const { body: preview } = await world.team.call('POST', `${path}/preview`, {});
  expect(preview).toMatchObject({ count: 2, examined: 3 });
  expect(await world.threads(box.id, '?folder=inbox')).toHaveLength(3);
  expect((await world.team.call('POST', `${path}/apply`)).body.status).toBe('running');
  await expect
    .poll(async () => (await world.team.call('GET', `${path}/apply`)).body, { timeout: 20_000 })
    .toMatchObject({ status: 'done', examined: 3, matched: 2 });
  expect(await world.threads(box.id, '?folder=archive')).toHaveLength(2);
});

test('applying a rule takes labels away, leaves out what sends, and is in the activity', async () => {
  const box = await world.freshMailbox();
  await world.receive(box, { subject: 'Labelled' });
  const [thread] = await world.threads(box.id);
  await world.team.call('PUT', `/threads/${thread!.id}/labels`, { labels: ['old', 'kept'] });
  const rule = await world.addRule(box, {
    actions: [
      { type: 'unlabel', value: 'old' },
      { type: 'webhook', url: 'https://hooks.example.org/x' },
    ],
  });
  const path = `/mailboxes/${box.id}/rules/${rule.id}/apply`;
  await world.team.call('POST', path);
  await expect
    .poll(async () => (await world.team.call('GET', path)).body.status, { timeout: 20_000 })
    .toBe('done');
  expect(await firstMessage(box)).toMatchObject({ labels: ['kept'] });
  const { items } = (await world.team.call('GET', `/threads/${thread!.id}/activity`)).body;
  expect(items[0]).toMatchObject({ type: 'rule', by: `rule:${rule.id}`, data: { actions: ['unlabel'] } });
});

async function boxWithReply() {
  const box = await world.freshMailbox({ name: 'Robot' });
  const { body: saved } = await world.team.call('POST', `/mailboxes/${box.id}/saved-replies`, {
    name: 'Away',
    html: '<p>We are away</p>',
  });
  await world.addRule(box, { actions: [{ type: 'reply', saved_reply_id: saved.id }] });
  return box;
}

describe('mail that goes round in circles', () => {
  test.each([
    ['an automatic reply', 'Auto-Submitted: auto-replied', 'charles@example.org'],
    ['a mailing list', 'List-Id: <list.example.org>', 'charles@example.org'],
    ['bulk mail', 'Precedence: bulk', 'charles@example.org'],
    ['a bounce', 'X-Some: thing', ''],
    ['a no-reply address', 'X-Some: thing', 'no-reply@example.org'],
    ['a mailer daemon', 'X-Some: thing', 'mailer-daemon@example.org'],
  ])('%s gets no reply', async (what, more, from) => {
    const box = await boxWithReply();
    const subject = `Circle ${what}`;
    const mail = rawMail({ subject, more: `Cc: ${box.address}\n${more}` });
    expect((await world.write(box.address, mail, from)).data).toMatch(/^250/);
    const person = rawMail({
      subject: `Person ${what}`,
      more: `Cc: ${box.address}`,
      from: 'P <p@example.org>',
    });
    expect((await world.write(box.address, person, 'p@example.org')).data).toMatch(/^250/);
    await expect.poll(() => sandbox(`Re: Person ${what}`), { timeout: 20_000 }).toHaveLength(1);
    expect(await sandbox(`Re: ${subject}`)).toHaveLength(0);
  });

  test('a person gets one reply in four days', async () => {
    const box = await boxWithReply();
    for (const subject of ['Once one', 'Once two'])
      await world.receive(box, { subject, more: `Cc: ${box.address}` });
    await expect.poll(() => sandbox('Re: Once one'), { timeout: 20_000 }).toHaveLength(1);
    await expect
      .poll(async () => (await world.server.db.selectFrom('rule_replies').selectAll().execute()).length)
      .toBeGreaterThan(0);
    expect(await sandbox('Re: Once two')).toHaveLength(0);
  });

  test('an automatic reply has the files of its saved reply, and no merge tags without a value', async () => {
    const box = await world.freshMailbox();
    const path = `/mailboxes/${box.id}/saved-replies`;
    const { body: saved } = await world.team.call('POST', path, {
      name: 'Price list',
      html: '<p>Hello {{firstName}}{{nonsense}}, {{lastName,fallback=friend}}: here it is.</p>',
    });
    const content = Buffer.from('beans: 3').toString('base64');
    const file = { filename: 'prices.txt', content };
    expect((await world.team.call('POST', `${path}/${saved.id}/attachments`, file)).status).toBe(200);
    await world.addRule(box, { actions: [{ type: 'reply', saved_reply_id: saved.id }] });
    await world.addRule(box, { actions: [{ type: 'draft', saved_reply_id: saved.id }] });
    await world.receive(box, { subject: 'Prices', more: `Cc: ${box.address}` });
    await expect.poll(() => sandbox('Re: Prices'), { timeout: 20_000 }).toHaveLength(1);
    const { raw } = (await sandbox('Re: Prices'))[0]!;
    expect(raw).toContain('<p>Hello , friend: here it is.</p>');
    expect(raw).toContain('filename="prices.txt"');
    expect(raw).toContain(content);
    const draft = async () => (await world.team.call('GET', `/mailboxes/${box.id}/drafts`)).body.items[0];
    await expect.poll(draft, { timeout: 20_000 }).toMatchObject({
      html: '<p>Hello {{firstName}}{{nonsense}}, friend: here it is.</p>',
      attachments: [{ filename: 'prices.txt' }],
    });
  });

  test('a rule cannot forward to its own mailbox, and two mailboxes that forward to each other stop', async () => {
    const [one, two] = [await world.freshMailbox(), await world.freshMailbox()];
    const further = `further.${one.address}`;
    await world.team.call('POST', `/mailboxes/${one.id}/addresses`, { address: further });
    for (const to of [one.address, further]) {
      const actions = [{ type: 'forward', to }];
      const { status } = await world.team.call('POST', `/mailboxes/${one.id}/rules`, { name: 'x', actions });
      expect([to, status]).toEqual([to, 400]);
    }
    const toFurther = await world.addRule(two, {
      enabled: false,
      actions: [{ type: 'forward', to: further }],
    });
    expect(toFurther.actions[0]).not.toMatchObject({ pending: true });
    await world.addRule(one, { actions: [{ type: 'forward', to: two.address }] });
    const back = await world.addRule(two, { actions: [{ type: 'forward', to: one.address }] });
    await world.receive(one, { subject: 'Ping pong' });
    await expect.poll(() => world.messageCount(two.id), { timeout: 20_000 }).toBe(1);
    await expect
      .poll(async () => (await world.team.call('GET', `/mailboxes/${two.id}/rules/${back.id}`)).body.last_run)
      .not.toBeNull();
    expect(await world.messageCount(one.id)).toBeLessThanOrEqual(2);
    expect(await firstMessage(two)).toMatchObject({ from: 'Charles <charles@example.org>' });
  });

  test('mail with too many Received fields, or to someone who has not agreed, is not forwarded', async () => {
    const box = await world.freshMailbox();
    const rule = await world.addRule(box, { actions: [{ type: 'forward', to: 'friend@example.org' }] });
    expect(rule.actions[0]).toMatchObject({ pending: true });
    await world.receive(box, { subject: 'Not yet agreed' });
    const path = `/mailboxes/${box.id}/rules/${rule.id}`;
    await expect
      .poll(async () => (await world.team.call('GET', path)).body.last_run?.error, { timeout: 20_000 })
      .toContain('agreed');
    const ask = `Agree to get mail of ${box.address}`;
    await expect.poll(() => sandbox(ask), { timeout: 20_000 }).toHaveLength(1);
    const asked = (await sandbox(ask))[0]!;
    const link = world.server.url + /\/forwarding\/[\w-]+/.exec(asked.raw.replaceAll('=\r\n', ''))![0];
    expect((await fetch(link)).status).toBe(200);
    expect((await world.team.call('GET', path)).body.actions[0].pending).toBe(true);
    expect((await fetch(link, { method: 'POST' })).status).toBe(200);
    expect((await world.team.call('GET', path)).body.actions[0].pending).toBe(false);
    expect((await fetch(`${link}x`)).status).toBe(404);
    const many = Array.from(
      { length: 21 },
      (_, at) => `Received: from a by b${at}; Mon, 1 Jan 2026 00:00:00 +0000`,
    );
    await world.receive(box, { subject: 'Too many hops', more: many.join('\n') });
    await world.receive(box, { subject: 'Goes on' });
    await expect.poll(() => sandbox('Goes on'), { timeout: 20_000 }).toHaveLength(1);
    await expect
      .poll(async () =>
        (await world.server.db.selectFrom('rule_log').select('error').execute()).map(({ error }) => error),
      )
      .toContainEqual(expect.stringContaining('circles'));
    expect(await sandbox('Too many hops')).toHaveLength(0);
  });
});

test('a rule assigns and notes, and is switched off when its person has left', async () => {
  const { body: domain } = await owner.call('POST', '/domains', { name: 'quay.test' });
  await owner.call('PUT', `/domains/${domain.id}/verify`);
  const { body: box } = await owner.call('POST', '/mailboxes', { address: 'desk@quay.test' });
  const person = await addPerson(world.server, owner, 'member');
  const path = `/mailboxes/${box.id}/rules`;
  const actions = [
    { type: 'assign', user_id: person.id },
    { type: 'note', html: '<p onclick="x">For you</p>' },
  ];
  const { body: rule } = await owner.call('POST', path, { name: 'Hand over', actions });
  await world.receive(box, { subject: 'One' });
  const [thread] = (await owner.call('GET', `/mailboxes/${box.id}/threads`)).body.items;
  expect(thread).toMatchObject({ assignee: { user_id: person.id }, note_count: 1 });
  const notes = (await owner.call('GET', `/threads/${thread.id}/notes`)).body.items;
  expect(notes).toMatchObject([{ html: '<p>For you</p>' }]);
  const activity = (await owner.call('GET', `/threads/${thread.id}/activity`)).body.items;
  expect(activity.map(({ type, by }: { type: string; by: string }) => [type, by])).toEqual([
    ['rule', `rule:${rule.id}`],
    ['noted', `rule:${rule.id}`],
    ['assigned', `rule:${rule.id}`],
  ]);
  await owner.call('PUT', `/mailboxes/${box.id}/access`, {
    mode: 'listed',
    people: [{ user_id: owner.id, role: 'manage' }],
  });
  await world.receive(box, { subject: 'Two' });
  expect((await owner.call('GET', `/mailboxes/${box.id}/threads`)).body.items).toHaveLength(2);
  expect((await owner.call('GET', `${path}/${rule.id}`)).body).toMatchObject({
    enabled: false,
    disabled_reason: expect.stringContaining('no access'),
  });
  expect((await owner.call('POST', path, { name: 'Again', actions })).status).toBe(400);
});

import { afterAll, beforeAll, expect, test } from 'vitest';
import { rawMail, startMailWorld, type MailWorld } from '../../../testing/mail-world.ts';

let world: MailWorld;

beforeAll(async () => {
  world = await startMailWorld();
});
afterAll(() => world.close());

const add = (box: { id: string }, address: string, name?: string) =>
  world.team.call('POST', `/mailboxes/${box.id}/addresses`, { address, name });

test('an address exists once in the instance, as a mailbox or as a further address', async () => {
  const [one, two] = [await world.freshMailbox(), await world.freshMailbox()];
  const answers = await Promise.all([
    ...Array.from({ length: 4 }, () => add(one, 'Once@harbour.test', 'Once')),
    ...Array.from({ length: 4 }, () =>
      world.team.call('POST', '/mailboxes', { address: 'once@harbour.test' }),
    ),
  ]);
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array<number>(7).fill(409)]);
  expect((await add(two, one.address)).status).toBe(409);
  expect((await add(two, 'x@elsewhere.test')).status).toBe(400);
  expect((await world.other.call('GET', `/mailboxes/${one.id}/addresses`)).status).toBe(404);
});

test('a further address receives, and the reply comes from it', async () => {
  const box = await world.freshMailbox({ name: 'Ada' });
  const { body: alias } = await add(box, 'sales@harbour.test', 'Sales');
  await world.receive({ address: 'sales+eu@harbour.test' }, { subject: 'Price?' });
  const [thread] = await world.threads(box.id);
  const { messages } = await world.thread(thread!.id);
  expect(messages[0]).toMatchObject({ delivered_to: 'sales+eu@harbour.test' });
  const send = (input: object) =>
    world.team.call('POST', `/mailboxes/${box.id}/messages`, {
      to: ['x@example.org'],
      text: 'Yes',
      ...input,
    });
  const from = async (input: object) => {
    const { status, body } = await send(input);
    expect(status).toBe(200);
    return (await world.team.call('GET', `/messages/${body.id}`)).body.from;
  };
  expect(await from({ thread_id: thread!.id })).toBe('Sales <sales@harbour.test>');
  expect(await from({ subject: 'New' })).toBe(`Ada <${box.address}>`);
  expect(await from({ subject: 'New', from: 'SALES@harbour.test' })).toBe('Sales <sales@harbour.test>');
  expect((await send({ subject: 'New', from: 'other@harbour.test' })).status).toBe(400);
  // Mail that waits is sent all the same after the address is gone.
  expect((await world.team.call('DELETE', `/mailboxes/${box.id}/addresses/${alias.id}`)).status).toBe(200);
  expect(await from({ thread_id: thread!.id })).toBe(`Ada <${box.address}>`);
  expect((await world.write('sales@harbour.test', rawMail())).rcpt[0]).toMatch(/^550/);
});

test('a message that waits is sent from an address that was removed since', async () => {
  const box = await world.freshMailbox();
  const { body: alias } = await add(box, 'leaving@harbour.test', 'Leaving');
  const { body: waiting } = await world.team.call('POST', `/mailboxes/${box.id}/messages`, {
    to: ['x@example.org'],
    from: 'leaving@harbour.test',
    subject: 'From an address that goes',
    text: 'Yes',
    send_at: new Date(Date.now() + 3_600_000).toISOString(),
  });
  await world.team.call('DELETE', `/mailboxes/${box.id}/addresses/${alias.id}`);
  expect((await world.team.call('POST', `/scheduled/${waiting.id}/send-now`)).status).toBe(200);
  const raws = async () => {
    const { body } = await world.team.call('GET', '/sandbox/messages?limit=100');
    return body.items
      .map(({ raw }: { raw: string }) => raw)
      .filter((raw: string) => raw.includes('From an address that goes'));
  };
  await expect.poll(raws, { timeout: 20_000 }).toHaveLength(1);
  expect((await raws())[0]).toMatch(/^From: Leaving <leaving@harbour\.test>/m);
});

test('the default signature is put below on request, and scripts in it are removed', async () => {
  const box = await world.freshMailbox();
  const path = `/mailboxes/${box.id}/signatures`;
  const first = await world.team.call('POST', path, { name: 'A', html: '<p>Old</p>', is_default: true });
  const { body } = await world.team.call('POST', path, {
    name: 'B',
    html: '<p>Ada<script>alert(1)</script></p>',
    is_default: true,
  });
  expect(body.html).toBe('<p>Ada</p>');
  // A remote picture is the choice of the person, and is only held back where mail is read.
  const logo = '<p><img src="https://example.org/logo.png" alt="Logo"></p>';
  const pictured = await world.team.call('POST', path, { name: 'C', html: logo });
  expect(pictured.body.html).toContain('https://example.org/logo.png');
  await world.team.call('DELETE', `${path}/${pictured.body.id}`);
  const { body: list } = await world.team.call('GET', path);
  expect(list.items.map((each: { is_default: boolean }) => each.is_default)).toEqual([false, true]);
  const { body: sent } = await world.team.call('POST', `/mailboxes/${box.id}/messages`, {
    to: ['x@example.org'],
    subject: 'Hi',
    html: '<p>Hello</p>',
    text: 'Hello',
    signature: true,
  });
  const { body: message } = await world.team.call('GET', `/messages/${sent.id}`);
  expect(message.text).toBe('Hello\n\n-- \nAda');
  expect(message.html).toContain('<p>Hello</p><p>-- <br></p><p>Ada</p>');
  expect((await world.team.call('PATCH', `${path}/${first.body.id}`, { user_id: 'usr_nobody' })).status).toBe(
    400,
  );
  expect((await world.team.call('DELETE', `${path}/${first.body.id}`)).status).toBe(200);
});

test('a person who is blocked stays a contact, and still gets mail', async () => {
  const box = await world.freshMailbox();
  const { body: book } = await world.team.call('POST', '/contactBooks', { name: 'Readers' });
  const email = 'reader@example.org';
  const { body: contact } = await world.team.call('POST', `/contactBooks/${book.id}/contacts`, { email });
  await world.team.call('POST', `/mailboxes/${box.id}/blocks`, { entry: email, action: 'reject' });
  expect((await world.write(box.address, rawMail(), email)).rcpt[0]).toMatch(/^550/);
  const path = `/contactBooks/${book.id}/contacts/${contact.contactId}`;
  expect((await world.team.call('GET', path)).body).toMatchObject({ email, subscribed: true });
  expect((await world.team.call('GET', `/people/${email}`)).body).toMatchObject({
    blocked: true,
    contacts: [{ id: contact.contactId }],
  });
  const { status } = await world.team.call('POST', `/mailboxes/${box.id}/messages`, {
    to: [email],
    subject: 'Still yours',
    text: 'x',
  });
  expect(status).toBe(200);
});

test('blocked senders go to spam or are rejected at RCPT', async () => {
  const box = await world.freshMailbox();
  const path = `/mailboxes/${box.id}/blocks`;
  await world.team.call('POST', path, { entry: 'Mallory@Example.org' });
  await world.receive(box, { from: 'mallory@example.org', subject: 'one' });
  expect(await world.folder(box.id, 'spam')).toMatchObject({ total: 1 });
  const { body: block } = await world.team.call('POST', path, { entry: '@evil.test', action: 'reject' });
  expect(block.entry).toBe('@evil.test');
  expect((await world.write(box.address, rawMail(), 'a@evil.test')).rcpt[0]).toMatch(/^550 5\.7\.1/);
  await world.team.call('DELETE', `${path}/${block.id}`);
  expect((await world.write(box.address, rawMail(), 'a@evil.test')).rcpt[0]).toMatch(/^250/);
  expect((await world.team.call('POST', path, { entry: 'nothing' })).status).toBe(400);
  expect((await world.team.call('GET', path)).body.items).toHaveLength(1);
});

import nodemailer from 'nodemailer';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startMailWorld, type MailWorld } from '../../../testing/mail-world.ts';
import { addPerson, setUpOwner } from '../../../testing/people.ts';
import { openDialogue, type Dialogue } from '../../../testing/smtp-dialogue.ts';
import { createCall } from '../../../testing/test-server.ts';

let world: MailWorld;

beforeAll(async () => {
  world = await startMailWorld();
});
afterAll(() => world.close());

async function create(mailboxId: string, name = 'Phone') {
  const { status, body } = await world.team.call('POST', `/mailboxes/${mailboxId}/app-passwords`, { name });
  expect(status).toBe(200);
  return body as { id: string; name: string; password: string; created_at: string };
}

async function list(mailboxId: string) {
  return (await world.team.call('GET', `/mailboxes/${mailboxId}/app-passwords`)).body.items;
}

function mailer(user: string, pass: string, options: object = {}) {
  const auth = { user, pass };
  return nodemailer.createTransport({
    host: '127.0.0.1',
    port: world.server.submissionPort,
    ignoreTLS: true,
    auth,
    ...options,
  });
}

const tls = { secure: true, ignoreTLS: false, tls: { rejectUnauthorized: false } };

async function logIn(user: string, password: string): Promise<{ dialogue: Dialogue; reply: string }> {
  const dialogue = await openDialogue(world.server.submissionPort);
  await dialogue.say('EHLO me.test');
  const token = Buffer.from(`\0${user}\0${password}`).toString('base64');
  return { dialogue, reply: await dialogue.say(`AUTH PLAIN ${token}`) };
}

/** Polls, because a change takes a moment to reach every process, including this one. */
async function expectRefused(user: string, password: string): Promise<void> {
  await expect.poll(async () => (await logIn(user, password)).reply, { interval: 50 }).toMatch(/^535/);
}

describe('an app password', () => {
  test('is shown once, and the list shows when and from where it was used', async () => {
    const box = await world.freshMailbox();
    const created = await create(box.id, '  Laptop ');
    expect(created).toEqual({
      id: expect.stringMatching(/^apw_/),
      name: 'Laptop',
      password: expect.stringMatching(/^[a-z]{5}(-[a-z]{5}){3}$/),
      created_at: expect.any(String),
    });
    const item = { id: created.id, name: 'Laptop', person: null, created_at: created.created_at };
    expect(await list(box.id)).toEqual([{ ...item, last_used_at: null, last_used_from: null }]);
    await mailer(box.address, created.password).verify();
    await expect
      .poll(async () => (await list(box.id))[0].last_used_from, { interval: 200 })
      .toBe('127.0.0.1');
  });

  test('works with spaces and capitals, only for the address of its mailbox', async () => {
    const [box, other] = [await world.freshMailbox(), await world.freshMailbox()];
    const { password } = await create(box.id);
    expect((await logIn(box.address, password.toUpperCase().replaceAll('-', ' '))).reply).toMatch(/^235/);
    expect((await logIn(box.address.toUpperCase(), password)).reply).toMatch(/^235/);
    expect((await logIn(other.address, password)).reply).toMatch(
      /^535 5\.7\.8 The address or the app password/,
    );
  });

  test('does not work over HTTP, and an API key does not become one', async () => {
    const box = await world.freshMailbox();
    const { password } = await create(box.id);
    expect((await createCall(world.server.url, password)('GET', '/team')).status).toBe(401);
    expect((await logIn(box.address, world.team.key)).reply).toMatch(/^235/);
  });

  test('stops working immediately when it is revoked, also in a session that is open', async () => {
    const box = await world.freshMailbox();
    const { id, password } = await create(box.id);
    const { dialogue } = await logIn(box.address, password);
    const path = `/mailboxes/${box.id}/app-passwords/${id}`;
    expect((await world.team.call('DELETE', path)).body).toEqual({ id, success: true });
    // The revocation may reach the session after a first MAIL.
    const begin = async () => {
      await dialogue.say('RSET');
      return dialogue.say(`MAIL FROM:<${box.address}>`);
    };
    await expect.poll(begin).toMatch(/^535/);
    expect((await logIn(box.address, password)).reply).toMatch(/^535/);
    expect((await world.team.call('DELETE', path)).status).toBe(404);
    dialogue.drop();
  });

  test('ends with its mailbox', async () => {
    const box = await world.freshMailbox();
    const { password } = await create(box.id);
    await world.team.call('DELETE', `/mailboxes/${box.id}`);
    await expectRefused(box.address, password);
  });

  test('is limited in number, and another team cannot see, make or revoke it', async () => {
    const box = await world.freshMailbox();
    const { id } = await create(box.id);
    const path = `/mailboxes/${box.id}/app-passwords`;
    expect((await world.other.call('GET', path)).status).toBe(404);
    expect((await world.other.call('POST', path, { name: 'x' })).status).toBe(404);
    expect((await world.other.call('DELETE', `${path}/${id}`)).status).toBe(404);
    await Promise.all(Array.from({ length: 99 }, () => create(box.id)));
    expect((await world.team.call('POST', path, { name: 'one more' })).status).toBe(400);
    for (const input of [
      {},
      { name: '' },
      { name: ' ' },
      { name: 1 },
      { name: 'a\0' },
      { name: 'x'.repeat(201) },
    ])
      expect((await world.team.call('POST', path, input)).status).toBe(400);
  });
});

describe('an email app', () => {
  test.each([
    ['STARTTLS', { ignoreTLS: false, requireTLS: true, tls: { rejectUnauthorized: false } }],
    ['TLS from the first byte', tls],
  ])('sends with %s, and the message is once in the thread that it answers', async (_name, options) => {
    const box = await world.freshMailbox({ name: 'Ada' });
    const { password } = await create(box.id);
    const id = `<question.${box.id}@example.org>`;
    await world.receive(box, { subject: 'Question', id });
    const port = 'secure' in options ? world.server.submissionsPort : world.server.submissionPort;
    const { response } = await mailer(box.address, password, { ...options, port }).sendMail({
      from: `Ada at work <${box.address}>`,
      to: 'Charles <charles@example.org>',
      bcc: 'secret@example.org',
      subject: 'Re: Question',
      inReplyTo: id,
      references: id,
      text: 'The answer',
      attachments: [{ filename: 'a.txt', content: 'abc' }],
    });
    expect(response).toMatch(/Queued as eml_/);
    const [thread, ...others] = await world.threads(box.id);
    expect(others).toEqual([]);
    const { messages } = await world.thread(thread!.id);
    expect(messages).toHaveLength(2);
    expect(messages.find(({ direction }) => direction === 'out')).toMatchObject({
      from: `Ada at work <${box.address}>`,
      bcc: ['secret@example.org'],
      subject: 'Re: Question',
      text: 'The answer',
      attachments: [{ filename: 'a.txt', size: 3 }],
    });
    const sent = messages.find(({ direction }) => direction === 'out')!;
    const raw = (await world.team.call('GET', `/messages/${sent.id}/raw`)).body;
    expect(raw).toContain('Subject: Re: Question');
    expect(raw).not.toContain('secret@');
    const emailId = /eml_\w+/.exec(response)![0];
    await expect
      .poll(async () => (await world.team.call('GET', `/emails/${emailId}`)).body.status)
      .toBe('DELIVERED');
  });

  test('cannot send as another address, not even of the same domain', async () => {
    const [box, other] = [await world.freshMailbox(), await world.freshMailbox()];
    const { password } = await create(box.id);
    const message = { to: 'charles@example.org', subject: 'x', text: 'x' };
    for (const more of [
      { from: other.address },
      { from: box.address, sender: other.address },
      { from: 'ada@elsewhere.test' },
    ])
      await expect(mailer(box.address, password).sendMail({ ...message, ...more })).rejects.toMatchObject({
        response: expect.stringContaining(
          `must be ${box.address}. An app password sends only as its mailbox.`,
        ),
      });
    expect(await world.threads(box.id)).toEqual([]);
  });
});

test('members see and revoke their own, owners all, and leaving the team revokes them', async () => {
  const owner = await setUpOwner(world.server);
  const [ada, bob] = [
    await addPerson(world.server, owner, 'member'),
    await addPerson(world.server, owner, 'member'),
  ];
  const { body: domain } = await owner.call('POST', '/domains', { name: 'quay.test' });
  await owner.call('PUT', `/domains/${domain.id}/verify`);
  const { body: box } = await owner.call('POST', '/mailboxes', { address: 'desk@quay.test' });
  const path = `/mailboxes/${box.id}/app-passwords`;
  const { body: ofAda } = await ada.call('POST', path, { name: 'Ada' });
  const { body: ofBob } = await bob.call('POST', path, { name: 'Bob' });
  const namesFor = async (person: typeof ada) =>
    (await person.call('GET', path)).body.items.map((item: { person: string }) => item.person);
  expect(await namesFor(ada)).toEqual([ada.email]);
  expect(await namesFor(owner)).toEqual([bob.email, ada.email]);
  expect((await ada.call('DELETE', `${path}/${ofBob.id}`)).status).toBe(404);
  expect((await logIn(box.address, ofBob.password)).reply).toMatch(/^235/);
  expect((await owner.call('DELETE', `/members/${bob.id}`)).status).toBe(200);
  await expectRefused(box.address, ofBob.password);
  expect((await owner.call('DELETE', `${path}/${ofAda.id}`)).status).toBe(200);
});

// Last, because every later login with a wrong password from this address is throttled.
test('wrong app passwords are throttled, and the right one still works', async () => {
  const box = await world.freshMailbox();
  const { password } = await create(box.id);
  const replies: string[] = [];
  for (let at = 0; at < 12; at += 1) {
    const { dialogue, reply } = await logIn(box.address, 'aaaaa-bbbbb-ccccc-ddddd');
    replies.push(reply);
    dialogue.drop();
  }
  expect(replies[0]).toMatch(/^535/);
  expect(replies.at(-1)).toMatch(/^421 .*Too many failed attempts. Try again in 15 minutes/);
  expect((await logIn(box.address, password)).reply).toMatch(/^235/);
});

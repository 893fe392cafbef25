/** What a team sees of the work of email apps, and what email apps see of the rules of the team. */
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createJmapClient } from '../testing/clients/jmap-client.ts';
import { addDomain } from '../testing/factories.ts';
import { append, startImapWorld, type ImapWorld } from '../testing/fixtures/imap-world.ts';
import { addPerson, setUpOwner, type TestPerson } from '../testing/people.ts';
import { openDialogue } from '../testing/smtp-dialogue.ts';

const domain = 'teamwork.test';
let world: ImapWorld;
let owner: TestPerson;
let ada: TestPerson;
let boxes = 0;

beforeAll(async () => {
  world = await startImapWorld();
  owner = await setUpOwner(world.server);
  const { rows } = await sql<{ team_id: number }>`
    select team_id from memberships join users on users.id = user_id where email = ${owner.email}
  `.execute(world.server.db);
  await addDomain(world.server.db, rows[0]!.team_id, domain);
  ada = await addPerson(world.server, owner, 'member');
});
afterAll(() => world.close());

async function freshBox() {
  const address = `box${(boxes += 1)}@${domain}`;
  const { id } = (await owner.call('POST', '/mailboxes', { address })).body;
  return { id, address };
}

async function passwordOf(person: TestPerson, id: string): Promise<string> {
  return (await person.call('POST', `/mailboxes/${id}/app-passwords`, { name: 'App' })).body.password;
}

async function activityOf(box: { id: string }, folder = '') {
  const { items } = (await owner.call('GET', `/mailboxes/${box.id}/threads${folder}`)).body;
  return (await owner.call('GET', `/threads/${items[0].id}/activity`)).body.items;
}

test('labels and moves by IMAP are in the activity, with the person', async () => {
  const box = await freshBox();
  await world.receive(box);
  const imap = await world.logIn({ ...box, password: await passwordOf(ada, box.id) });
  await imap.say('SELECT INBOX');
  await imap.say('STORE 1 +FLAGS (urgent $Forwarded \\Flagged)');
  await imap.say('STORE 1 +FLAGS (\\Seen)');
  await imap.say('STORE 1 -FLAGS (urgent)');
  await imap.say('MOVE 1 Archive');
  const items = await activityOf(box);
  const actor = { user_id: ada.id, name: 'A member' };
  expect(items.map(({ type, data }: { type: string; data: object }) => ({ type, data }))).toEqual([
    { type: 'moved', data: { folder: 'archive' } },
    { type: 'labelled', data: { added: [], removed: ['urgent'] } },
    { type: 'labelled', data: { added: ['urgent'], removed: [] } },
  ]);
  for (const item of items) expect(item.actor).toEqual(actor);
});

test('labels and moves by JMAP are in the activity too', async () => {
  const box = await freshBox();
  await world.receive(box);
  const client = createJmapClient(world.server.url, { ...box, password: await passwordOf(ada, box.id) });
  const { ids } = await client.call('Email/query', {});
  const patch = { 'keywords/billing': true, mailboxIds: { archive: true } };
  await client.call('Email/set', { update: { [ids[0]]: patch } });
  const items = await activityOf(box);
  expect(items.map(({ type }: { type: string }) => type).toSorted()).toEqual(['labelled', 'moved']);
  expect(items[0].by).toBe(`user:${ada.id}`);
});

test("another person's draft is read only for email apps until it is taken over", async () => {
  const box = await freshBox();
  const { body: draft } = await ada.call('POST', `/mailboxes/${box.id}/drafts`, {
    to: ['charles@example.org'],
    subject: 'Prices',
    text: 'Words of Ada',
  });
  const password = await passwordOf(owner, box.id);
  const imap = await world.logIn({ ...box, password });
  await imap.say('SELECT Drafts');
  expect(await imap.say('FETCH 1 BODY[TEXT]')).toContain('Words of Ada');
  for (const command of ['STORE 1 +FLAGS (\\Deleted)', 'STORE 1 FLAGS (mine)', 'MOVE 1 Trash'])
    expect(await imap.say(command)).toContain('NO [NOPERM] This draft belongs to A member');
  expect(await imap.say('STORE 1 +FLAGS (\\Seen)')).toMatch(/^OK/m);
  const jmap = createJmapClient(world.server.url, { ...box, password });
  const { ids } = await jmap.call('Email/query', { filter: { inMailbox: 'drafts' } });
  const forbidden = { type: 'forbidden', description: expect.stringContaining('A member') };
  const update = { [ids[0]]: { 'keywords/$flagged': true } };
  expect((await jmap.call('Email/set', { update })).notUpdated[ids[0]]).toMatchObject(forbidden);
  const destroyed = await jmap.call('Email/set', { destroy: [ids[0]] });
  expect(destroyed.notDestroyed[ids[0]]).toMatchObject(forbidden);
  const { list } = await jmap.call('Identity/get', {});
  const { notCreated } = await jmap.call('EmailSubmission/set', {
    create: { a: { identityId: list[0].id, emailId: ids[0] } },
  });
  expect(notCreated.a.description).toContain('A member');
  const url = `/mailboxes/${box.id}/drafts/${draft.id}`;
  expect((await owner.call('GET', url)).body).toMatchObject({
    text: 'Words of Ada',
    author: { user_id: ada.id },
  });
  await owner.call('POST', `${url}/take-over`);
  expect(await imap.say('STORE 1 +FLAGS (\\Deleted)')).toMatch(/^OK/m);
  await imap.say('EXPUNGE');
  expect((await owner.call('GET', url)).status).toBe(404);
});

test('what a person writes in an email app has the name, in the thread, the activity and the report', async () => {
  const box = await freshBox();
  await owner.call('PATCH', `/mailboxes/${box.id}`, { undo_seconds: 0 });
  const password = await passwordOf(ada, box.id);
  const who = { user_id: ada.id, name: 'A member' };
  const jmap = createJmapClient(world.server.url, { ...box, password });
  const subjects = ['By SMTP', 'By SMTP, with a copy before', 'By JMAP'];

  const submission = await openDialogue(world.server.submissionPort);
  await submission.say('EHLO app.example.org');
  await submission.say(`AUTH PLAIN ${Buffer.from(`\0${box.address}\0${password}`).toString('base64')}`);
  const imap = await world.logIn({ ...box, password });
  for (const [at, subject] of subjects.slice(0, 2).entries()) {
    const fields = `From: ${box.address}\r\nTo: charles@example.org\r\nMessage-ID: <app${at}@${domain}>`;
    const raw = `${fields}\r\nSubject: ${subject}\r\n\r\nIt turns.\r\n`;
    if (at === 1) await append(imap, raw, 'Sent');
    await submission.say(`MAIL FROM:<${box.address}>`);
    await submission.say('RCPT TO:<charles@example.org>');
    await submission.say('DATA');
    expect(await submission.say(`${raw}.`)).toMatch(/^250/);
  }
  submission.drop();
  const draft = {
    mailboxIds: { drafts: true },
    keywords: { $draft: true },
    from: [{ email: box.address }],
    to: [{ email: 'charles@example.org' }],
    subject: subjects[2],
    textBody: [{ partId: '1', type: 'text/plain' }],
    bodyValues: { '1': { value: 'It turns.' } },
  };
  const { created } = await jmap.call('Email/set', { create: { d: draft } });
  const drafts = await owner.call('GET', `/mailboxes/${box.id}/drafts`);
  expect(drafts.body.items).toMatchObject([{ author: who }]);
  const url = `/mailboxes/${box.id}/drafts/${drafts.body.items[0].id}`;
  expect((await owner.call('PATCH', url, { subject: 'Mine' })).status).toBe(409);
  const { list } = await jmap.call('Identity/get', {});
  await jmap.call('EmailSubmission/set', {
    create: { s: { emailId: created.d.id, identityId: list[0].id } },
    onSuccessUpdateEmail: { '#s': { mailboxIds: { sent: true }, 'keywords/$draft': null } },
  });

  const threads = (await owner.call('GET', `/mailboxes/${box.id}/threads?folder=sent`)).body.items;
  expect(threads.map(({ subject }: { subject: string }) => subject).toSorted()).toEqual(subjects.toSorted());
  for (const { id, subject } of threads) {
    const { messages } = (await owner.call('GET', `/threads/${id}`)).body;
    expect([subject, messages.map(({ author }: { author: object }) => author)]).toEqual([subject, [who]]);
    const { items } = (await owner.call('GET', `/threads/${id}/activity`)).body;
    const sent = items.find(({ type }: { type: string }) => type === 'sent');
    expect(sent).toMatchObject({ actor: who, data: { message_id: messages[0].id } });
  }
  const report = async () => (await owner.call('GET', `/mailboxes/${box.id}/report`)).body.by_person;
  await expect.poll(report, { timeout: 20_000 }).toMatchObject([{ user_id: ada.id, sent: 3 }]);
});

test('the rights of the person are told, and cannot be changed', async () => {
  const box = await freshBox();
  await owner.call('PUT', `/mailboxes/${box.id}/access`, {
    mode: 'listed',
    people: [
      { user_id: owner.id, role: 'manage' },
      { user_id: ada.id, role: 'draft' },
    ],
  });
  const mine = await world.logIn({ ...box, password: await passwordOf(owner, box.id) });
  const hers = await world.logIn({ ...box, password: await passwordOf(ada, box.id) });
  expect(await mine.say('MYRIGHTS INBOX')).toContain('* MYRIGHTS INBOX lrswitek');
  await mine.say('CREATE Work');
  expect(await mine.say('MYRIGHTS Work')).toContain('* MYRIGHTS Work lrswitekx');
  expect(await hers.say('MYRIGHTS INBOX')).toMatch(/\* MYRIGHTS INBOX lrs\r?$/m);
  expect(await hers.say('MYRIGHTS Drafts')).toContain('* MYRIGHTS Drafts lrswite');
  expect(await hers.say('GETACL Drafts')).toContain(`* ACL Drafts ${box.address} lrswite`);
  expect(await hers.say('LISTRIGHTS INBOX someone')).toContain('* LISTRIGHTS INBOX someone lrs');
  expect(await append(mine, 'Subject: For later\r\n\r\nx')).toMatch(/^OK/m);
  const { items } = (await owner.call('GET', `/mailboxes/${box.id}/threads`)).body;
  const until = new Date(Date.now() + 3_600_000).toISOString();
  await owner.call('PUT', `/threads/${items[0].id}/snooze`, { until });
  expect(await mine.say('MYRIGHTS Snoozed')).toMatch(/\* MYRIGHTS Snoozed lrswtek\r?$/m);
  expect(await hers.say('MYRIGHTS Nowhere')).toContain('NO [NONEXISTENT]');
  for (const command of ['SETACL INBOX ada lrs', 'DELETEACL INBOX ada'])
    expect(await mine.say(command)).toContain('NO [NOPERM]');
  expect(await mine.say('CAPABILITY')).toContain(' ACL ');
});

import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openJmapClient, type JmapClient, type Json } from '../testing/clients/jmap-client.ts';
import { startMailWorld, type MailWorld } from '../testing/mail-world.ts';

let world: MailWorld;

beforeAll(async () => {
  world = await startMailWorld();
});
afterAll(() => world.close());

async function draftTo(client: JmapClient, to: string, more: object = {}): Promise<string> {
  const { created } = await client.call('Email/set', {
    create: {
      d: {
        mailboxIds: { drafts: true },
        keywords: { $draft: true, $seen: true },
        from: [{ name: 'Ada', email: client.address }],
        to: [{ name: null, email: to }],
        subject: 'Sent by JMAP',
        textBody: [{ partId: '1', type: 'text/plain' }],
        bodyValues: { '1': { value: 'It turns.' } },
        ...more,
      },
    },
  });
  return created.d.id;
}

async function identityOf(client: JmapClient): Promise<string> {
  return (await client.call('Identity/get')).list[0].id;
}

async function submit(
  client: JmapClient,
  emailId: string,
  more: object = {},
  call: object = {},
): Promise<Json> {
  const identityId = await identityOf(client);
  return client.call('EmailSubmission/set', { create: { s: { emailId, identityId, ...more } }, ...call });
}

async function foldersOf(client: JmapClient): Promise<string[]> {
  const { ids } = await client.call('Email/query');
  const { list } = await client.call('Email/get', { ids, properties: ['mailboxIds'] });
  return list.flatMap(({ mailboxIds }: Json) => Object.keys(mailboxIds));
}

test('a message is sent once, arrives, and is moved by the same request', async () => {
  const client = await openJmapClient(world, { undo_seconds: 0 });
  const other = await openJmapClient(world);
  const emailId = await draftTo(client, other.address, {
    bcc: [{ name: null, email: 'hidden@example.org' }],
  });
  const { accountId } = client;
  const responses = await client.calls([
    [
      'EmailSubmission/set',
      {
        accountId,
        create: { s: { emailId, identityId: await identityOf(client) } },
        onSuccessUpdateEmail: {
          '#s': { 'mailboxIds/drafts': null, 'mailboxIds/sent': true, 'keywords/$draft': null },
        },
      },
      'x',
    ],
  ]);
  expect(responses.map(([name, , id]) => [name, id])).toEqual([
    ['EmailSubmission/set', 'x'],
    ['Email/set', 'x'],
  ]);
  expect(responses[0]![1].created.s).toMatchObject({ undoStatus: 'final' });
  await expect.poll(async () => (await other.call('Email/query')).ids.length).toBe(1);
  const { ids } = await other.call('Email/query');
  const { list } = await other.call('Email/get', { ids, properties: ['subject', 'bcc', 'headers'] });
  expect(list[0]).toMatchObject({ subject: 'Sent by JMAP', bcc: null });
  expect(JSON.stringify(list[0].headers)).not.toContain('hidden@example.org');
  expect(await foldersOf(client)).toEqual(['sent']);
  const { notUpdated } = await client.call('EmailSubmission/set', {
    update: { [responses[0]![1].created.s.id]: { undoStatus: 'canceled' } },
  });
  expect(Object.values(notUpdated)).toMatchObject([{ type: 'cannotUnsend' }]);
});

test('a waiting message is taken back, and webmail shows it as a draft again', async () => {
  const client = await openJmapClient(world, { undo_seconds: 120 });
  const emailId = await draftTo(client, 'charles@example.org');
  const { state } = await client.call('EmailSubmission/get', { ids: [] });
  const { created } = await submit(client, emailId);
  expect(created.s.undoStatus).toBe('pending');
  const waiting = await world.team.call('GET', `/mailboxes/${client.mailboxId}/scheduled`);
  expect(waiting.body.items.map((item: Json) => item.id)).toEqual([emailId]);
  const { updated } = await client.call('EmailSubmission/set', {
    update: { [created.s.id]: { undoStatus: 'canceled' } },
  });
  expect(Object.keys(updated)).toEqual([created.s.id]);
  const { list } = await client.call('EmailSubmission/get', { ids: [created.s.id] });
  expect(list[0]).toMatchObject({ undoStatus: 'canceled', emailId });
  expect(await client.call('EmailSubmission/changes', { sinceState: state })).toMatchObject({
    created: [created.s.id],
    destroyed: [],
  });
  const drafts = await world.team.call('GET', `/mailboxes/${client.mailboxId}/drafts`);
  expect(drafts.body.items.map((item: Json) => item.id)).toEqual([emailId]);
});

test('taking back in webmail changes the submission', async () => {
  const client = await openJmapClient(world, { undo_seconds: 120 });
  const emailId = await draftTo(client, 'charles@example.org');
  const { created } = await submit(client, emailId);
  const { state } = await client.call('EmailSubmission/get', { ids: [] });
  const { status } = await world.team.call('DELETE', `/scheduled/${emailId}`);
  expect(status).toBe(200);
  expect(await client.call('EmailSubmission/changes', { sinceState: state })).toMatchObject({
    updated: [created.s.id],
  });
  const { ids } = await client.call('EmailSubmission/query', { filter: { undoStatus: 'canceled' } });
  expect(ids).toEqual([created.s.id]);
});

test('destroying the message after sending does not take it back', async () => {
  const client = await openJmapClient(world, { undo_seconds: 2 });
  const other = await openJmapClient(world);
  const emailId = await draftTo(client, other.address);
  const { accountId } = client;
  const identityId = await identityOf(client);
  const responses = await client.calls([
    [
      'EmailSubmission/set',
      { accountId, create: { s: { emailId, identityId } }, onSuccessDestroyEmail: ['#s'] },
      'x',
    ],
  ]);
  expect(responses[0]![1].created.s.undoStatus).toBe('pending');
  expect(responses[1]![1].destroyed).toEqual([emailId]);
  await expect.poll(async () => (await other.call('Email/query')).ids.length, { timeout: 30_000 }).toBe(1);
  const { list } = await client.call('EmailSubmission/get', { ids: [responses[0]![1].created.s.id] });
  expect(list[0].undoStatus).toBe('final');
});

test('only the address of the mailbox may be the sender', async () => {
  const client = await openJmapClient(world);
  const forged = await draftTo(client, 'charles@example.org', {
    from: [{ name: null, email: 'eve@example.org' }],
  });
  expect((await submit(client, forged)).notCreated.s.type).toBe('forbiddenFrom');
  const emailId = await draftTo(client, 'charles@example.org');
  const rcptTo = [{ email: 'charles@example.org' }];
  const wrong = await submit(client, emailId, {
    envelope: { mailFrom: { email: 'eve@example.org' }, rcptTo },
  });
  expect(wrong.notCreated.s.type).toBe('forbiddenMailFrom');
  const mailFrom = { email: client.address };
  expect((await submit(client, emailId, { envelope: { mailFrom, rcptTo: [] } })).notCreated.s.type).toBe(
    'noRecipients',
  );
  const bad = await submit(client, emailId, { envelope: { mailFrom, rcptTo: [{ email: 'nobody' }] } });
  expect(bad.notCreated.s).toMatchObject({ type: 'invalidRecipients', invalidRecipients: ['nobody'] });
  const notified = { email: 'charles@example.org', parameters: { NOTIFY: 'SUCCESS' } };
  const asked = await submit(client, emailId, { envelope: { mailFrom, rcptTo: [notified] } });
  expect(asked.notCreated.s).toMatchObject({ type: 'invalidProperties', properties: ['envelope'] });
  const held = await submit(client, emailId, {
    envelope: { mailFrom: { email: client.address, parameters: { HOLDFOR: '3600' } }, rcptTo },
  });
  expect(Date.parse(held.created.s.sendAt) - Date.now()).toBeGreaterThan(3_000_000);
});

test('identities can be added and changed, but only with the address of the mailbox', async () => {
  const client = await openJmapClient(world, { name: 'Ada' });
  const { list, state } = await client.call('Identity/get');
  expect(list).toMatchObject([{ name: 'Ada', email: client.address, mayDelete: false }]);
  const { created, notCreated } = await client.call('Identity/set', {
    create: {
      work: { name: 'Ada at work', email: client.address, textSignature: '-- \nAda' },
      eve: { name: 'Eve', email: 'eve@example.org' },
    },
    update: { [list[0].id]: { replyTo: [{ name: null, email: 'ada@example.org' }] } },
    destroy: [list[0].id],
  });
  expect(notCreated.eve.type).toBe('forbiddenFrom');
  const { identityId } = { identityId: created.work.id };
  expect(await client.call('Identity/changes', { sinceState: state })).toMatchObject({
    created: [identityId],
  });
  const removed = await client.call('Identity/set', { destroy: [identityId, list[0].id] });
  expect(removed.destroyed).toEqual([identityId]);
  expect(removed.notDestroyed[list[0].id].type).toBe('forbidden');
});

/** Returns the team's emails to this address. */
async function emailsTo(address: string): Promise<Json[]> {
  const { body } = await world.team.call('GET', `/emails?search=${encodeURIComponent(address)}`);
  return body.items;
}

async function write(client: JmapClient, from: string, lines: string, mailFrom = from): Promise<void> {
  const id = `<${Math.random()}@example.org>`;
  const message = `From: ${from}\nSubject: Boat\nMessage-ID: ${id}\n${lines}\n\nIs it free?`;
  expect((await world.write(client.address, message, mailFrom)).data).toMatch(/^250/);
}

test('there is one VacationResponse, which the API shows too', async () => {
  const client = await openJmapClient(world);
  const { list, state } = await client.call('VacationResponse/get');
  expect(list).toEqual([
    {
      id: 'singleton',
      isEnabled: false,
      fromDate: null,
      toDate: null,
      subject: null,
      textBody: null,
      htmlBody: null,
    },
  ]);
  const toDate = '2099-01-07T00:00:00Z';
  const update = { singleton: { isEnabled: true, textBody: 'Back soon', toDate } };
  const set = await client.call('VacationResponse/set', { ifInState: state, update });
  expect(set.updated).toEqual({ singleton: null });
  expect(set.newState).not.toBe(state);
  const path = `/mailboxes/${client.mailboxId}/automatic-reply`;
  const until = '2099-01-07T00:00:00.000Z';
  expect((await world.team.call('GET', path)).body).toMatchObject({
    enabled: true,
    text: 'Back soon',
    until,
  });
  await world.team.call('PATCH', path, { subject: 'Away', until: null });
  expect((await client.call('VacationResponse/get', { ids: ['singleton', 'x'] })).list).toMatchObject([
    { isEnabled: true, subject: 'Away', textBody: 'Back soon', toDate: null },
  ]);
  const wrong = await client.call('VacationResponse/set', {
    create: { k: { isEnabled: true } },
    update: { singleton: { isEnabled: 'yes' } },
    destroy: ['singleton'],
  });
  expect(wrong.notCreated.k.type).toBe('singleton');
  expect(wrong.notDestroyed.singleton.type).toBe('singleton');
  expect(wrong.notUpdated.singleton.type).toBe('willDestroy');
  const bad = await client.call('VacationResponse/set', { update: { singleton: { isEnabled: 'yes' } } });
  expect(bad.notUpdated.singleton.type).toBe('invalidProperties');
  const from = '2099-02-01T00:00:00Z';
  expect((await world.team.call('PATCH', path, { from, until: toDate })).status).toBe(400);
  expect((await world.other.call('GET', path)).status).toBe(404);
});

test('a person gets one automatic reply, and programs, lists and strangers get none', async () => {
  const client = await openJmapClient(world, { name: 'Ada' });
  const update = { singleton: { isEnabled: true, textBody: 'I am at sea.' } };
  await client.call('VacationResponse/set', { update });
  const to = `To: ${client.address}`;
  await write(client, 'robot@example.org', `${to}\nAuto-Submitted: auto-generated`);
  await write(client, 'shop@example.org', `${to}\nList-Unsubscribe: <mailto:leave@example.org>`);
  await write(client, 'daemon@example.org', to, '');
  await write(client, 'no-reply@example.org', to);
  await write(client, 'unnamed@example.org', 'To: somebody@example.org');
  await write(client, client.address, to, client.address);
  await write(client, 'zoe@example.org', to);
  await expect.poll(() => emailsTo('zoe@example.org')).toHaveLength(1);
  await write(client, 'zoe@example.org', to);
  await write(client, 'yan@example.org', to);
  await expect.poll(() => emailsTo('yan@example.org')).toHaveLength(1);
  expect(await emailsTo('zoe@example.org')).toMatchObject([{ subject: 'Auto: Boat' }]);
  for (const nobody of ['robot', 'shop', 'daemon', 'no-reply', 'unnamed'])
    expect(await emailsTo(`${nobody}@example.org`)).toEqual([]);
  const readReplies = async () => {
    const { rows } = await sql<{ raw: string }>`
      select convert_from(raw, 'UTF8') as raw from sandbox_messages where recipient = 'zoe@example.org'
    `.execute(world.server.db);
    return rows.map(({ raw }) => raw).join();
  };
  await expect.poll(readReplies).toMatch(/^Auto-Submitted: auto-replied\r$/m);
});

test('an automatic reply to a mailbox of the same server reaches it, and is not answered', async () => {
  const client = await openJmapClient(world, { undo_seconds: 0 });
  const other = await openJmapClient(world);
  for (const each of [client, other])
    await each.call('VacationResponse/set', { update: { singleton: { isEnabled: true, subject: 'Away' } } });
  await submit(client, await draftTo(client, other.address));
  await expect.poll(() => foldersOf(client)).toContain('inbox');
  expect(await emailsTo(client.address)).toMatchObject([{ subject: 'Away' }]);
});

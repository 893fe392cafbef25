/** Tests the operations that email apps use. No door reaches all of them yet, so they are called directly. */
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { inTransaction } from '../../../platform/database/database.ts';
import { decodeId, encodeId } from '../../../platform/ids.ts';
import { countWaiting } from '../../../testing/count-waiting.ts';
import { rawMail, startMailWorld, type MailWorld } from '../../../testing/mail-world.ts';
import { appendMessage } from '../receiving/append-message.ts';
import { dropOldVanished } from '../mailboxes/drop-mail.ts';
import { changeFlags } from './change-flags.ts';
import { createFolder, deleteFolder, renameFolder, setSubscribed } from './change-folders.ts';
import { lockChangeNumber } from './change-numbers.ts';
import { copyMessages } from './copy-messages.ts';
import { expungeMessages } from './expunge-messages.ts';
import { listFolders } from './folder-rows.ts';
import { listChangesSince, readChangeNumber } from './list-changes.ts';
import { moveMessages } from './move-messages.ts';

let world: MailWorld;

beforeAll(async () => {
  world = await startMailWorld();
});
afterAll(() => world.close());

interface Box {
  id: string;
  address: string;
  teamId: number;
  mailboxId: string;
  addressKey: string;
}

async function openBox(): Promise<Box> {
  const box = await world.freshMailbox();
  const mailboxId = decodeId('mbx', box.id)!;
  const { rows } = await sql<{
    team_id: number;
  }>`select team_id from mailboxes where id = ${mailboxId}`.execute(world.server.db);
  return { ...box, mailboxId, teamId: rows[0]!.team_id, addressKey: box.address };
}

async function folder(box: Box, id: string) {
  return (await listFolders(world.server.db, box)).find((each) => each.id === id)!;
}

async function messagesOf(box: Box) {
  const { rows } = await sql<{ id: string; folder: string; uid: number; modseq: number }>`
    select id, folder, uid, modseq from messages where mailbox_id = ${box.mailboxId} order by id
  `.execute(world.server.db);
  return rows;
}

/** Fails if a counter or summary does not match the messages. */
async function expectConsistent(box: Box): Promise<void> {
  const { rows } = await sql`
    select 'folder' as what, f.id from folders f
    left join lateral (
      select count(*) as messages, count(*) filter (where not read) as unseen, coalesce(sum(size), 0) as bytes,
        coalesce(max(uid), 0) as uid, coalesce(max(modseq), 0) as modseq
      from messages m where m.team_id = f.team_id and m.mailbox_id = f.mailbox_id and m.folder = f.id
    ) m on true
    where f.mailbox_id = ${box.mailboxId} and ((f.messages, f.unseen, f.bytes) <> (m.messages, m.unseen, m.bytes)
      or f.next_uid <= m.uid or f.modseq < m.modseq)
    union all
    select 'thread', t.id::text from threads t
    left join lateral (
      select count(*) as messages, count(*) filter (where direction = 'in' and not read) as unread,
        count(*) filter (where starred) as starred, bool_or(folder = 'inbox') as in_inbox
      from messages m where m.team_id = t.team_id and m.thread_id = t.id
    ) m on true
    where t.mailbox_id = ${box.mailboxId} and ((t.message_count, t.unread_count, t.starred_count)
      <> (m.messages, m.unread, m.starred) or (t.folder = 'inbox') <> m.in_inbox)
    union all
    select 'number', m.id::text from messages m join mailbox_change_numbers c using (team_id, mailbox_id)
    where m.mailbox_id = ${box.mailboxId} and m.modseq > c.modseq
  `.execute(world.server.db);
  expect(rows).toEqual([]);
}

test('an appended message is parsed, sanitized, threaded and readable, with its flags, date and source', async () => {
  const box = await openBox();
  const { db } = world.server;
  await world.receive(box, { id: '<root@append.example>', subject: 'Root', text: 'Root text' });
  const raw = Buffer.from(
    rawMail({
      from: `Ada <${box.address}>`,
      subject: 'Re: Root',
      text: '<p onclick="x()">Hi<script>x()</script></p>',
      more: 'In-Reply-To: <root@append.example>\nMIME-Version: 1.0\nContent-Type: text/html',
    }).replaceAll('\n', '\r\n'),
  );
  const date = new Date('2020-01-02T03:04:05.000Z');
  const flags = { flags: ['read', 'starred'], labels: ['work'] } as const;
  const appended = await appendMessage(db, box, { raw, folder: 'sent', flags, date });
  await appendMessage(db, box, { raw, folder: 'sent', flags, date });
  const [thread, ...rest] = await world.threads(box.id);
  expect([thread!.message_count, thread!.folder, thread!.snippet, rest]).toEqual([
    3,
    'inbox',
    'Root text',
    [],
  ]);
  const id = encodeId('msg', appended.id);
  const { body } = await world.team.call('GET', `/messages/${id}`);
  expect(body).toMatchObject({
    direction: 'out',
    status: 'sent',
    folder: 'sent',
    read: true,
    starred: true,
    labels: ['work'],
    created_at: date.toISOString(),
  });
  expect(body.html).toBe('<p>Hi</p>');
  expect((await world.team.call('GET', `/messages/${id}/raw`)).body).toContain('<script>');
  expect(await folder(box, 'sent')).toMatchObject({
    messages: 2,
    unseen: 0,
    nextUid: 3,
    bytes: 2 * raw.length,
  });
  expect(await world.folder(box.id, 'sent')).toMatchObject({ total: 2 });
  await expectConsistent(box);
});

test('an appended draft can be edited and sent in webmail', async () => {
  const box = await openBox();
  const raw = Buffer.from(rawMail({ from: box.address, subject: 'Unfinished' }).replaceAll('\n', '\r\n'));
  const flags = { flags: ['read', 'draft'] } as const;
  const { id } = await appendMessage(world.server.db, box, { raw, folder: 'drafts', flags, date: null });
  const path = `/mailboxes/${box.id}/drafts/${encodeId('msg', id)}`;
  const { status } = await world.team.call('PATCH', path, { to: ['x@example.org'], text: 'Done' });
  expect(status).toBe(200);
  const { nextUid } = await folder(box, 'drafts');
  expect(nextUid).toBe(3);
  const sent = await world.team.call('POST', `${path}/send`, { undo_seconds: 0 });
  expect([sent.status, sent.body.subject]).toEqual([200, 'Unfinished']);
  expect(await messagesOf(box)).toMatchObject([{ id, folder: 'sent', uid: 1 }]);
  await expectConsistent(box);
});

test('moved, copied and deleted messages are listed as changes, once each', async () => {
  const box = await openBox();
  const { db } = world.server;
  for (const subject of ['a', 'b', 'c']) await world.receive(box, { subject });
  const ids = (await messagesOf(box)).map(({ id }) => id);
  const { modseq: start } = await readChangeNumber(db, box);
  const { moved } = await moveMessages(db, box, [ids[0]!, ids[1]!], 'archive');
  expect(moved.map(({ fromUid, uid }) => [fromUid, uid])).toEqual([
    [1, 1],
    [2, 2],
  ]);
  expect((await moveMessages(db, box, [ids[0]!], 'archive')).moved).toEqual([]);
  const { copied } = await copyMessages(db, box, [ids[2]!], 'archive');
  expect(copied).toMatchObject([{ fromId: ids[2], fromUid: 3, uid: 3 }]);
  await expungeMessages(db, box, [ids[1]!], { inFolder: 'inbox' });
  const { expunged, modseq } = await expungeMessages(db, box, [ids[1]!]);
  expect(expunged).toMatchObject([{ folder: 'archive', uid: 2 }]);
  const changes = await listChangesSince(db, box, start);
  expect([changes.modseq, changes.isComplete]).toEqual([modseq, true]);
  expect(changes.changed.map(({ id, folder, uid }) => [id, folder, uid])).toEqual([
    [ids[0], 'archive', 1],
    [copied[0]!.id, 'archive', 3],
  ]);
  expect(changes.vanished.map(({ folder, uid, messageId }) => [folder, uid, messageId])).toEqual([
    ['inbox', 1, ids[0]],
    ['inbox', 2, ids[1]],
    ['archive', 2, ids[1]],
  ]);
  const archived = await listChangesSince(db, box, changes.modseq - 1, { folder: 'archive' });
  expect([archived.changed, archived.vanished.length]).toEqual([[], 1]);
  await sql`update vanished_messages set created_at = now() - interval '100 days' where mailbox_id = ${box.mailboxId}`.execute(
    db,
  );
  await dropOldVanished(db);
  expect(await listChangesSince(db, box, start)).toMatchObject({ isComplete: false, vanished: [] });
  expect((await listChangesSince(db, box, changes.modseq)).isComplete).toBe(true);
  await expectConsistent(box);
});

test('a copy of a sent message keeps the source', async () => {
  const box = await openBox();
  const input = { to: ['x@example.org'], subject: 'Kept', text: 'The source', undo_seconds: 0 };
  const { body } = await world.team.call('POST', `/mailboxes/${box.id}/messages`, input);
  const { copied } = await copyMessages(world.server.db, box, [decodeId('msg', body.id)!], 'archive');
  const id = encodeId('msg', copied[0]!.id);
  const source = (await world.team.call('GET', `/messages/${body.id}/raw`)).body;
  expect(source).toContain('The source');
  expect((await world.team.call('GET', `/messages/${id}/raw`)).body).toBe(source);
  await expectConsistent(box);
});

test('flags change only what differs, and not what has changed since a known number', async () => {
  const box = await openBox();
  const { db } = world.server;
  for (const subject of ['a', 'b']) await world.receive(box, { subject });
  const [a, b] = (await messagesOf(box)).map(({ id }) => id) as [string, string];
  const { modseq } = await changeFlags(db, box, [a], { add: { flags: ['read'], labels: ['x', 'y'] } });
  const same = await changeFlags(db, box, [a], { add: { flags: ['read'] }, remove: { labels: ['z'] } });
  expect(same.changed).toEqual([]);
  expect((await readChangeNumber(db, box)).modseq).toBe(modseq);
  const since = { unchangedSince: modseq - 1 };
  const result = await changeFlags(db, box, [a, b], { set: { flags: ['deleted'] } }, since);
  expect([result.changed.map(({ id }) => id), result.stale]).toEqual([[b], [a]]);
  const other = await openBox();
  expect((await changeFlags(db, other, [a, b], { set: {} })).changed).toEqual([]);
  await expectConsistent(box);
});

test('a folder is subscribed until someone unsubscribes, and keeps its UIDVALIDITY', async () => {
  const box = await openBox();
  const { db } = world.server;
  const first = await createFolder(db, box, 'News');
  await setSubscribed(db, box, first.id, false);
  const after = await folder(box, first.id);
  expect(after).toMatchObject({ subscribed: false, uidValidity: first.uidValidity });
  expect(after.changedModseq).toBeGreaterThan(first.changedModseq);
  await deleteFolder(db, box, first.id);
  const again = await createFolder(db, box, 'News');
  expect(again.uidValidity).toBeGreaterThan(first.uidValidity);
});

test('concurrent changes of one mailbox get different numbers', async () => {
  const box = await openBox();
  for (let at = 0; at < 8; at += 1) await world.receive(box);
  const ids = (await messagesOf(box)).map(({ id }) => id);
  const { modseq: start } = await readChangeNumber(world.server.db, box);
  await Promise.all([
    ...ids.slice(0, 7).map((id) => changeFlags(world.server.db, box, [id], { add: { flags: ['starred'] } })),
    moveMessages(world.server.db, box, [ids[7]!], 'archive'),
    world.receive(box),
  ]);
  const numbers = (await messagesOf(box)).map(({ modseq }) => modseq).toSorted((a, b) => a - b);
  expect(numbers).toEqual(Array.from({ length: 9 }, (_, at) => start + 1 + at));
});

test('nothing is lost or doubled when clients and deliveries change a mailbox at the same time', async () => {
  const box = await openBox();
  const { db } = world.server;
  const message = { to: ['x@example.org'], subject: 'Out', text: 'x', undo_seconds: 120 };
  for (let at = 0; at < 6; at += 1) await world.receive(box, { subject: `s${at % 3}` });
  const waiting = await Promise.all(
    Array.from({ length: 3 }, () => world.team.call('POST', `/mailboxes/${box.id}/messages`, message)),
  );
  const ids = (await messagesOf(box)).map(({ id }) => id);
  const own = await createFolder(db, box, 'Busy');
  await Promise.all([
    ...['archive', 'inbox', own.id, 'trash'].flatMap((to) => [
      moveMessages(db, box, ids.slice(0, 6), to),
      moveMessages(db, box, ids.slice(0, 6).toReversed(), to),
    ]),
    changeFlags(db, box, ids, { add: { flags: ['starred'] } }),
    changeFlags(db, box, ids.toReversed(), { remove: { flags: ['read'] } }),
    copyMessages(db, box, ids.slice(0, 2), 'archive'),
    world.receive(box, { subject: 're: s1' }),
    world.receive(box, { subject: 're: s2' }),
    world.team.call('POST', `/scheduled/${waiting[0]!.body.id}/send-now`),
    world.team.call('DELETE', `/scheduled/${waiting[1]!.body.id}`),
    expungeMessages(db, box, [decodeId('msg', waiting[2]!.body.id)!]),
    expungeMessages(db, box, [ids[5]!]),
  ]);
  await deleteFolder(db, box, own.id);
  const left = await messagesOf(box);
  expect(left).toHaveLength(6 + 3 + 2 + 2 - 2);
  expect(new Set(left.map(({ folder: place, uid }) => `${place} ${uid}`)).size).toBe(left.length);
  expect(left.filter(({ folder: place }) => place === own.id)).toEqual([]);
  await expectConsistent(box);
});

test('a folder that is renamed while it is deleted is deleted, and not another with its old name', async () => {
  const box = await openBox();
  const { db } = world.server;
  const own = await createFolder(db, box, 'Plans');
  const { deleting, other } = await inTransaction(db, async (trx) => {
    await lockChangeNumber(trx, box);
    const answer = world.team.call('DELETE', `/mailboxes/${box.id}/folders/${own.id}`);
    await expect.poll(() => countWaiting(db, 'mailbox_change_numbers')).toBeGreaterThan(0);
    await renameFolder(trx, box, own.id, 'Old plans');
    return { deleting: answer, other: await createFolder(trx, box, 'Plans') };
  });
  expect((await deleting).status).toBe(200);
  const names = (await listFolders(db, box)).map(({ id, name }) => [id, name]);
  expect(names).toContainEqual([other.id, 'Plans']);
  expect(names).not.toContainEqual([own.id, 'Old plans']);
});

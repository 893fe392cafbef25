import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { decodeId } from '../../../platform/ids.ts';
import { rawMail, startMailWorld, type MailWorld } from '../../../testing/mail-world.ts';
import { dropUnusedBlobs } from './drop-mail.ts';

let world: MailWorld;

beforeAll(async () => {
  world = await startMailWorld();
});
afterAll(() => world.close());

test('deleting a mailbox deletes its mail', async () => {
  const box = await world.freshMailbox();
  await world.write(box.address, rawMail());
  await world.write(box.address, rawMail({ from: 'bob@example.net' }));
  const [thread] = await world.threads(box.id);
  await world.team.call('DELETE', `/mailboxes/${box.id}`);
  expect((await world.team.call('GET', `/threads/${thread!.id}`)).status).toBe(404);
  const left = async () => {
    const { rows } = await sql<{ left: number }>`
      select (select count(*) from messages where mailbox_id = ${decodeId('mbx', box.id)})
        + (select count(*) from threads where mailbox_id = ${decodeId('mbx', box.id)})
        + (select count(*) from mailbox_folder_counts where mailbox_id = ${decodeId('mbx', box.id)}) as left
    `.execute(world.server.db);
    return rows[0]!.left;
  };
  await expect.poll(left).toBe(0);
});

test('blobs without references are dropped, shared ones stay', async () => {
  const [box, second] = [await world.freshMailbox(), await world.freshMailbox()];
  await world.write([box.address, second.address], rawMail({ subject: 'Shared' }));
  await world.write(box.address, rawMail({ subject: 'Alone' }));
  for (const { id: threadId } of await world.threads(box.id)) {
    await world.team.call('PATCH', `/threads/${threadId}`, { folder: 'trash' });
    await world.team.call('DELETE', `/threads/${threadId}`);
  }
  const { db } = world.server;
  await sql`update blobs set unused_since = now() - interval '2 hours' where unused_since is not null`.execute(
    db,
  );
  const before = await sql<{ count: number }>`select count(*) from blobs`.execute(db);
  await dropUnusedBlobs(db);
  const after = await sql<{ count: number }>`select count(*) from blobs`.execute(db);
  expect(before.rows[0]!.count - after.rows[0]!.count).toBeGreaterThanOrEqual(1);
  const [kept] = await world.threads(second.id);
  const [message] = (await world.thread(kept!.id)).messages;
  expect((await world.team.call('GET', `/messages/${message!.id}/raw`)).body).toContain('Subject: Shared');
});

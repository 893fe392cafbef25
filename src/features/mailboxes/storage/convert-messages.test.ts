import pg from 'pg';
import { expect, test } from 'vitest';
import { newUuid } from '../../../platform/ids.ts';
import { migrate, readSchemaFiles } from '../../../platform/database/migrations.ts';
import { createTestDatabase } from '../../../testing/test-database.ts';

test('0019 puts every message into a folder, with UIDs in the order of time', async () => {
  const database = await createTestDatabase('empty');
  const pool = new pg.Pool({ connectionString: database.url });
  const { migrations } = readSchemaFiles();
  await migrate(pool, { migrations: migrations.filter(({ version }) => version < 19) });
  await pool.query(`insert into teams (id, name) overriding system value values (7, 'Harbour')`);
  const box = newUuid();
  await pool.query(
    `insert into mailboxes (team_id, id, address, address_key, domain, undo_seconds)
     values (7, $1, 'a@b.test', 'a@b.test', 'b.test', 10)`,
    [box],
  );
  const [inbox, trash, sent] = [newUuid(), newUuid(), newUuid()];
  for (const [id, folder, unread] of [
    [inbox, 'inbox', 2],
    [trash, 'trash', 0],
    [sent, 'sent', 1],
  ])
    await pool.query(
      `insert into threads (team_id, id, mailbox_id, folder, subject, base_subject, participants, participant_keys,
         snippet, message_count, unread_count, last_message_at)
       values (7, $1, $2, $3, '', '', '{}', '{}', '', 1, $4, now())`,
      [id, box, folder, unread],
    );
  const messages = [
    [inbox, 'in', null, false, 'Second', '2026-01-02'],
    [inbox, 'in', null, true, 'First', '2026-01-01'],
    [inbox, 'out', null, false, 'Draft', '2026-01-03'],
    [inbox, 'out', newUuid(), true, 'Sent', '2026-01-04'],
    [trash, 'out', newUuid(), true, 'Deleted', '2026-01-05'],
    [sent, 'out', newUuid(), false, 'Only sent', '2026-01-06'],
  ];
  for (const [thread, direction, email, read, text, at] of messages)
    await pool.query(
      `insert into messages (team_id, id, mailbox_id, thread_id, direction, email_id, reference_ids, sender, to_addresses,
         cc_addresses, bcc_addresses, reply_to, subject, text, read, attachment_count, search, created_at)
       values (7, $1, $2, $3, $4, $5, '{}', '', '{}', '{}', '{}', '{}', '', $6, $7, 0, '', $8)`,
      [newUuid(), box, thread, direction, email, text, read, at],
    );
  expect(await migrate(pool)).toContain('0019_flags-on-messages.sql');
  const { rows } = await pool.query(
    `select snippet, folder, uid::integer, draft from messages order by created_at`,
  );
  expect(rows.map(({ snippet, folder, uid, draft }) => [snippet, folder, uid, draft])).toEqual([
    ['First', 'inbox', 1, false],
    ['Second', 'inbox', 2, false],
    ['Draft', 'drafts', 1, true],
    ['Sent', 'sent', 1, false],
    ['Deleted', 'trash', 1, false],
    ['Only sent', 'sent', 2, false],
  ]);
  const { rows: folders } = await pool.query(
    `select id, next_uid::integer, messages, unseen from folders where messages > 0 order by id`,
  );
  expect(folders.map((each) => Object.values(each))).toEqual([
    ['drafts', 2, 1, 1],
    ['inbox', 3, 2, 1],
    ['sent', 3, 2, 1],
    ['trash', 2, 1, 0],
  ]);
  const { rows: counts } = await pool.query(
    `select t.folder, t.unread_count, c.unread::integer from threads t
     join mailbox_folder_counts c using (mailbox_id, folder) order by t.folder`,
  );
  expect(counts.map((each) => Object.values(each))).toEqual([
    ['inbox', 1, 1],
    ['sent', 0, 0],
    ['trash', 0, 0],
  ]);
  await pool.end();
  await database.drop();
});

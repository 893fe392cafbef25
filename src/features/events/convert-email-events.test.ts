import pg from 'pg';
import { expect, test } from 'vitest';
import { newUuid } from '../../platform/ids.ts';
import { migrate, readSchemaFiles } from '../../platform/database/migrations.ts';
import { createTestDatabase } from '../../testing/test-database.ts';

test('0002 moves the events of emails over, each month into a partition of its own', async () => {
  const database = await createTestDatabase('empty');
  const pool = new pg.Pool({ connectionString: database.url });
  const { migrations } = readSchemaFiles();
  await migrate(pool, { migrations: migrations.filter(({ version }) => version <= 1) });
  await pool.query(`
    create table email_events_2026_10 partition of email_events
      for values from ('2026-10-01 00:00+00') to ('2026-11-01 00:00+00')`);
  const email = newUuid();
  const events = [
    [newUuid(), 'SENT', 'a@example.org', null, '2026-10-31T23:00:00.000Z'],
    [newUuid(), 'DELIVERY_DELAYED', 'a@example.org', '{"code": 451}', '2026-10-31T23:00:01.000Z'],
    [newUuid(), 'OPENED', null, '{"userAgent": "x"}', '2026-11-02T08:00:00.000Z'],
  ];
  for (const [id, status, recipient, data, at] of events)
    await pool.query(
      `insert into email_events (team_id, email_id, id, status, recipient, data, created_at)
       values (7, $1, $2, $3, $4, $5, $6)`,
      [email, id, status, recipient, data, at],
    );

  expect(await migrate(pool)).toContain('0002_one-stream-of-events.sql');
  const { rows } = await pool.query(
    `select tableoid::regclass::text as partition, team_id, subject_id, id, type, recipient, data, created_at
     from events order by xid, id`,
  );
  const types = ['email.sent', 'email.delivery_delayed', 'email.opened'];
  const partitions = ['events_2026_10', 'events_2026_10', 'events_default'];
  expect(rows).toEqual(
    events.map(([id, , recipient, data, at], no) => ({
      partition: partitions[no],
      team_id: 7,
      subject_id: email,
      id,
      type: types[no],
      recipient,
      data: data ? JSON.parse(data) : null,
      created_at: new Date(at!),
    })),
  );
  const { rows: left } = await pool.query(
    `select proname from pg_proc where proname like 'announce%' or proname = 'contact_notice'`,
  );
  expect(left).toEqual([]);
  await pool.end();
  await database.drop();
});

import pg from 'pg';
import { expect, test } from 'vitest';
import { newUuid } from '../../../platform/ids.ts';
import { migrate, readSchemaFiles } from '../../../platform/database/migrations.ts';
import { createTestDatabase } from '../../../testing/test-database.ts';
import { startTestServer } from '../../../testing/test-server.ts';
import { createApiKey } from '../../identity/api-keys/api-keys.ts';
import { createPublicLinks } from '../../content/links/links.ts';

const SECRET = 'ab'.repeat(32);

test('0016 carries earlier days over as email of noon UTC, where later events of that email count too', async () => {
  const database = await createTestDatabase('empty');
  const pool = new pg.Pool({ connectionString: database.url });
  const { migrations } = readSchemaFiles();
  await migrate(pool, { migrations: migrations.filter(({ version }) => version < 16) });
  const emailId = newUuid();
  await pool.query(`insert into teams (name) values ('Old')`);
  await pool.query(
    `insert into emails (team_id, id, domain_id, source, status, sender, to_addresses, cc_addresses, bcc_addresses,
       reply_to, subject, message_id, first_tried_on)
     values (1, $1, 1, 'api', 'DELIVERED', 'a@shop.test', '{b@example.org}', '{}', '{}', '{}', '', '', '2026-05-10')`,
    [emailId],
  );
  for (const slot of [0, 3]) {
    await pool.query(`insert into daily_counts values (1, 0, '2026-05-10', ${slot}, 5, 4, 2, 1, 1, 1, 0)`);
  }
  await migrate(pool);
  const server = await startTestServer({
    databaseUrl: database.url,
    env: { INSTANCE_SECRET: SECRET },
  });
  const { key } = await createApiKey(server.db, 1, { name: 'Test', permission: 'full' });
  const read = async () => {
    const path = '/analytics/email-time-series?from=2026-05-10&to=2026-05-10&interval=hour';
    const { body } = await server.call('GET', path, undefined, { authorization: `Bearer ${key}` });
    return body.result.filter(({ sent }: { sent: number }) => sent > 0);
  };
  try {
    const noon = { date: '2026-05-10T12:00:00.000Z', sent: 10, delivered: 8, clicked: 2, bounced: 2 };
    expect(await read()).toEqual([{ ...noon, opened: 4, complained: 0 }]);
    const links = createPublicLinks(Buffer.from(SECRET, 'hex'), server.url);
    await fetch(links.open({ teamId: 1, emailId }), { headers: { 'user-agent': 'Firefox/140.0' } });
    await expect.poll(read).toEqual([{ ...noon, opened: 5, complained: 0 }]);
  } finally {
    await server.close();
    await pool.end();
    await database.drop();
  }
});

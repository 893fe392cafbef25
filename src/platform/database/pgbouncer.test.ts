import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pgbouncerVersion, startPgBouncer, type PgBouncer } from '../../testing/servers/pgbouncer.ts';
import { startMailWorld, type MailWorld } from '../../testing/mail-world.ts';
import { createTestDatabase, type TestDatabase } from '../../testing/test-database.ts';
import { startTestServer, type TestServer } from '../../testing/test-server.ts';
import { openDatabase } from './database.ts';

const version = pgbouncerVersion();
if (version === null) console.warn('PgBouncer is not installed: its tests are skipped.');

describe.skipIf(version === null)('through PgBouncer in transaction mode', () => {
  let own: TestDatabase;
  let bouncer: PgBouncer;
  let world: MailWorld;
  let second: TestServer;

  beforeAll(async () => {
    own = await createTestDatabase();
    bouncer = await startPgBouncer(own.url, { connections: 4 });
    const env = { DATABASE_URL: bouncer.url, DATABASE_DIRECT_URL: own.url };
    world = await startMailWorld({ doors: ['http', 'smtp', 'worker'], databaseUrl: own.url, env });
    second = await startTestServer({
      doors: ['http', 'worker'],
      databaseUrl: own.url,
      env: { ...env, DATA_DIR: world.server.config.dataDir },
    });
  }, 120_000);
  afterAll(async () => {
    await second.close();
    await world.close();
    await bouncer.close();
    await own.drop();
  });

  test('a campaign goes to everyone once, while contacts are imported and mail is received', async () => {
    const { team } = world;
    const { body: book } = await team.call('POST', '/contactBooks', { name: 'News' });
    const rows = Array.from({ length: 400 }, (_, at) => `u${at}@example.org,U${at}`);
    const file = ['email,firstName', ...rows].join('\n');
    const started = await team.call('POST', `/contactBooks/${book.id}/imports`, file, {
      'content-type': 'text/csv',
    });
    expect(started.status).toBeLessThan(300);
    await expect
      .poll(async () => (await team.call('GET', `/contactBooks/${book.id}`)).body._count.contacts, {
        timeout: 60_000,
      })
      .toBe(400);

    const { body: campaign } = await team.call('POST', '/campaigns', {
      name: 'News',
      from: 'News <news@harbour.test>',
      subject: 'Hello {{firstName}}',
      contactBookId: book.id,
      html: '<p>Hello {{firstName}}</p>',
      sendNow: true,
    });
    const box = await world.freshMailbox();
    for (let at = 0; at < 10; at++) await world.receive(box, { subject: `Note ${at}` });
    expect(await world.messageCount(box.id)).toBe(10);
    await expect
      .poll(async () => (await team.call('GET', `/campaigns/${campaign.id}`)).body, { timeout: 60_000 })
      .toMatchObject({ status: 'SENT', total: 400, sent: 400, delivered: 400 });
    const { rows: caught } = await sql<{ count: number; people: number }>`
      select count(*), count(distinct recipient) as people from sandbox_messages
    `.execute(world.server.db);
    expect(caught[0]).toEqual({ count: 400, people: 400 });
  }, 180_000);

  test('another process tells its clients of received mail, and forgets a revoked key', async () => {
    const { team } = world;
    const box = await world.freshMailbox();
    const headers = { authorization: `Bearer ${team.key}` };
    const stream = await fetch(`${second.url}/api/v1/mailboxes/${box.id}/events`, { headers });
    const reader = stream.body!.pipeThrough(new TextDecoderStream()).getReader();
    await world.receive(box, { subject: 'Live' });
    let text = '';
    while (!text.includes('message.received')) text += (await reader.read()).value ?? '';
    await reader.cancel();

    const { body: key } = await team.call('POST', '/api-keys', { name: 'Short', permission: 'full' });
    const list = () => second.call('GET', '/domains', undefined, { authorization: `Bearer ${key.key}` });
    expect((await list()).status).toBe(200);
    await team.call('DELETE', `/api-keys/${key.id}`);
    await expect.poll(async () => (await list()).status).toBe(401);
  }, 120_000);

  test('a session is rejected when the role changes what Posthorn relies on, and the error says what to do', async () => {
    const other = await createTestDatabase();
    const name = new URL(other.url).pathname.slice(1);
    await sql`alter database ${sql.id(name)} set bytea_output = 'escape'`.execute(world.server.db);
    const escaping = await startPgBouncer(other.url, { connections: 1 });
    const { pool, close } = openDatabase(escaping.url, { connections: 1, isPooled: true, onError: () => {} });
    await expect(pool.query('select 1')).rejects.toThrow(/bytea_output.*ALTER ROLE/);
    await close();
    await escaping.close();
    await other.drop();
  }, 60_000);
});

import { sql } from 'kysely';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { poolOf } from '../../../platform/database/database.ts';
import { createPresence, type Presence } from '../../../platform/database/presence.ts';
import { startDnsServer, type DnsServer } from '../../../testing/dns-server.ts';
import { startSmtpSink, type SmtpSink } from '../../../testing/smtp-sink.ts';
import { startTestServer, type TestServer, type TestTeam } from '../../../testing/test-server.ts';

const HOST = '127.0.25.3';

/** Port 25 may need privileges; without them these tests are skipped. */
const sink: SmtpSink | null = await startSmtpSink({ host: HOST, port: 25 }).catch(() => null);

function rated() {
  return sink!.messages.filter(({ recipients }) => recipients[0]!.endsWith('@rated.test'));
}

describe.runIf(sink)('connections to a destination', () => {
  let dns: DnsServer;
  let servers: TestServer[];
  let team: TestTeam;
  const otherId = randomUUID();
  let other: Presence | undefined;

  beforeAll(async () => {
    dns = await startDnsServer();
    dns.zone['full.test'] = { MX: [{ priority: 10, exchange: 'mx.full.test' }] };
    dns.zone['rated.test'] = { MX: [{ priority: 10, exchange: 'mx.full.test' }] };
    dns.zone['mx.full.test'] = { A: [HOST] };
    const env = {
      DNS_SERVERS: dns.address,
      MAIL_HOST: 'mx.posthorn.example',
      MAIL_TRANSPORT: 'direct',
      DIRECT_ALLOW_PRIVATE: 'true',
      DKIM_SIGN: 'false',
      DESTINATION_RATES: 'rated.test=12',
    };
    const first = await startTestServer({ doors: ['http', 'worker'], env });
    const { databaseUrl, dataDir } = first.config;
    const others = [1, 2].map(() =>
      startTestServer({
        doors: ['worker'],
        databaseUrl: databaseUrl!,
        env: { ...env, DATA_DIR: dataDir },
      }),
    );
    servers = [...(await Promise.all(others)), first];
    team = await first.createTeam();
    const { body } = await team.call('POST', '/domains', { name: 'shop.test' });
    await sql`update domains set held = true, status = 'SUCCESS' where id = ${body.id}`.execute(first.db);
  }, 120_000);
  afterAll(async () => {
    other?.close();
    for (const server of servers) await server.close();
    await dns.close();
    await sink!.close();
  });
  beforeEach(() => sink!.reset());

  async function send(count: number, domain = 'full.test', from = 0): Promise<void> {
    const emails = Array.from({ length: count }, (_, at) => ({
      from: 'Ada <ada@shop.test>',
      to: `p${from + at}@${domain}`,
      subject: 'Tea',
      text: 'At four?',
    }));
    expect((await team.call('POST', '/emails/batch', emails)).status).toBe(200);
  }

  async function countSlots(): Promise<number> {
    const { rows } = await sql<{ count: number }>`
      select count(*) from destination_connections
    `.execute(servers.at(-1)!.db);
    return rows[0]!.count;
  }

  test('are no more than five, however many processes send to it, and everyone gets the mail once', async () => {
    sink!.behave({ dripMs: 3 });
    sink!.connections.most = 0;
    await send(40);
    await expect.poll(() => sink!.messages.length, { timeout: 90_000 }).toBe(40);
    expect(sink!.connections.most).toBeGreaterThan(1);
    expect(sink!.connections.most).toBeLessThanOrEqual(5);
    expect(new Set(sink!.messages.map(({ recipients }) => recipients[0])).size).toBe(40);
    // Each process closes its idle connections and releases their slots.
    await expect.poll(countSlots, { timeout: 60_000 }).toBe(0);
  }, 180_000);

  /** As another process that is alive. */
  async function takeAllSlots(): Promise<void> {
    const { db } = servers.at(-1)!;
    other ??= createPresence(poolOf(db));
    await other.show([otherId]);
    await sql`
      insert into destination_connections (destination, slot, worker_id, expires_at)
      select 'full.test', slot, ${otherId}, now() + interval '1 hour' from generate_series(1, 5) as slot
      on conflict (destination, slot) do update set worker_id = excluded.worker_id, expires_at = excluded.expires_at
    `.execute(db);
  }

  test('that others have are waited for without an attempt, and those of a dead process end with their lease', async () => {
    const { db } = servers.at(-1)!;
    await takeAllSlots();
    await send(20);
    const total = sink!.connections.total;
    // Each process in turn finds that no connection is left for it, and returns the mail to the queue.
    await expect
      .poll(
        async () => {
          const { rows } = await sql<{ free: number; attempts: number }>`
            select count(*) filter (where leased_by is null) as free, max(attempts) as attempts from deliveries
          `.execute(db);
          return rows[0];
        },
        { timeout: 60_000 },
      )
      .toEqual({ free: 20, attempts: 0 });
    expect(sink!.connections.total).toBe(total);
    await sql`update destination_connections set expires_at = now()`.execute(db);
    await expect.poll(() => sink!.messages.length, { timeout: 60_000 }).toBe(20);
  }, 180_000);

  test('that are taken keep thousands of messages aside, and all of them are sent once there is a connection', async () => {
    const { db } = servers.at(-1)!;
    await takeAllSlots();
    for (let from = 0; from < 1_600; from += 100) await send(100, 'full.test', from);
    const countAside = async () => {
      const { rows } = await sql<{ aside: number; crowded: number }>`
        select (select count(*) from deliveries where set_aside) as aside,
          (select count(*) from crowded_destinations) as crowded
      `.execute(db);
      return rows[0]!;
    };
    // The first 500 stay in the queue.
    await expect.poll(async () => (await countAside()).aside, { timeout: 60_000 }).toBe(1_100);
    // Fewer deliveries are enough for the rest: 100 of the first ones, and more set aside than one step takes back.
    await sql`
      with numbered as (
        select email_id, row_number() over (partition by set_aside) as no, set_aside from deliveries
      )
      delete from deliveries d using numbered n
      where d.email_id = n.email_id and n.no > case when n.set_aside then 600 else 100 end
    `.execute(db);
    await sql`update destination_connections set expires_at = now()`.execute(db);
    await expect.poll(() => sink!.messages.length, { timeout: 240_000 }).toBe(700);
    expect(new Set(sink!.messages.map(({ recipients }) => recipients[0])).size).toBe(700);
    await expect.poll(countAside, { timeout: 60_000 }).toEqual({ aside: 0, crowded: 0 });
  }, 400_000);

  test('get no more messages in a time than their rate allows, from all processes together', async () => {
    const startedAt = performance.now();
    await send(3, 'rated.test');
    await expect.poll(() => rated().length, { timeout: 60_000 }).toBe(3);
    // One message is sent immediately, and one more every five seconds.
    expect(performance.now() - startedAt).toBeGreaterThan(9_900);
    expect(new Set(rated().map(({ recipients }) => recipients[0])).size).toBe(3);
  }, 120_000);
});

import { mkdtempSync, rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, expect, test, vi } from 'vitest';
import { loadInstanceSecret } from '../../../platform/crypto.ts';
import { openEmbeddedPostgres } from '../../../platform/embedded-postgres.ts';
import { encodeId, newUuid } from '../../../platform/ids.ts';
import { startTestServer } from '../../../testing/test-server.ts';
import { createPublicLinks } from '../../content/links/links.ts';

const BROWSER =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36';
const TARGET = 'https://shop.example/a?b=c#d';

afterEach(() => vi.restoreAllMocks());

async function visit(url: string) {
  const answer = await fetch(url, { redirect: 'manual', headers: { 'user-agent': BROWSER } });
  await answer.arrayBuffer();
  return [answer.status, answer.headers.get('location')];
}

test('links work while the database is unavailable, and every visit counts when it is back', async ({
  signal,
}) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'posthorn-visits-'));
  let postgres = await openEmbeddedPostgres(dataDir, { durable: false });
  const server = await startTestServer({ databaseUrl: postgres.url });
  const { teamId, call } = await server.createTeam();
  const ids = Array.from({ length: 40 }, newUuid);
  await sql`
    insert into emails (team_id, id, domain_id, source, status, sender, to_addresses, cc_addresses, bcc_addresses,
      reply_to, subject, message_id, first_tried_at)
    select ${teamId}, id, 1, 'api', 'DELIVERED', 'a@shop.test', '{b@example.org}', '{}', '{}', '{}', '', id, now()
    from unnest(${ids}::uuid[]) as id
  `.execute(server.db);
  const links = createPublicLinks(loadInstanceSecret(server.config.dataDir), server.url);

  await postgres.leave();
  for (const emailId of ids) {
    const email = { teamId, emailId };
    for (let round = 0; round < 5; round += 1) expect(await visit(links.open(email))).toEqual([200, null]);
    expect(await visit(links.click(email, TARGET))).toEqual([302, TARGET]);
  }
  expect(await visit(`${links.click({ teamId, emailId: ids[0]! }, TARGET)}x`)).toEqual([404, null]);

  // The length of the outage does not matter, so the clock jumps an hour ahead, and another write fails. A test that
  // timed out continues in the background, where nothing would reset the clock.
  signal.throwIfAborted();
  const now = performance.now.bind(performance);
  vi.spyOn(performance, 'now').mockImplementation(() => now() + 3_600_000);
  await sleep(500);
  postgres = await openEmbeddedPostgres(dataDir, { durable: false });
  const counted = async () => {
    const { rows } = await sql`
      select sum(opens)::integer as opens, sum(human_opens)::integer as "humanOpens", sum(clicks)::integer as clicks,
        sum(human_clicks)::integer as "humanClicks"
      from email_visits
    `
      .execute(server.db)
      .catch(() => ({ rows: [] }));
    return rows[0];
  };
  await expect
    .poll(counted, { interval: 50 })
    .toEqual({ opens: 200, humanOpens: 200, clicks: 40, humanClicks: 40 });
  const { body } = await call('GET', `/emails/${encodeId('eml', ids[7]!)}`);
  expect(body.status).toBe('CLICKED');
  expect(body.emailEvents.map(({ status }: { status: string }) => status).toSorted()).toEqual([
    'CLICKED',
    'OPENED',
  ]);
  vi.restoreAllMocks();
  await server.close();
  await postgres.leave();
  rmSync(dataDir, { recursive: true, force: true });
});

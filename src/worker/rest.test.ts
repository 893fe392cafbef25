import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { untilNextStart } from '../features/campaigns/running/runner.ts';
import { untilNextDelivery } from '../features/delivery/claim.ts';
import { newUuid } from '../platform/ids.ts';
import { startTestServer } from '../testing/test-server.ts';

test('a loop without work waits before it queries the database again', async () => {
  const server = await startTestServer();
  expect(await untilNextDelivery(server.db)).toBeNull();
  expect(await untilNextStart(server.db)).toBe(5_000);
  await server.close();
});

test('the delivery worker waits until the first delivery that may be sent, of any priority', async () => {
  const server = await startTestServer();
  const { teamId } = await server.createTeam();
  const paused = newUuid();
  await sql`
    insert into campaigns (team_id, id, domain_id, name, sender, subject, reply_to, cc_addresses, bcc_addresses,
      contact_book_ids, exclude_segment_ids, status, batch_size, begun_at)
    values (${teamId}, ${paused}, 1, 'Held', 'a@b.test', 'Held', '{}', '{}', '{}', '{}', '{}', 'PAUSED', 500, now())
  `.execute(server.db);
  await sql`
    insert into deliveries (team_id, email_id, recipient_no, domain_id, recipient, recipient_domain, priority, due_at,
      campaign_id)
    values (${teamId}, ${newUuid()}, 0, 1, 'a@b.test', 'b.test', 0, now() + interval '3 hours', null),
      (${teamId}, ${newUuid()}, 0, 1, 'a@b.test', 'b.test', 1, now() + interval '2 hours', ${newUuid()}),
      (${teamId}, ${newUuid()}, 0, 1, 'a@b.test', 'b.test', 1, now() + interval '1 hour', ${paused})
  `.execute(server.db);
  expect(Math.ceil((await untilNextDelivery(server.db))! / 3_600_000)).toBe(2);
  await server.close();
});

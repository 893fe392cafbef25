import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { inTransaction, openDatabase, type Database, type Db } from '../../platform/database/database.ts';
import { decodeId, encodeId, newUuid } from '../../platform/ids.ts';
import { countWaiting } from '../../testing/count-waiting.ts';
import { dsn } from '../../testing/clients/reports.ts';
import { startTestServer, type TestServer, type TestTeam } from '../../testing/test-server.ts';
import { freeLeases, renewLeases } from '../../platform/due/due.ts';
import { DELIVERY_LEASES, toLeaseKey } from './claim.ts';
import { recordReport } from './reports/reports.ts';

let server: TestServer;
let team: TestTeam;
let other: Database;

beforeAll(async () => {
  server = await startTestServer();
  other = openDatabase(server.config.databaseUrl!, { connections: 2, onError: () => {} });
  team = await server.createTeam();
  const { body: domain } = await team.call('POST', '/domains', { name: 'shop.test' });
  await team.call('PUT', `/domains/${domain.id}/verify`);
});
afterAll(async () => {
  await other.close();
  await server.close();
});

async function queueEmail(): Promise<string> {
  const { body } = await team.call('POST', '/emails', {
    from: 'a@shop.test',
    to: 'someone@example.org',
    subject: 'Hello',
    text: 'Hello',
  });
  return decodeId('eml', body.emailId)!;
}

/** Holds the lock that recording an outcome holds before it commits. */
async function whileLocked(emailId: string, work: (trx: Db) => Promise<unknown>): Promise<void> {
  await inTransaction(server.db, async (trx) => {
    await sql`select from deliveries where email_id = ${emailId} for update`.execute(trx);
    await work(trx);
  });
}

function keyOf(emailId: string) {
  return { teamId: team.teamId, emailId, recipientNo: 0 };
}

async function dueIn(emailId: string): Promise<number> {
  const { rows } = await sql<{ seconds: number }>`
    select extract(epoch from due_at - now())::float8 as seconds from deliveries where email_id = ${emailId}
  `.execute(server.db);
  return rows[0]!.seconds;
}

test('leases are renewed and freed without waiting for an outcome that is being written', async () => {
  const [first, second] = [await queueEmail(), await queueEmail()];
  const workerId = newUuid();
  await sql`update deliveries set leased_by = ${workerId}`.execute(server.db);
  await whileLocked(first, () =>
    renewLeases(other.db, DELIVERY_LEASES, workerId, [keyOf(first), keyOf(second)].map(toLeaseKey)),
  );
  expect(await dueIn(first)).toBeLessThanOrEqual(0);
  expect(await dueIn(second)).toBeGreaterThan(10);
  await whileLocked(second, () => freeLeases(other.db, DELIVERY_LEASES, [workerId]));
  const { rows } = await sql`select email_id from deliveries where leased_by = ${workerId}`.execute(
    server.db,
  );
  expect(rows).toEqual([{ email_id: second }]);
});

test('a report that arrives before the outcome waits without holding locks that the outcome needs', async () => {
  const emailId = await queueEmail();
  let reporting = Promise.resolve(false);
  await whileLocked(emailId, async (trx) => {
    reporting = recordReport(
      other.db,
      { teamId: team.teamId, emailId, recipientNo: 0 },
      Buffer.from(dsn('someone@example.org', 'failed', '5.1.1').replaceAll('\n', '\r\n')),
    );
    await expect.poll(() => countWaiting(other.db)).toBeGreaterThan(0);
    await sql`select from email_recipients where email_id = ${emailId} for update nowait`.execute(trx);
    await sql`select from emails where id = ${emailId} for update nowait`.execute(trx);
  });
  await reporting;
  const { rows } = await sql`select status from emails where id = ${emailId}`.execute(server.db);
  expect(rows).toEqual([{ status: 'BOUNCED' }]);
});

test('two reports that are each about the other email do not deadlock', async () => {
  const [first, second] = [await queueEmail(), await queueEmail()];
  let tries = 0;
  const report = (emailId: string, about: string) => {
    const raw = dsn('someone@example.org', 'delayed', '4.2.0', `<${encodeId('eml', about)}@shop.test>`);
    // inTransaction retries a transaction that ends in a deadlock.
    return inTransaction(other.db, (trx) => {
      tries += 1;
      const sentTo = { teamId: team.teamId, emailId, recipientNo: 0 };
      return recordReport(trx, sentTo, Buffer.from(raw.replaceAll('\n', '\r\n')));
    });
  };
  const { reporting } = await inTransaction(server.db, async (trx) => {
    await sql`select from email_recipients where email_id in (${first}, ${second}) for update`.execute(trx);
    const both = Promise.all([report(first, second), report(second, first)]);
    both.catch(() => {});
    // Each transaction has locked its own email by now.
    await expect.poll(() => countWaiting(server.db)).toBe(2);
    return { reporting: both };
  });
  expect(await reporting).toEqual([true, true]);
  expect(tries).toBe(2);
  const { rows } = await sql`
    select subject_id as email_id from events where type = 'email.delivery_delayed' order by subject_id`.execute(
    server.db,
  );
  expect(rows).toEqual([first, second].toSorted().map((id) => ({ email_id: id })));
});

/** Tests that a wrong clock of a process does not affect authentication, and that stored times are correct. */
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { createPublicLinks, hashAddress } from '../features/content/links/links.ts';
import { loadInstanceSecret } from '../platform/crypto.ts';
import { databaseNow } from '../platform/database/database.ts';
import { decodeId, encodeId, newUuid } from '../platform/ids.ts';
import { setUpOwner, signIn, type TestPerson } from '../testing/people.ts';
import { createCall, startTestServer, type TestServer, type TestTeam } from '../testing/test-server.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const HOUR_MS = 60 * 60 * 1000;
/** Longer than a session is valid. */
const WRONG_BY_MS = 40 * DAY_MS;

let server: TestServer;
let team: TestTeam;
let owner: TestPerson;
/** The time by the correct clock. */
let now: number;

beforeAll(async () => {
  server = await startTestServer();
  team = await server.createTeam();
  owner = await setUpOwner(server);
  await team.call('POST', '/domains', { name: 'shop.test' });
  await sql`update domains set held = true, status = 'SUCCESS'`.execute(server.db);
  now = (await databaseNow(server.db)).getTime();
});
afterEach(() => vi.useRealTimers());
afterAll(() => server.close());

/** Changes only the current time. Timers are not affected. */
function moveClock(ms: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: now + ms });
}

function isNow(time: string | Date | null): boolean {
  return time !== null && Math.abs(new Date(time).getTime() - now) < HOUR_MS / 2;
}

function links() {
  return createPublicLinks(loadInstanceSecret(server.config.dataDir), server.url);
}

async function createKey(expiresInMs: number): Promise<{ status: number; key: string; id: string }> {
  const expiresAt = new Date(now + expiresInMs).toISOString();
  const { status, body } = await team.call('POST', '/api-keys', { name: 'x', permission: 'full', expiresAt });
  return { status, key: body.key, id: body.id };
}

async function createConfirmLink(expiresInMs: number): Promise<string> {
  const { body: book } = await team.call('POST', '/contactBooks', { name: 'News', doubleOptInEnabled: true });
  const { body } = await team.call('POST', `/contactBooks/${book.id}/contacts`, { email: 'ada@example.org' });
  return links().confirm({
    teamId: team.teamId,
    contactBookId: decodeId('cbk', book.id)!,
    contactId: decodeId('con', body.contactId)!,
    addressHash: hashAddress('ada@example.org'),
    expiresAt: new Date(now + expiresInMs),
  });
}

async function confirm(link: string): Promise<string> {
  return (await fetch(link, { method: 'POST' })).text();
}

describe('a process whose clock is ahead', () => {
  test('accepts and creates API keys that have not expired', async () => {
    moveClock(WRONG_BY_MS);
    const { status, key } = await createKey(HOUR_MS);
    expect(status).toBe(200);
    expect((await createCall(server.url, key)('GET', '/team')).status).toBe(200);
  });

  test('accepts a session that has not expired', async () => {
    const person = await signIn(server, owner.email);
    moveClock(WRONG_BY_MS);
    expect((await person.call('GET', '/auth/session')).status).toBe(200);
  });

  test('accepts a confirmation that has not expired', async () => {
    const link = await createConfirmLink(HOUR_MS);
    moveClock(WRONG_BY_MS);
    expect(await confirm(link)).toContain('ada@example.org is subscribed');
  });
});

describe('a process whose clock is behind', () => {
  test('neither accepts nor creates API keys that have expired', async () => {
    const { id, key } = await createKey(HOUR_MS);
    await sql`
      update api_keys set expires_at = now() - interval '1 hour' where id = ${decodeId('key', id)}`.execute(
      server.db,
    );
    moveClock(-WRONG_BY_MS);
    expect((await createCall(server.url, key)('GET', '/team')).status).toBe(401);
    expect((await createKey(-HOUR_MS)).status).toBe(400);
  });

  test('rejects a session that has expired', async () => {
    const person = await signIn(server, owner.email);
    await sql`update sessions set expires_at = now() - interval '1 hour'`.execute(server.db);
    moveClock(-WRONG_BY_MS);
    expect((await person.call('GET', '/auth/session')).status).toBe(401);
  });

  test('rejects a confirmation that has expired', async () => {
    const link = await createConfirmLink(-HOUR_MS);
    moveClock(-WRONG_BY_MS);
    expect(await confirm(link)).not.toContain('is subscribed');
  });
});

describe.each([
  ['ahead', WRONG_BY_MS],
  ['behind', -WRONG_BY_MS],
])('when the clock is %s', (_, ms) => {
  test('a campaign is scheduled at the right time', async () => {
    const { body: book } = await team.call('POST', '/contactBooks', { name: 'News' });
    moveClock(ms);
    const draft = { name: 'N', from: 'a@shop.test', subject: 'N', contactBookId: book.id, html: '<p>N</p>' };
    const { body } = await team.call('POST', '/campaigns', { ...draft, scheduledAt: 'in 5 hours' });
    expect(isNow(new Date(Date.parse(body.scheduledAt) - 5 * HOUR_MS))).toBe(true);
  });

  test('visits are recorded immediately and with the right time', async () => {
    const emailId = newUuid();
    await sql`
      insert into emails (team_id, id, domain_id, source, status, sender, to_addresses, cc_addresses, bcc_addresses,
        reply_to, subject, message_id, first_tried_at)
      values (${team.teamId}, ${emailId}, 1, 'api', 'DELIVERED', 'a@shop.test', '{b@example.org}', '{}', '{}', '{}', '',
        ${emailId}, now())
    `.execute(server.db);
    const browser = {
      'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
    };
    const visit = (url: string) => fetch(url, { redirect: 'manual', headers: browser });
    // The clock changes while a click waits to be classified.
    await visit(links().click({ teamId: team.teamId, emailId }, 'https://shop.example/'));
    moveClock(ms);
    await visit(links().open({ teamId: team.teamId, emailId }));
    const read = async () => (await team.call('GET', `/emails/${encodeId('eml', emailId)}`)).body.emailEvents;
    await expect.poll(async () => (await read()).length).toBe(2);
    expect((await read()).map(({ createdAt }: { createdAt: string }) => isNow(createdAt))).toEqual([
      true,
      true,
    ]);
  });

  test('an import does not count as stalled, and the last use of a key has the right time', async () => {
    const { body: book } = await team.call('POST', '/contactBooks', { name: 'News' });
    const { id, key } = await createKey(HOUR_MS);
    moveClock(ms);
    const csv = { 'content-type': 'text/csv' };
    const imports = `/contactBooks/${book.id}/imports`;
    await createCall(server.url, key)('POST', imports, 'email\na@example.org\n', csv);
    const { rows } = await sql<{ at: Date }>`
      select updated_at as at from contact_imports where contact_book_id = ${decodeId('cbk', book.id)}
    `.execute(server.db);
    expect(rows.map(({ at }) => isNow(at))).toEqual([true]);
    const used = async () => {
      const { rows: keys } = await sql<{ at: Date | null }>`
        select last_used_at as at from api_keys where id = ${decodeId('key', id)}`.execute(server.db);
      return keys[0]!.at;
    };
    await expect.poll(used, { interval: 50 }).not.toBeNull();
    expect(isNow(await used())).toBe(true);
  });
});

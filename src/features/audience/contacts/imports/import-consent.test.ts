import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { countWaiting } from '../../../../testing/count-waiting.ts';
import { createTestDatabase } from '../../../../testing/test-database.ts';
import { startTestServer, type TestServer, type TestTeam } from '../../../../testing/test-server.ts';
import { inTransaction } from '../../../../platform/database/database.ts';
import { decodeId } from '../../../../platform/ids.ts';
import { runContactImport } from './import-run.ts';
import type { ContactImport } from './imports.schema.ts';

let server: TestServer;
let team: TestTeam;

beforeAll(async () => {
  server = await startTestServer({ doors: ['http', 'worker'] });
  team = await createSender(server);
});
afterAll(() => server.close());

const CSV = { 'content-type': 'text/csv' };

/** Creates a team with a verified domain, so that confirmations can be sent. */
async function createSender(on: TestServer): Promise<TestTeam> {
  const owner = await on.createTeam();
  await owner.call('POST', '/domains', { name: `sender${owner.teamId}.test` });
  await sql`update domains set held = true, status = 'SUCCESS' where team_id = ${owner.teamId}`.execute(
    on.db,
  );
  return owner;
}

async function createBook(owner = team, doubleOptInEnabled = true): Promise<string> {
  const { body } = await owner.call('POST', '/contactBooks', { name: 'Careful', doubleOptInEnabled });
  return `/contactBooks/${body.id}`;
}

async function upload(book: string, file: string, query = '', owner = team): Promise<ContactImport> {
  const { status, body } = await owner.call('POST', `${book}/imports${query}`, file, CSV);
  expect({ status, body }).toMatchObject({ status: 200, body: { status: 'PENDING' } });
  return body;
}

async function waitUntilFinished(book: string, id: string, owner = team): Promise<ContactImport> {
  let last: ContactImport;
  await expect
    .poll(
      async () => {
        last = (await owner.call('GET', `${book}/imports/${id}`)).body;
        return last.finishedAt !== null && last.confirmationsWaiting === 0;
      },
      { timeout: 30_000, interval: 20 },
    )
    .toBe(true);
  return last!;
}

async function importFile(book: string, file: string, query = ''): Promise<ContactImport> {
  return waitUntilFinished(book, (await upload(book, file, query)).id);
}

async function contactsOf(book: string) {
  const { body } = await team.call('GET', `${book}/contacts?limit=100`);
  return Object.fromEntries(body.items.map((contact: { email: string }) => [contact.email, contact]));
}

/** Lists the recipients of all emails of the team. */
async function listRecipients(on: TestServer, owner: TestTeam): Promise<string[]> {
  const { rows } = await sql<{ to: string }>`
    select unnest(to_addresses) as to from emails where team_id = ${owner.teamId} order by 1
  `.execute(on.db);
  return rows.map(({ to }) => to);
}

describe('an import into a book with double opt-in', () => {
  test('sends no confirmations by default, not even to contacts that were already pending', async () => {
    const book = await createBook();
    await importFile(book, 'email\na@none.example\n');
    const again = await importFile(
      book,
      'email,subscribed\na@none.example,yes\nb@none.example,yes\n',
      '?consent=none',
    );
    expect(again).toMatchObject({ consent: 'none', consentNote: null, created: 1, updated: 1 });
    const contacts = await contactsOf(book);
    for (const email of ['a@none.example', 'b@none.example']) {
      expect(contacts[email]).toMatchObject({ subscribed: false, unsubscribeReason: null, consent: null });
    }
    expect((await listRecipients(server, team)).filter((email) => email.endsWith('@none.example'))).toEqual(
      [],
    );
  });

  test('with consent=ask sends each contact one confirmation', async () => {
    const book = await createBook();
    await importFile(book, 'email\na@ask.example\n');
    const result = await importFile(book, 'email\na@ask.example\nb@ask.example\n', '?consent=ask');
    expect(result).toMatchObject({ consent: 'ask', confirmationsWaiting: 0 });
    await importFile(book, 'email\na@ask.example\nb@ask.example\n', '?consent=ask');
    const asked = (await listRecipients(server, team)).filter((email) => email.endsWith('@ask.example'));
    expect(asked).toEqual(['a@ask.example', 'b@ask.example']);
    expect((await contactsOf(book))['b@ask.example']).toMatchObject({ subscribed: false, consent: null });
  });

  test('with consent=confirmed subscribes contacts immediately and records the note, author and time', async () => {
    const book = await createBook();
    await importFile(book, 'email\npending@yes.example\n');
    const note = 'Paper list, fair of 3 May';
    const query = `?consent=confirmed&consentNote=${encodeURIComponent(note)}`;
    const result = await importFile(book, 'email\nnew@yes.example\npending@yes.example\n', query);
    expect(result).toMatchObject({ consent: 'confirmed', consentNote: note });
    const contacts = await contactsOf(book);
    for (const email of ['new@yes.example', 'pending@yes.example']) {
      expect(contacts[email]).toMatchObject({
        subscribed: true,
        consent: { source: 'import', importId: result.id, note, by: expect.stringMatching(/^key_/) },
      });
      expect(Math.abs(Date.parse(contacts[email].consent.at) - Date.now())).toBeLessThan(60_000);
    }
    expect((await listRecipients(server, team)).filter((email) => email.endsWith('@yes.example'))).toEqual(
      [],
    );
    // The consent does not cover a new address.
    const path = `${book}/contacts/${contacts['new@yes.example'].id}`;
    await team.call('PUT', path, { email: 'other@yes.example' });
    expect((await team.call('GET', path)).body).toMatchObject({ subscribed: false, consent: null });
  });

  test('never resubscribes a contact that unsubscribed or is suppressed', async () => {
    const book = await createBook();
    await importFile(book, 'email,subscribed\nleft@back.example,no\nsuppressed@back.example,yes\n');
    for (const email of ['suppressed@back.example', 'new@back.example']) {
      expect((await team.call('POST', '/suppressions', { email })).status).toBe(200);
    }
    await importFile(
      book,
      'email,subscribed\nleft@back.example,yes\nsuppressed@back.example,yes\nnew@back.example,yes\nno@back.example,no\n',
      '?consent=confirmed',
    );
    const contacts = await contactsOf(book);
    for (const name of ['left', 'suppressed', 'new', 'no']) {
      expect(contacts[`${name}@back.example`]).toMatchObject({ subscribed: false, consent: null });
    }
    expect(contacts['left@back.example'].unsubscribeReason).toBe('UNSUBSCRIBED');
  });

  test.each([
    '?consent=yes',
    '?consent=',
    '?consent=confirmed&consentNote=',
    `?consentNote=${'x'.repeat(1_001)}`,
  ])('is refused with %s', async (query) => {
    const { status, body } = await team.call('POST', `${await createBook()}/imports${query}`, 'email\n', CSV);
    expect([status, body.error.code]).toEqual([400, 'BAD_REQUEST']);
  });
});

test('a book without double opt-in subscribes immediately, records consent and rejects consent=ask', async () => {
  const book = await createBook(team, false);
  await importFile(book, 'email\nplain@one.example\n');
  await importFile(
    book,
    'email\nplain@one.example\nnoted@one.example\n',
    '?consent=confirmed&consentNote=fair',
  );
  const contacts = await contactsOf(book);
  expect(contacts['plain@one.example']).toMatchObject({ subscribed: true, consent: null });
  expect(contacts['noted@one.example']).toMatchObject({ subscribed: true, consent: { note: 'fair' } });
  const refused = await team.call('POST', `${book}/imports?consent=ask`, 'email\n', CSV);
  expect([refused.status, refused.body.error.message]).toEqual([
    400,
    expect.stringContaining('double opt-in is off'),
  ]);
});

describe('cancelling', () => {
  test('a running import keeps the rows stored so far and shows it as CANCELLED', async () => {
    const book = await createBook(team, false);
    const lines = Array.from({ length: 100_000 }, (_, index) => `p${index}@stop.example`).join('\n');
    const { id } = await upload(book, `email\n${lines}`);
    const path = `${book}/imports/${id}`;
    await expect
      .poll(async () => (await team.call('GET', path)).body.rows, { interval: 20 })
      .toBeGreaterThan(0);
    const { status, body } = await team.call('DELETE', path);
    expect({ status, body }).toMatchObject({ status: 200, body: { id, status: 'CANCELLED' } });
    expect(body.finishedAt).not.toBeNull();
    expect(body.rows).toBeLessThan(100_000);
    const again = await team.call('DELETE', path);
    expect([again.status, again.body]).toEqual([200, body]);
    await waitForNoJobs(server, 'run-contact-import');
    expect((await team.call('GET', book)).body._count.contacts).toBe(body.created);
    expect((await team.call('GET', `${book}/imports`)).body.items).toEqual([body]);
    const { rows } = await sql`select 1 from contact_import_chunks`.execute(server.db);
    expect(rows).toEqual([]);
  });

  test('is 409 for a finished import and 404 for one of another book or team', async () => {
    const book = await createBook();
    const { id } = await importFile(book, 'email\nx\n');
    const refused = await team.call('DELETE', `${book}/imports/${id}`);
    expect([refused.status, refused.body.error.code]).toEqual([409, 'CONFLICT']);
    const stranger = await server.createTeam();
    expect((await stranger.call('DELETE', `${book}/imports/${id}`)).status).toBe(404);
    expect((await team.call('DELETE', `${await createBook()}/imports/${id}`)).status).toBe(404);
    expect((await team.call('GET', `${book}/imports/${id}`)).body.status).toBe('DONE');
  });

  test('also stops waiting confirmations; another import keeps its consent over a restart', async () => {
    const database = await createTestDatabase();
    const first = await startTestServer({ doors: ['http'], databaseUrl: database.url });
    const owner = await createSender(first);
    const book = await createBook(owner);
    const asked = await upload(book, 'email\na@later.example\nb@later.example\n', '?consent=ask', owner);
    const waiting = await upload(
      book,
      'email\nc@later.example\n',
      '?consent=confirmed&consentNote=fair',
      owner,
    );
    await runContactImport(first.db, owner.teamId, decodeId('imp', asked.id)!);
    const read = (await owner.call('GET', `${book}/imports/${asked.id}`)).body;
    expect(read).toMatchObject({ status: 'DONE', created: 2, confirmationsWaiting: 2 });
    const stopped = await owner.call('DELETE', `${book}/imports/${asked.id}`);
    expect(stopped.body).toMatchObject({
      status: 'CANCELLED',
      created: 2,
      confirmationsWaiting: 0,
      progress: 1,
    });
    await first.close();

    const second = await startTestServer({ doors: ['http', 'worker'], databaseUrl: database.url });
    const call = (path: string) =>
      second.call('GET', path, undefined, { authorization: `Bearer ${owner.key}` });
    await expect.poll(async () => (await call(`${book}/imports/${waiting.id}`)).body.status).toBe('DONE');
    await waitForNoJobs(second, 'send-confirmations');
    expect(await listRecipients(second, owner)).toEqual([]);
    const { body } = await call(`${book}/contacts?email=c@later.example`);
    expect(body.items).toMatchObject([{ subscribed: true, consent: { note: 'fair' } }]);
    await second.close();
    await database.drop();
  }, 60_000);
});

async function waitForNoJobs(on: TestServer, task: string): Promise<void> {
  await expect
    .poll(
      async () => {
        const { rows } = await sql`
          select 1 from jobs where name = ${task}
        `.execute(on.db);
        return rows.length;
      },
      { interval: 20 },
    )
    .toBe(0);
}

test('deleting a book while confirmations of an import are sent does not deadlock', async () => {
  const quiet = await startTestServer();
  const owner = await createSender(quiet);
  const book = await createBook(owner);
  const { id } = await upload(book, 'email\na@ask.example\nb@ask.example\n', '?consent=ask', owner);
  await runContactImport(quiet.db, owner.teamId, decodeId('imp', id)!);
  let worker: TestServer | null = null;
  const { deleting } = await inTransaction(quiet.db, async (trx) => {
    await sql`select from contacts where email = 'b@ask.example' for update`.execute(trx);
    worker = await startTestServer({ databaseUrl: quiet.config.databaseUrl!, doors: ['worker'] });
    await expect.poll(() => countWaiting(quiet.db)).toBe(1);
    return { deleting: owner.call('DELETE', book) };
  });
  expect((await deleting).status).toBe(200);
  expect((await owner.call('GET', book)).status).toBe(404);
  await worker!.close();
  await quiet.close();
});

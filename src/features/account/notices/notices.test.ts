import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { decodeId } from '../../../platform/ids.ts';
import { MAX_ATTEMPTS } from '../../../platform/jobs/jobs.ts';
import { MOST_SIGN_UPS } from '../../audience/contacts/upsert-contacts.ts';
import { startDnsServer, type DnsServer } from '../../../testing/dns-server.ts';
import { addPerson, setUpOwner } from '../../../testing/people.ts';
import { startTestServer, type TestServer, type TestTeam } from '../../../testing/test-server.ts';

// This server runs no worker, so jobs wait until a test starts one.
let server: TestServer;
let team: TestTeam;
let dns: DnsServer;

beforeAll(async () => {
  dns = await startDnsServer();
  server = await startTestServer({ env: { WEBHOOK_ALLOW_PRIVATE: 'true' } });
  team = await server.createTeam();
});
afterAll(async () => {
  await server.close();
  await dns.close();
});

function startWorker(): Promise<TestServer> {
  const databaseUrl = server.config.databaseUrl!;
  return startTestServer({ databaseUrl, doors: ['worker'], env: { DNS_SERVERS: dns.address } });
}

/** Makes everything that waits look two minutes older. */
async function letTimePass(): Promise<void> {
  await sql`
    update jobs set due_at = due_at - interval '2 minutes',
      first_due_at = first_due_at - interval '2 minutes'`.execute(server.db);
  await sql`update contact_imports set updated_at = updated_at - interval '2 minutes'`.execute(server.db);
  await sql`update webhook_calls set due_at = due_at - interval '2 minutes'`.execute(server.db);
  await sql`update webhooks set rests_until = rests_until - interval '2 minutes'`.execute(server.db);
}

async function kindsIn(of: TestTeam): Promise<string[]> {
  const { body } = await of.call('GET', '/notices');
  return body.items.map(({ kind }: { kind: string }) => kind).toSorted();
}

async function readMetrics(): Promise<Map<string, number>> {
  const text = await (await fetch(`${server.url}/metrics`)).text();
  return new Map(
    text.split('\n').map((line): [string, number] => {
      const space = line.lastIndexOf(' ');
      return [line.slice(0, space), Number(line.slice(space))];
    }),
  );
}

async function readMetric(series: string): Promise<number | undefined> {
  return (await readMetrics()).get(series);
}

async function startImport(): Promise<{ path: string; id: string }> {
  const { body: book } = await team.call('POST', '/contactBooks', { name: 'News' });
  const path = `/contactBooks/${book.id}/imports`;
  const { body } = await team.call('POST', path, 'email\nada@example.com\n', { 'content-type': 'text/csv' });
  return { path: `${path}/${body.id}`, id: body.id };
}

async function recordProgress(job: string, queue: string): Promise<void> {
  await sql`insert into job_progress (job, queue, moved_at) values (${job}, ${queue}, now())`.execute(
    server.db,
  );
}

test('stalled imports, confirmations, verifications and webhooks are listed until they make progress', async () => {
  const other = await server.createTeam();
  await team.call('POST', '/webhooks', {
    url: 'http://127.0.0.1:9/hook?token=sesame',
    events: ['contact.created'],
  });
  const { body: domain } = await team.call('POST', '/domains', { name: 'harbour.example' });
  await team.call('PUT', `/domains/${domain.id}/verify`);
  const { body: book } = await team.call('POST', '/contactBooks', {
    name: 'Asked',
    doubleOptInEnabled: true,
  });
  // One single sign-up, and a list long enough to go through the bulk queue.
  const list = Array.from({ length: MOST_SIGN_UPS + 1 }, (_, no) => ({ email: `p${no}@example.com` }));
  await team.call('POST', `/contactBooks/${book.id}/contacts`, { email: 'ada@example.com' });
  await team.call('POST', `/contactBooks/${book.id}/contacts/bulk`, list);
  await startImport();
  expect(await kindsIn(team)).toEqual([]);
  expect((await readMetrics()).get('posthorn_stalled_seconds{kind="import"}')).toBe(0);

  await letTimePass();
  const { body } = await team.call('GET', '/notices');
  expect(
    body.items.toSorted((a: { kind: string }, b: { kind: string }) => (a.kind < b.kind ? -1 : 1)),
  ).toEqual([
    expect.objectContaining({ kind: 'confirmations', id: null }),
    expect.objectContaining({ kind: 'import', message: 'The import into "News" is stalled.' }),
    expect.objectContaining({ kind: 'verification', id: String(domain.id) }),
    expect.objectContaining({
      kind: 'webhook',
      // The query is left out, because it may contain a token.
      message: 'Events are not being sent to the webhook http://127.0.0.1:9/hook?….',
    }),
  ]);
  for (const { since } of body.items) expect(Date.now() - Date.parse(since)).toBeGreaterThan(100_000);
  expect(await kindsIn(other)).toEqual([]);
  await expect.poll(() => readMetric('posthorn_stalled_seconds{kind="import"}')).toBeGreaterThan(100);
  const metrics = await readMetrics();
  for (const job of ['confirm-sign-ups', 'send-confirmations', 'run-contact-import', 'verify-domain']) {
    expect(metrics.get(`posthorn_jobs_waiting{job="${job}"}`)).toBe(1);
    expect(metrics.get(`posthorn_jobs_failed{job="${job}"}`)).toBe(0);
    expect(metrics.get(`posthorn_job_oldest_seconds{job="${job}"}`)).toBeGreaterThan(100);
  }
  for (const kind of ['import', 'confirmations', 'verification', 'webhook']) {
    expect(metrics.get(`posthorn_stalled_seconds{kind="${kind}"}`)).toBeGreaterThan(100);
  }

  // A queue in which jobs finish is not stalled, however long it is.
  await recordProgress('send-confirmations', `confirmations ${team.teamId}`);
  expect(await kindsIn(team)).toContain('confirmations');
  await recordProgress('confirm-sign-ups', '');
  expect(await kindsIn(team)).toEqual(['import', 'verification', 'webhook']);

  // One call that fails is progress. With five failures the endpoint would count as stalled again.
  await sql`delete from webhook_calls where id <> (select id from webhook_calls order by id limit 1)`.execute(
    server.db,
  );
  const worker = await startWorker();
  await expect.poll(() => kindsIn(team)).toEqual([]);
  const recorded = () => sql`select from job_progress where job = 'run-contact-import'`.execute(server.db);
  await expect.poll(async () => (await recorded()).rows.length).toBe(1);
  await worker.close();
});

async function signUp(of: TestTeam): Promise<void> {
  const { body: book } = await of.call('POST', '/contactBooks', { name: 'Asked', doubleOptInEnabled: true });
  await of.call('POST', `/contactBooks/${book.id}/contacts`, { email: 'ada@example.com' });
}

test('stalled sign-up confirmations are listed only for the teams they belong to', async () => {
  const waiting = await server.createTeam();
  const givenUp = await server.createTeam();
  const fresh = await server.createTeam();
  await sql`delete from job_progress`.execute(server.db);
  await signUp(waiting);
  await signUp(givenUp);
  await letTimePass();
  await sql`
    update jobs set attempts = ${MAX_ATTEMPTS}
    where payload ->> 'teamId' = ${String(givenUp.teamId)}`.execute(server.db);
  await signUp(fresh);
  const kinds = async () => [await kindsIn(waiting), await kindsIn(givenUp), await kindsIn(fresh)];
  expect(await kinds()).toEqual([['confirmations'], ['confirmations'], []]);
  const { body } = await givenUp.call('GET', '/notices');
  expect(body.items[0].message).toBe(
    'A confirmation email could not be sent, and Posthorn has stopped trying. Add these pending contacts again to ask them once more.',
  );
  // The team is told of what was given up for a week.
  await sql`
    update jobs set updated_at = now() - interval '8 days'
    where payload ->> 'teamId' = ${String(givenUp.teamId)}`.execute(server.db);
  expect(await kinds()).toEqual([['confirmations'], [], []]);

  // Other teams' sign-ups are being confirmed. A team whose own job keeps failing still gets the notice.
  await recordProgress('confirm-sign-ups', '');
  expect(await kinds()).toEqual([[], [], []]);
  await sql`
    update jobs set attempts = 1, first_due_at = first_due_at - interval '1 minute'
    where payload ->> 'teamId' = ${String(waiting.teamId)}`.execute(server.db);
  expect(await kinds()).toEqual([['confirmations'], [], []]);
});

test('the waiting time of a job that keeps failing counts from when it was first due', async () => {
  await startImport();
  await sql`
    update jobs set attempts = 4, last_error = 'broken',
      due_at = now() + interval '1 minute', first_due_at = now() - interval '10 minutes'
    where name = 'run-contact-import'
  `.execute(server.db);
  await expect
    .poll(async () =>
      Math.round((await readMetric('posthorn_job_oldest_seconds{job="run-contact-import"}'))! / 10),
    )
    .toBe(60);
});

test('a worker restarts imports and verifications without a job, and fails imports whose job was given up', async () => {
  const lost = await startImport();
  const failed = await startImport();
  const withoutFile = await startImport();
  const { body: domain } = await team.call('POST', '/domains', { name: 'lost.example' });
  await team.call('PUT', `/domains/${domain.id}/verify`);
  await letTimePass();
  await sql`update domains set updated_at = updated_at - interval '2 minutes' where id = ${domain.id}`.execute(
    server.db,
  );
  await sql`
    update jobs set attempts = ${MAX_ATTEMPTS}
    where key = ${`contact-import ${decodeId('imp', failed.id)}`}`.execute(server.db);
  await sql`delete from contact_import_chunks where import_id = ${decodeId('imp', withoutFile.id)}`.execute(
    server.db,
  );
  await expect.poll(() => readMetric('posthorn_jobs_failed{job="run-contact-import"}')).toBe(1);
  await sql`
    delete from jobs where attempts < ${MAX_ATTEMPTS}`.execute(server.db);

  const worker = await startWorker();
  const statusOf = async (path: string) => (await team.call('GET', path)).body.status;
  await expect.poll(() => statusOf(lost.path)).toBe('DONE');
  await expect.poll(() => statusOf(failed.path)).toBe('FAILED');
  expect((await team.call('GET', failed.path)).body.error).toContain('failed repeatedly');
  await expect.poll(() => statusOf(withoutFile.path)).toBe('FAILED');
  expect((await team.call('GET', withoutFile.path)).body.error).toContain('Upload it again');
  const checked = () =>
    sql`
    select from jobs where key = ${`verify-domain ${domain.id}`}`.execute(server.db);
  await expect.poll(async () => (await checked()).rows.length).toBe(1);
  await worker.close();
});

test.each([
  ['http://localhost:3000', 'direct', ['base-url']],
  ['http://127.0.0.1:3000', 'direct', ['base-url']],
  ['https://mail.example.com', 'direct', []],
  ['http://localhost:3000', 'sandbox', []],
])('with BASE_URL %s and the transport %s the notices are %j', async (BASE_URL, MAIL_TRANSPORT, kinds) => {
  const other = await startTestServer({ doors: ['http'], env: { BASE_URL, MAIL_TRANSPORT } });
  const { body } = await (await other.createTeam()).call('GET', '/notices');
  expect(body.items.map(({ kind }: { kind: string }) => kind)).toEqual(kinds);
  for (const { message } of body.items) expect(message).toContain('must set BASE_URL');
  await other.close();
});

test('only owners and admins can read notices', async () => {
  const owner = await setUpOwner(server);
  const member = await addPerson(server, owner, 'member');
  const admin = await addPerson(server, owner, 'admin');
  expect((await owner.call('GET', '/notices')).body).toEqual({ items: [] });
  expect((await admin.call('GET', '/notices')).status).toBe(200);
  expect((await member.call('GET', '/notices')).status).toBe(403);
});

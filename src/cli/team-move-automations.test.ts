/** A team moves to another instance while people are in the middle of its automations. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, test, vi } from 'vitest';
import { createSendingTeam } from '../testing/fixtures/sending-team.ts';
import { startSmtpSink } from '../testing/smtp-sink.ts';
import { createCall, startTestServer, type Call } from '../testing/test-server.ts';
import { teamCommand } from './team.ts';

async function expectStatus(call: Call, method: string, path: string, body?: unknown) {
  const answer = await call(method, path, body);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body;
}

test('runs go on in the other instance at their time, once, and nobody starts again', async () => {
  const sink = await startSmtpSink();
  const env = { MAIL_TRANSPORT: 'relay', RELAY_URL: `smtp://127.0.0.1:${sink.port}`, DKIM_SIGN: 'false' };
  const start = (name: string) =>
    startTestServer({ doors: ['http', 'worker'], env: { ...env, BASE_URL: `https://${name}.example` } });
  const [source, target] = [await start('one'), await start('two')];
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-move-'));
  vi.spyOn(console, 'log').mockImplementation(() => {});
  try {
    const { call, teamId, key, domain } = await createSendingTeam(source, 'mover');
    const book = await expectStatus(call, 'POST', '/contactBooks', { name: 'Friends' });
    const addPerson = (of: Call, email: string) =>
      expectStatus(of, 'POST', `/contactBooks/${book.id}/contacts`, { email });
    await addPerson(call, 'earlier@people.example');
    const { id } = await expectStatus(call, 'POST', '/automations', {
      name: 'Welcome',
      contactBookId: book.id,
      trigger: { event: 'contact.created' },
      reentry: 'always',
      exitOn: [{ event: 'contact.created' }],
      steps: [
        { key: 'pause', type: 'delay', for: '3 days' },
        { key: 'hello', type: 'email', from: `hello@${domain}`, subject: 'Hello', html: '<p>Hi</p>' },
      ],
    });
    await expectStatus(call, 'POST', `/automations/${id}/activate`);
    await addPerson(call, 'ada@people.example');
    const runsOf = async (of: Call) => (await expectStatus(of, 'GET', `/automations/${id}/runs`)).items;
    const [before] = await vi.waitFor(
      async () => {
        const runs = await runsOf(call);
        expect(runs).toMatchObject([{ email: 'ada@people.example', step: 'pause', status: 'ACTIVE' }]);
        expect(new Date(runs[0].dueAt).getTime()).toBeGreaterThan(Date.now() + 3_600_000);
        return runs;
      },
      { timeout: 60_000 },
    );

    const file = join(folder, 'target.env');
    const { databaseUrl, dataDir, baseUrl } = target.config;
    writeFileSync(file, `DATABASE_URL='${databaseUrl}'\nDATA_DIR=${dataDir}\nBASE_URL=${baseUrl}\n`);
    await teamCommand(['move', '--team', String(teamId), '--to', file, '--new-links'], source.config);

    const there = createCall(target.url, key);
    expect(await runsOf(there)).toEqual([before]);
    // This event is read after those that were moved.
    await addPerson(there, 'later@people.example');
    await vi.waitFor(async () => expect(await runsOf(there)).toHaveLength(2), { timeout: 60_000 });
    expect((await runsOf(there))[1]).toEqual(before);

    await sql`update automation_runs set due_at = now(), entered_at = entered_at - interval '3 days'`.execute(
      target.db,
    );
    await vi.waitFor(
      async () =>
        expect((await runsOf(there)).map(({ status }: { status: string }) => status)).toEqual([
          'DONE',
          'DONE',
        ]),
      { timeout: 60_000 },
    );
    await vi.waitFor(() => expect(sink.messages).toHaveLength(2), { timeout: 60_000 });
    const recipients = sink.messages.map(({ recipients: [to] }) => to);
    expect(recipients.toSorted()).toEqual(['ada@people.example', 'later@people.example']);
    expect((await expectStatus(there, 'GET', `/automations/${id}/report`)).runs).toMatchObject({
      started: 2,
      done: 2,
    });
  } finally {
    vi.restoreAllMocks();
    await Promise.all([source.close(), target.close()]);
    await sink.close();
    rmSync(folder, { recursive: true, force: true });
  }
}, 240_000);

/** A backup is restored while people are in the middle of automations. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { startTestServer, type TestTeam } from '../testing/test-server.ts';
import { backupCommand } from './backup.ts';
import { restoreCommand } from './restore.ts';

afterEach(() => vi.restoreAllMocks());

async function expectCall({ call }: TestTeam, method: string, path: string, body?: unknown) {
  const answer = await call(method, path, body);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body;
}

test('runs that were due after the backup are listed, and held until someone resumes them', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-restore-'));
  // Without a worker, what is due stays due.
  const server = await startTestServer({ doors: ['http'] });
  const said: string[] = [];
  vi.spyOn(console, 'log').mockImplementation((line) => said.push(String(line)));
  try {
    const team = await server.createTeam();
    const { id: contactBookId } = await expectCall(team, 'POST', '/contactBooks', { name: 'Friends' });
    await expectCall(team, 'POST', `/contactBooks/${contactBookId}/contacts`, {
      email: 'ada@friends.example',
    });
    const addAutomation = async (name: string, isEntered: boolean) => {
      const { id } = await expectCall(team, 'POST', '/automations', {
        name,
        contactBookId,
        trigger: { event: 'go' },
        steps: [{ key: 'pause', type: 'delay', for: '1 day' }],
      });
      await expectCall(team, 'POST', `/automations/${id}/activate`);
      if (isEntered) await expectCall(team, 'POST', `/automations/${id}/enroll`, { contactBookId });
      return id as string;
    };
    const due = await addAutomation('Due', true);
    const closed = await addAutomation('Closed', true);
    await expectCall(team, 'POST', `/automations/${closed}/close`);
    const idle = await addAutomation('Idle', false);
    const file = join(folder, 'one.backup');
    await backupCommand([file], server.config);
    said.length = 0;
    await restoreCommand([file, '--replace'], server.config);

    const lines = said.join('\n');
    expect(lines).toContain(`Due (${due}): 1 due`);
    expect(lines).toContain(`Closed (${closed}): 1 due`);
    expect(lines).not.toContain('Idle');
    const statusOf = async (id: string) => (await expectCall(team, 'GET', `/automations/${id}`)).status;
    expect([await statusOf(due), await statusOf(closed), await statusOf(idle)]).toEqual([
      'PAUSED',
      'PAUSED',
      'ACTIVE',
    ]);
    const { items } = await expectCall(team, 'GET', `/automations/${due}/runs`);
    expect(items).toMatchObject([{ status: 'ACTIVE', heldBy: 'paused', email: 'ada@friends.example' }]);
    await expectCall(team, 'POST', `/automations/${due}/resume`);
    await expectCall(team, 'POST', `/automations/${closed}/resume`);
    expect([await statusOf(due), await statusOf(closed)]).toEqual(['ACTIVE', 'CLOSED']);
  } finally {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}, 240_000);

import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createSendingTeam, type SendingTeam } from '../../../testing/fixtures/sending-team.ts';
import { readMetrics } from '../../../testing/read-metrics.ts';
import { startTestServer, type TestServer } from '../../../testing/test-server.ts';
import type { DomainBrake } from '../../sending/domains/domain-brake.ts';
import { checkBrakes } from './check-brakes.ts';

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer({ doors: ['http', 'worker'] });
});
afterAll(() => server.close());

interface World extends SendingTeam {
  domainId: number;
  get(): Promise<{ brake: DomainBrake }>;
  /** Sends to addresses of the simulator. */
  send(to: string, count: number): Promise<void>;
  untilBrake(status: string): Promise<void>;
}

async function openTeam(): Promise<World> {
  const team = await createSendingTeam(server, 'brake');
  const [{ id: domainId }] = (await team.call('GET', '/domains')).body;
  const get = async () => (await team.call('GET', `/domains/${domainId}`)).body;
  return {
    ...team,
    domainId,
    get,
    async send(to, count) {
      const emails = Array.from({ length: count }, (_, no) => ({
        from: `a@${team.domain}`,
        to: `${to}+${no}@simulator.test`,
        subject: 'x',
        text: 'x',
      }));
      expect((await team.call('POST', '/emails/batch', emails)).status).toBe(200);
    },
    async untilBrake(status) {
      await vi.waitFor(async () => expect((await get()).brake).toMatchObject({ status }), {
        timeout: 30_000,
        interval: 50,
      });
    },
  };
}

async function addCampaign(team: World, fields: object = {}): Promise<string> {
  const book = (await team.call('POST', '/contactBooks', { name: 'News' })).body.id;
  const people = Array.from({ length: 30 }, (_, no) => ({ email: `p${no}@elsewhere.test` }));
  await team.call('POST', `/contactBooks/${book}/contacts/bulk`, people);
  const { status, body } = await team.call('POST', '/campaigns', {
    name: 'News',
    from: `a@${team.domain}`,
    subject: 'x',
    contactBookId: book,
    html: '<p>x</p>',
    ...fields,
  });
  expect(status).toBe(200);
  return body.id;
}

const campaignOf = async (team: World, id: string) => (await team.call('GET', `/campaigns/${id}`)).body;

describe('the brake of a domain', () => {
  test('pauses running campaigns, holds marketing emails of automations, and lets all other mail through', async () => {
    const team = await openTeam();
    const slow = await addCampaign(team, { ratePerMinute: 1 });
    const waiting = await addCampaign(team);
    expect((await team.call('POST', `/campaigns/${slow}/schedule`, {})).status).toBe(200);
    await expect.poll(async () => (await campaignOf(team, slow)).status).toBe('RUNNING');
    await team.send('bounce', 24);
    await team.untilBrake('ON');
    expect((await team.get()).brake).toMatchObject({
      measure: 'hard_bounces',
      cases: expect.any(Number),
      reason: expect.stringContaining('bounced'),
      releasedAt: null,
    });
    const paused = await campaignOf(team, slow);
    expect(paused).toMatchObject({ status: 'PAUSED', statusReason: expect.stringContaining(team.domain) });
    expect((await team.call('POST', `/campaigns/${slow}/resume`)).body.error).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('brake'),
    });
    expect((await team.call('POST', `/campaigns/${waiting}/schedule`, {})).status).toBe(409);

    const { body: book } = await team.call('POST', '/contactBooks', { name: 'Friends' });
    const automation = (
      await team.call('POST', '/automations', {
        name: 'Welcome',
        contactBookId: book.id,
        trigger: { event: 'contact.created' },
        steps: [
          { key: 'hello', type: 'email', from: `a@${team.domain}`, subject: 'Hello', html: '<p>x</p>' },
        ],
      })
    ).body;
    await team.call('POST', `/automations/${automation.id}/activate`);
    await team.call('POST', `/contactBooks/${book.id}/contacts`, { email: 'grace@elsewhere.test' });
    const run = async () => (await team.call('GET', `/automations/${automation.id}/runs`)).body.items[0];
    await expect
      .poll(run, { timeout: 20_000 })
      .toMatchObject({ status: 'ACTIVE', step: 'hello', heldBy: 'brake' });

    const sent = await team.call('POST', '/emails', {
      from: `a@${team.domain}`,
      to: 'ada@elsewhere.test',
      subject: 'Receipt',
      text: 'x',
    });
    const email = async () => (await team.call('GET', `/emails/${sent.body.emailId}`)).body.status;
    await expect.poll(email, { timeout: 20_000 }).toBe('DELIVERED');

    const { items } = (await team.call('GET', '/notices')).body;
    expect(items).toContainEqual(expect.objectContaining({ kind: 'brake', id: String(team.domainId) }));
    const metrics = await readMetrics(`${server.url}/metrics`);
    expect(metrics.get('posthorn_domain_brakes{status="on"}')).toBeGreaterThan(0);

    const release = (body: object) => team.call('POST', `/domains/${team.domainId}/release-brake`, body);
    expect((await release({})).status).toBe(400);
    expect((await release({ reason: '   ' })).status).toBe(400);
    const other = await openTeam();
    expect(
      (await other.call('POST', `/domains/${team.domainId}/release-brake`, { reason: 'x' })).status,
    ).toBe(404);
    const released = await release({ reason: 'The list was cleaned.' });
    expect(released.body.brake).toMatchObject({ status: 'OFF', since: null, reason: null });
    expect(released.body.brake.releasedAt).not.toBeNull();
    expect((await release({ reason: 'again' })).status).toBe(409);
    await expect.poll(run, { timeout: 20_000 }).toMatchObject({ status: 'DONE' });

    await checkBrakes(server.db, team.teamId);
    expect((await team.get()).brake.status).toBe('OFF');
    expect((await team.call('POST', `/campaigns/${slow}/resume`)).status).toBe(200);
    const { rows } = await sql<{ type: string; data: object }>`
      select type, data from events where team_id = ${team.teamId} and type like 'domain.%' order by id
    `.execute(server.db);
    expect(rows.map(({ type }) => type).filter((type) => type !== 'domain.warned')).toEqual([
      'domain.braked',
      'domain.brake_released',
    ]);
    const { body: audit } = await team.call('GET', '/audit?action=domain.brake-released');
    expect(JSON.stringify(audit.items)).toContain('The list was cleaned.');

    await team.send('bounce', 22);
    await team.untilBrake('ON');
    expect((await team.get()).brake.window).toBe('since_release');
  });

  test('complaints put it on, and a few of them warn', async () => {
    const team = await openTeam();
    await team.send('complaint', 5);
    await team.untilBrake('WARNING');
    const draft = await addCampaign(team);
    expect((await team.call('POST', `/campaigns/${draft}/schedule`, {})).status).toBe(200);
    await team.send('complaint', 20);
    await team.untilBrake('ON');
    expect((await team.get()).brake).toMatchObject({ measure: 'complaints' });
  });

  test('a key for sending cannot release it', async () => {
    const team = await openTeam();
    const key = await team.createKey({ permission: 'sending' });
    const { status } = await fetch(`${server.url}/api/v1/domains/${team.domainId}/release-brake`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ reason: 'x' }),
    });
    expect(status).toBe(403);
  });
});

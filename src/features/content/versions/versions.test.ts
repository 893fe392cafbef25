import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createLog } from '../../../platform/log.ts';
import { addDomain } from '../../../testing/factories.ts';
import { setUpOwner } from '../../../testing/people.ts';
import { createCall, startTestServer, type TestServer, type TestTeam } from '../../../testing/test-server.ts';
import { expireOldData } from '../../retention/expire-old-data.ts';

let server: TestServer;
let team: TestTeam;
let book: string;

beforeAll(async () => {
  server = await startTestServer();
  team = await server.createTeam();
  await addDomain(server.db, team.teamId, 'news.test');
  book = (await team.call('POST', '/contactBooks', { name: 'News' })).body.id;
});
afterAll(() => server.close());

function letter(text: string): string {
  return JSON.stringify({ type: 'doc', content: [{ type: 'paragraph', content: [{ type: 'text', text }] }] });
}

async function createCampaign(changes: object = {}): Promise<string> {
  const { body } = await team.call('POST', '/campaigns', {
    name: 'November',
    from: 'a@news.test',
    subject: 'One',
    contactBookId: book,
    content: letter('The first words'),
    ...changes,
  });
  return `/campaigns/${body.id}`;
}

async function createTemplate(): Promise<string> {
  const { body } = await team.call('POST', '/templates', { name: 'T', subject: 'One', html: '<p>One</p>' });
  return `/templates/${body.id}`;
}

async function change(path: string, changes: object): Promise<void> {
  expect((await team.call('PATCH', path, changes)).status).toBe(200);
}

async function subjects(path: string): Promise<string[]> {
  const { status, body } = await team.call('GET', `${path}/versions`);
  expect(status).toBe(200);
  return body.items.map(({ subject }: { subject: string }) => subject);
}

/** Makes all versions older by this interval. */
async function passTime(interval: string): Promise<void> {
  await sql`update content_versions set created_at = created_at - ${interval}::interval`.execute(server.db);
}

describe('a campaign', () => {
  test('that saves itself keeps a version at the first change and then every five minutes', async () => {
    const path = await createCampaign();
    expect(await subjects(path)).toEqual([]);
    await change(path, { subject: 'Two' });
    await change(path, { subject: 'Three' });
    await change(path, { content: letter('The first words and more') });
    expect(await subjects(path)).toEqual(['One']);
    await passTime('6 minutes');
    await change(path, { subject: 'Four' });
    expect(await subjects(path)).toEqual(['Three', 'One']);
  });

  test('keeps no version when its content does not change', async () => {
    const path = await createCampaign();
    await change(path, { name: 'Other', batchSize: 7 });
    await change(path, { subject: 'One', content: letter('The first words') });
    const rewritten = JSON.parse(letter('The first words'));
    await change(path, { content: { ...rewritten, attrs: { fontFamily: null } } });
    expect(await subjects(path)).toEqual([]);
  });

  test('keeps a version immediately when most of its content is deleted', async () => {
    const path = await createCampaign();
    await change(path, { content: letter('A long letter. '.repeat(50)) });
    await change(path, { content: letter('') });
    const { items } = (await team.call('GET', `${path}/versions`)).body;
    expect(items).toHaveLength(2);
    const { body } = await team.call('GET', `${path}/versions/${items[0].id}`);
    expect(body).toMatchObject({ content: letter('A long letter. '.repeat(50)), html: null, subject: 'One' });
    expect(body.rendered).toContain('A long letter.');
  });

  test('can be restored, and the restoring can be undone', async () => {
    const path = await createCampaign({ previewText: 'Before' });
    await change(path, { subject: 'Two', previewText: null, content: letter('Other words') });
    const [first] = (await team.call('GET', `${path}/versions`)).body.items;
    const restored = await team.call('POST', `${path}/versions/${first.id}/restore`);
    expect(restored.body).toMatchObject({
      subject: 'One',
      previewText: 'Before',
      content: letter('The first words'),
    });
    expect(await subjects(path)).toEqual(['Two', 'One']);
    const [undo] = (await team.call('GET', `${path}/versions`)).body.items;
    expect((await team.call('POST', `${path}/versions/${undo.id}/restore`)).body).toMatchObject({
      subject: 'Two',
      previewText: null,
      content: letter('Other words'),
    });
  });

  test('keeps the variants of an A/B test, and restoring brings the test back or ends it', async () => {
    const variants = [{ subject: 'A', content: letter('Of A') }, { from: 'B <b@news.test>' }];
    const path = await createCampaign({ variants });
    await change(path, { variants: [{ subject: 'A' }, { subject: 'B' }], keepVersion: true });
    await change(path, { variants: null, keepVersion: true });
    const { items } = (await team.call('GET', `${path}/versions`)).body;
    expect(items).toHaveLength(2);
    const { body } = await team.call('GET', `${path}/versions/${items[1].id}`);
    expect(body.variants).toMatchObject([
      { subject: 'A', from: null, content: letter('Of A'), rendered: expect.stringContaining('Of A') },
      { subject: null, from: 'B <b@news.test>', content: null, rendered: null },
    ]);
    const restored = await team.call('POST', `${path}/versions/${items[1].id}/restore`);
    expect(restored.body.variants).toMatchObject(variants);
    const [ended] = (await team.call('GET', `${path}/versions`)).body.items;
    expect((await team.call('GET', `${path}/versions/${ended.id}`)).body.variants).toBeNull();
    expect((await team.call('POST', `${path}/versions/${ended.id}/restore`)).body.variants).toBeNull();
  });

  test('keeps a variant that loses most of its content', async () => {
    const long = letter('A long letter. '.repeat(50));
    const path = await createCampaign({ variants: [{ subject: 'A' }, { content: long }] });
    await change(path, { subject: 'Two' });
    await change(path, { variants: [{ subject: 'A' }, { content: letter('') }] });
    const [{ id }] = (await team.call('GET', `${path}/versions`)).body.items;
    expect((await team.call('GET', `${path}/versions/${id}`)).body.variants[1].content).toBe(long);
  });

  test('rejects a change of content that is based on earlier content', async () => {
    const path = await createCampaign();
    const { contentSavedAt } = (await team.call('GET', path)).body;
    await change(path, { batchSize: 7 });
    await change(path, { content: letter('Mine'), basedOn: contentSavedAt });
    const late = { content: letter('Yours'), subject: 'Two', basedOn: contentSavedAt };
    expect((await team.call('PATCH', path, late)).status).toBe(409);
    const now = (await team.call('GET', path)).body;
    expect(now).toMatchObject({ content: letter('Mine'), subject: 'One' });
    expect(now.contentSavedAt > contentSavedAt).toBe(true);
    await change(path, { ...late, basedOn: now.contentSavedAt, keepVersion: true });
    const [{ id }] = (await team.call('GET', `${path}/versions`)).body.items;
    expect((await team.call('GET', `${path}/versions/${id}`)).body.content).toBe(letter('Mine'));
  });

  test('that has been sent cannot be restored', async () => {
    const path = await createCampaign();
    await change(path, { subject: 'Two' });
    const [first] = (await team.call('GET', `${path}/versions`)).body.items;
    await sql`update campaigns set status = 'SENT' where subject = 'Two' and team_id = ${team.teamId}`.execute(
      server.db,
    );
    expect((await team.call('POST', `${path}/versions/${first.id}/restore`)).status).toBe(409);
  });
});

describe('a template', () => {
  test('keeps a version at each change, can be restored, and takes its versions along', async () => {
    const path = await createTemplate();
    await change(path, { html: '<p>Two</p>' });
    await change(path, { subject: 'Three', content: letter('Three') });
    const { items } = (await team.call('GET', `${path}/versions`)).body;
    expect(items).toHaveLength(2);
    expect((await team.call('POST', `${path}/versions/${items[1].id}/restore`)).body).toMatchObject({
      subject: 'One',
      html: '<p>One</p>',
      content: null,
    });
    const [latest] = (await team.call('GET', `${path}/versions`)).body.items;
    const undone = (await team.call('POST', `${path}/versions/${latest.id}/restore`)).body;
    expect(undone).toMatchObject({ subject: 'Three', content: letter('Three') });
    await team.call('DELETE', path);
    expect((await team.call('GET', `${path}/versions`)).status).toBe(404);
    const { rows } = await sql`
      select from content_versions where template_id is not null and team_id = ${team.teamId}
    `.execute(server.db);
    expect(rows).toEqual([]);
  });

  test('has at most 100 versions, in pages', async () => {
    const path = await createTemplate();
    for (let at = 1; at <= 102; at += 1) await change(path, { subject: `S${at}` });
    const first = (await team.call('GET', `${path}/versions?limit=60`)).body;
    expect(first.items).toHaveLength(60);
    const second = (await team.call('GET', `${path}/versions?limit=60&cursor=${first.next_cursor}`)).body;
    expect([second.items.length, second.next_cursor]).toEqual([40, null]);
    expect(first.items[0].subject).toBe('S101');
  });
});

test('versions say who saved them and when, whatever else was changed since', async () => {
  const owner = await setUpOwner(server);
  const { body: key } = await owner.call('POST', '/api-keys', { name: 'Site', permission: 'full' });
  const byKey = createCall(server.url, key.key);
  const { body: domain } = await owner.call('POST', '/domains', { name: 'owner.test' });
  await sql`update domains set held = true, status = 'SUCCESS' where id = ${domain.id}`.execute(server.db);
  const { body: news } = await owner.call('POST', '/contactBooks', { name: 'News' });
  const input = { name: 'N', subject: 'One', html: '<p>One</p>' };
  const { body: template } = await owner.call('POST', '/templates', input);
  const campaignInput = { ...input, from: 'a@owner.test', contactBookId: news.id };
  const { body: campaign } = await owner.call('POST', '/campaigns', campaignInput);
  for (const [path, createdAt] of [
    [`/templates/${template.id}`, template.createdAt],
    [`/campaigns/${campaign.id}`, campaign.createdAt],
  ]) {
    await owner.call('PATCH', path, { name: 'Renamed' });
    await byKey('PATCH', path, { subject: 'Two', keepVersion: true });
    await owner.call('PATCH', path, { subject: 'Three', keepVersion: true });
    const { items } = (await owner.call('GET', `${path}/versions`)).body;
    expect(items).toMatchObject([
      { subject: 'Two', savedBy: key.id, savedByName: 'Site' },
      { subject: 'One', savedBy: `user:${owner.id}`, savedByName: 'Owner', savedAt: createdAt },
    ]);
    expect((await owner.call('GET', `${path}/versions/${items[0].id}`)).body.savedByName).toBe('Site');
  }
});

test('versions are found only through their own campaign or template, and their own team', async () => {
  const [one, two, template] = [await createCampaign(), await createCampaign(), await createTemplate()];
  await change(one, { subject: 'Two' });
  const [version] = (await team.call('GET', `${one}/versions`)).body.items;
  for (const path of [two, template]) {
    expect((await team.call('GET', `${path}/versions/${version.id}`)).status).toBe(404);
    expect((await team.call('POST', `${path}/versions/${version.id}/restore`)).status).toBe(404);
  }
  const other = await server.createTeam();
  expect((await other.call('GET', `${one}/versions`)).status).toBe(404);
  expect((await other.call('POST', `${one}/versions/${version.id}/restore`)).status).toBe(404);
  expect((await team.call('GET', `${one}/versions/ver_nothing`)).status).toBe(404);
  expect((await team.call('GET', `${one}/versions?cursor=cmp_x`)).status).toBe(400);
});

test('versions are deleted after 30 days', async () => {
  const path = await createTemplate();
  await change(path, { subject: 'Two' });
  await passTime('31 days');
  await change(path, { subject: 'Three' });
  await expireOldData(server.db, createLog('silent'), {
    emailContentDays: null,
    sandboxDays: 7,
    eventDays: 30,
  });
  expect(await subjects(path)).toEqual(['Two']);
});

import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  addBook,
  BROWSER,
  closeCampaignWorld,
  create,
  get,
  letterTo,
  makePeople,
  openCampaignWorld,
  server,
  sink,
  start,
  team,
  untilStatus,
  visit,
} from '../../../testing/fixtures/campaign-world.ts';
import { rebuildCounts } from '../../activity/analytics/rebuild.ts';

const PRIVACY_PROXY = 'Mozilla/5.0';
const SCANNER = 'Mozilla/5.0 (compatible; Barracuda Sentinel)';
const HTML =
  '<p>Hello <a href="https://shop.example/a">one</a> <a href="https://shop.example/b?x=1&amp;y=2">two</a></p>';
const TRACKED = { html: HTML, tracking: { opens: true, clicks: true } };

beforeAll(openCampaignWorld);
afterAll(closeCampaignWorld);
beforeEach(() => sink.reset());

async function report(id: string) {
  const { status, body } = await team.call('GET', `/campaigns/${id}/report`);
  expect([status, body.error]).toEqual([200, undefined]);
  return body;
}

async function untilCounts(id: string, counts: object): Promise<void> {
  await expect.poll(async () => (await report(id)).counts).toMatchObject(counts);
}

async function listed(id: string, query: string): Promise<string[]> {
  const { status, body } = await team.call('GET', `/campaigns/${id}/recipients?${query}`);
  expect([status, body.error]).toEqual([200, undefined]);
  return body.items.map(({ email }: { email: string }) => email);
}

async function send(people: { email: string }[], fields: object = {}): Promise<{ id: string; book: string }> {
  const book = await addBook(people);
  const id = await create(book, { ...TRACKED, ...fields });
  await start(id);
  await untilStatus(id, 'SENT');
  return { id, book };
}

test('a draft has a report of zeros', async () => {
  const id = await create(await addBook([]));
  const body = await report(id);
  expect(Object.keys(body.counts)).toEqual(
    expect.arrayContaining(['sent', 'delivered', 'opened', 'clicked']),
  );
  expect(Object.values(body.counts).every((count) => count === 0)).toBe(true);
  expect(Object.values(body.rates).every((rate) => rate === 0)).toBe(true);
  expect(body).toMatchObject({ timeline: [], links: [], domains: [], otherDomains: null, bounces: [] });
});

test('opens and clicks are compared only with campaigns that were tracked', async () => {
  await send([{ email: 'first@one.example' }], { tracking: { opens: false, clicks: false } });
  const { id } = await send([{ email: 'second@one.example' }]);
  expect((await report(id)).comparison).toMatchObject({
    campaigns: [{ tracked: { opens: false, clicks: false } }],
    average: { openRate: null, clickRate: null, clickToOpenRate: null, deliveryRate: 100, bounceRate: 0 },
  });
});

describe('a campaign that people and machines visit', () => {
  let id: string;

  /** This is not a hook, because hooks cannot poll. */
  async function sendAndVisit(): Promise<void> {
    sink.behave({
      rcptReplies: { 'bad@one.example': '550 5.1.1 No such user', 'spam@two.example': '550 5.7.1 Blocked' },
    });
    const names = ['ada@one.example', 'bob@one.example', 'cyd@two.example', 'dan@two.example'];
    ({ id } = await send([...names, 'bad@one.example', 'spam@two.example'].map((email) => ({ email }))));
    const [ada, bob, cyd, dan] = await Promise.all(names.map(letterTo));
    await visit(ada!.pixel, BROWSER);
    await visit(ada!.pixel, BROWSER);
    await visit(bob!.clicks[0]!, BROWSER);
    await visit(cyd!.pixel, PRIVACY_PROXY);
    for (const path of dan!.clicks) await visit(path, SCANNER);
    await untilCounts(id, { opened: 2, clicked: 1, machineOpened: 1, machineClicked: 1 });
    await visit(bob!.clicks[0]!, BROWSER);
    await visit(bob!.clicks[1]!, BROWSER);
    await fetch(server.url + ada!.unsubscribe, { method: 'POST', body: 'List-Unsubscribe=One-Click' });
    await untilCounts(id, { unsubscribed: 1 });
    await expect.poll(async () => (await report(id)).links).toHaveLength(2);
    await expect.poll(async () => (await report(id)).links[0].clicks).toBe(2);
  }

  test('counts people and machines apart', async () => {
    await sendAndVisit();
    const { counts, rates, rateBases, timeline, timelineInterval, tracked } = await report(id);
    expect(counts).toEqual({
      total: 6,
      sent: 6,
      delivered: 4,
      opened: 2,
      clicked: 1,
      bounced: 2,
      hardBounced: 2,
      complained: 0,
      unsubscribed: 1,
      machineOpened: 1,
      machineClicked: 1,
    });
    expect(rates).toEqual({
      deliveryRate: 66.67,
      openRate: 50,
      clickRate: 25,
      clickToOpenRate: 50,
      bounceRate: 33.33,
      complaintRate: 0,
      unsubscribeRate: 25,
    });
    expect(rateBases).toMatchObject({ openRate: 'delivered', bounceRate: 'sent' });
    expect(tracked).toEqual({ opens: true, clicks: true });
    const sumOf = (name: string) => timeline.reduce((sum: number, entry: never) => sum + entry[name], 0);
    expect(timelineInterval).toBe('hour');
    expect([sumOf('opened'), sumOf('clicked'), sumOf('unsubscribed')]).toEqual([2, 1, 1]);
    expect([sumOf('machineOpened'), sumOf('machineClicked')]).toEqual([1, 1]);
    expect(timeline[0].at).toMatch(/T\d\d:00:00\.000Z$/);
  });

  test('counts the clicks on each link and the people who made them', async () => {
    expect((await report(id)).links).toEqual([
      { url: 'https://shop.example/a', clicks: 2, people: 1, machineClicks: 1 },
      { url: 'https://shop.example/b?x=1&y=2', clicks: 1, people: 1, machineClicks: 1 },
    ]);
  });

  test('counts by domain and by the reason of bounces', async () => {
    const { domains, otherDomains, bounces, bounceClasses } = await report(id);
    expect(domains).toEqual([
      { domain: 'one.example', sent: 3, delivered: 2, bounced: 1, opened: 2 },
      { domain: 'two.example', sent: 3, delivered: 2, bounced: 1, opened: 0 },
    ]);
    expect(otherDomains).toBeNull();
    expect(bounceClasses).toEqual([
      { class: 'invalid_recipient', count: 1 },
      { class: 'policy', count: 1 },
    ]);
    expect(bounces).toEqual([
      { reason: 'blocked', count: 1 },
      { reason: 'unknown_address', count: 1 },
    ]);
  });

  test('lists recipients by the state that they have reached', async () => {
    const everyone = await listed(id, '');
    expect(everyone).toHaveLength(6);
    expect(await listed(id, 'state=sent')).toEqual(everyone);
    expect(await listed(id, 'state=delivered')).toHaveLength(4);
    expect(await listed(id, 'state=opened')).toEqual(['ada@one.example', 'bob@one.example']);
    expect(await listed(id, 'state=clicked')).toEqual(['bob@one.example']);
    expect(await listed(id, 'state=bounced')).toEqual(['bad@one.example', 'spam@two.example']);
    expect(await listed(id, 'state=unsubscribed')).toEqual(['ada@one.example']);
    for (const state of ['waiting', 'skipped', 'complained']) {
      expect(await listed(id, `state=${state}`)).toEqual([]);
    }
    for (const state of ['pending', 'Opened', '']) {
      expect((await team.call('GET', `/campaigns/${id}/recipients?state=${state}`)).status).toBe(400);
    }
    const { body } = await team.call('GET', `/campaigns/${id}/recipients`);
    expect(body.items.map(({ state, reason }: Record<string, string>) => [state, reason])).toEqual([
      ['unsubscribed', null],
      ['bounced', 'unknown_address'],
      ['clicked', null],
      ['delivered', null],
      ['delivered', null],
      ['bounced', 'blocked'],
    ]);
    expect(body.items[2]).toMatchObject({ clickedAt: expect.stringMatching(/Z$/), status: 'CLICKED' });
  });

  test('compares the campaign with those before it', async () => {
    const { id: next } = await send([{ email: 'eve@one.example' }]);
    const { comparison } = await report(next);
    expect(comparison.campaigns[0]).toMatchObject({ id, sent: 6, rates: { openRate: 50 } });
    expect(comparison.average.openRate).toBeGreaterThan(0);
    expect((await report(id)).comparison.campaigns.map((each: { id: string }) => each.id)).not.toContain(
      next,
    );
  });

  test('shows the rates in the list of campaigns', async () => {
    const { body } = await team.call('GET', '/campaigns');
    const item = body.campaigns.find((each: { id: string }) => each.id === id);
    expect(item).toMatchObject({ opened: 2, clicked: 1, bounced: 2, rates: { openRate: 50, clickRate: 25 } });
  });

  test('is rebuilt from the events when its counters are wrong', async () => {
    const original = await report(id);
    const clicked = await listed(id, 'state=clicked');
    const ofTeam = sql`team_id = ${team.teamId}`;
    await sql`update campaign_counts set sent = sent + 5, opened = 0 where ${ofTeam}`.execute(server.db);
    await sql`update campaign_hours set opened = opened + 5, clicked = 7 where ${ofTeam}`.execute(server.db);
    await sql`update campaign_domains set sent = 0, delivered = delivered + 3 where ${ofTeam}`.execute(
      server.db,
    );
    await sql`update campaign_links set people = people + 2 where ${ofTeam}`.execute(server.db);
    await sql`delete from campaign_results where result = 'clicked' and ${ofTeam}`.execute(server.db);
    await sql`
      insert into campaign_results (team_id, campaign_id, result, address_key)
      select team_id, campaign_id, 'complained', address_key from campaign_recipients where ${ofTeam}
    `.execute(server.db);
    expect(await report(id)).not.toEqual(original);
    await rebuildCounts(server.db);
    expect(await report(id)).toEqual(original);
    expect(await listed(id, 'state=clicked')).toEqual(clicked);
    expect(await listed(id, 'state=complained')).toEqual([]);
  });

  test('writes the recipients as CSV, by path, query or header', async () => {
    const head = 'email,state,reason,status,openedAt,clickedAt,contactId,emailId\r\n';
    const path = `/campaigns/${id}/recipients`;
    const file = await team.call('GET', `${path}.csv?state=bounced`);
    expect(file.status).toBe(200);
    expect(file.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(file.headers.get('content-disposition')).toBe(`attachment; filename="recipients-${id}.csv"`);
    expect(file.body).toMatch(
      new RegExp(
        `^${head}bad@one\\.example,bounced,unknown_address,BOUNCED,,,con_\\w+,eml_\\w+\r\n` +
          `spam@two\\.example,bounced,blocked,BOUNCED,,,con_\\w+,eml_\\w+\r\n$`,
      ),
    );
    expect((await team.call('GET', `${path}?state=bounced&format=csv`)).body).toBe(file.body);
    const accepted = await team.call('GET', `${path}?state=bounced`, undefined, { accept: 'text/csv' });
    expect(accepted.body).toBe(file.body);
    expect((await team.call('GET', `${path}.csv?search=nobody`)).body).toBe(head);
  });

  test('is not found by another team, neither as a report nor as a list or file', async () => {
    const stranger = await server.createTeam();
    for (const path of ['report', 'recipients', 'recipients.csv']) {
      const { status, body } = await stranger.call('GET', `/campaigns/${id}/${path}`);
      expect([status, body.error.code]).toEqual([404, 'NOT_FOUND']);
      expect((await team.call('GET', `/campaigns/nonsense/${path}`)).status).toBe(404);
    }
  });
});

test('a search takes % and _ as plain characters, and finds addresses and names', async () => {
  const { id } = await send([
    { email: '100%sure@x.example' },
    { email: 'under_score@x.example' },
    { email: 'Plain@X.example', firstName: 'Ada_', lastName: 'Love' } as { email: string },
    { email: '=1+1@x.example' },
  ]);
  const search = (words: string) => listed(id, `search=${encodeURIComponent(words)}`);
  expect(await search('%')).toEqual(['100%sure@x.example']);
  expect(await search('_')).toEqual(['Plain@X.example', 'under_score@x.example']);
  expect(await search('PLAIN@x')).toEqual(['Plain@X.example']);
  expect(await search('ada_ love')).toEqual(['Plain@X.example']);
  expect(await search('\\')).toEqual([]);
  expect(await search('   ')).toHaveLength(4);
  expect((await team.call('GET', `/campaigns/${id}/recipients?search=%00`)).status).toBe(400);
  const first = await team.call('GET', `/campaigns/${id}/recipients?state=sent&search=x.ex&limit=2`);
  const cursor = first.body.next_cursor;
  expect(await listed(id, `state=sent&search=x.ex&limit=2&cursor=${cursor}`)).toHaveLength(2);
  // A spreadsheet must not run an address as a formula.
  expect((await team.call('GET', `/campaigns/${id}/recipients.csv`)).body).toContain("\r\n'=1+1@x.example,");
});

test('recipients wait until their first attempt, and skipped ones have a reason', async () => {
  const book = await addBook(makePeople(4, 'wait.example'));
  const id = await create(book, { ...TRACKED, ratePerMinute: 1 });
  await start(id);
  await sink.waitForMessages(1);
  await team.call('POST', `/campaigns/${id}/pause`);
  await untilCounts(id, { sent: 1, delivered: 1, total: 4 });
  expect(await listed(id, 'state=waiting')).toEqual([
    'u1@wait.example',
    'u2@wait.example',
    'u3@wait.example',
  ]);
  await team.call('POST', '/suppressions', { email: 'u2@wait.example' });
  await sql`update campaigns set rate_per_minute = null where status = 'PAUSED'`.execute(server.db);
  await team.call('POST', `/campaigns/${id}/resume`);
  await untilStatus(id, 'SENT');
  expect(await listed(id, 'state=waiting')).toEqual([]);
  expect(await listed(id, 'state=sent')).toHaveLength(3);
  const { body } = await team.call('GET', `/campaigns/${id}/recipients?state=skipped`);
  expect(body.items).toMatchObject([{ email: 'u2@wait.example', state: 'skipped', reason: 'suppressed' }]);
});

test('every email has List-Id and Feedback-ID under the signature', async () => {
  const { id } = await send([{ email: 'ada@sign.example' }]);
  const { headers } = await letterTo('ada@sign.example');
  const valueOf = (name: string) => headers.find(({ key }) => key === name)?.value ?? '';
  expect(valueOf('list-id')).toMatch(/^<cbk_\w+\.news\.test>$/);
  expect(valueOf('feedback-id')).toBe(`${id}:${team.teamId}:news.test:posthorn`);
  const signed = /\bh=([^;]*);/
    .exec(valueOf('dkim-signature').replaceAll(/\s/g, ''))![1]!
    .toLowerCase()
    .split(':');
  expect(signed).toEqual(
    expect.arrayContaining(['list-id', 'feedback-id', 'list-unsubscribe', 'list-unsubscribe-post']),
  );
});

describe('a second campaign', () => {
  test('goes to those who got the first and did not open it, and not to others', async () => {
    sink.behave({ rcptReplies: { 'blocked@again.example': '550 5.7.1 Blocked' } });
    const people = ['opens', 'clicks', 'machine', 'quiet', 'leaves', 'blocked'].map((name) => ({
      email: `${name}@again.example`,
    }));
    const { id, book } = await send(people);
    await visit((await letterTo('opens@again.example')).pixel, BROWSER);
    await visit((await letterTo('clicks@again.example')).clicks[0]!, BROWSER);
    await visit((await letterTo('machine@again.example')).pixel, PRIVACY_PROXY);
    await untilCounts(id, { opened: 2, clicked: 1, machineOpened: 1 });
    await team.call('POST', `/contactBooks/${book}/contacts`, { email: 'new@again.example' });
    await team.call('POST', `/contactBooks/${book}/contacts`, {
      email: 'leaves@again.example',
      subscribed: false,
    });
    const again = await create(book, { ...TRACKED, excludeCampaignId: id, notOpened: true });
    expect(await get(again)).toMatchObject({ excludeCampaignId: id, notOpened: true });
    await start(again);
    await untilStatus(again, 'SENT');
    expect(await listed(again, '')).toEqual(['machine@again.example', 'quiet@again.example']);
    // Without `notOpened`, it excludes everyone who was sent the first email.
    const others = await create(book, { ...TRACKED, excludeCampaignId: id });
    await start(others);
    await untilStatus(others, 'SENT');
    expect(await listed(others, '')).toEqual(['new@again.example']);
    // Its audience does not change when recipients open the first email later.
    await visit((await letterTo('quiet@again.example')).pixel, BROWSER);
    expect(await get(again)).toMatchObject({ total: 2 });
  });

  test('names a campaign of the team, and notOpened needs one', async () => {
    const book = await addBook(makePeople(1, 'named.example'));
    const id = await create(book);
    const patch = async (body: object) => {
      const answer = await team.call('PATCH', `/campaigns/${id}`, body);
      return [
        answer.status,
        answer.body.error?.message ?? [answer.body.excludeCampaignId, answer.body.notOpened],
      ];
    };
    expect((await patch({ notOpened: true }))[0]).toBe(400);
    expect((await patch({ excludeCampaignId: 'cmp_nonsense' }))[0]).toBe(404);
    expect((await patch({ excludeCampaignId: id }))[0]).toBe(400);
    expect((await patch({ excludeCampaignId: 5 }))[0]).toBe(400);
    expect((await patch({ notOpened: 'yes' }))[0]).toBe(400);
    const other = await create(book);
    expect(await patch({ excludeCampaignId: other, notOpened: true })).toEqual([200, [other, true]]);
    expect(await patch({ notOpened: null })).toEqual([200, [other, false]]);
    expect(await patch({ notOpened: true })).toEqual([200, [other, true]]);
    expect(await patch({ excludeCampaignId: null })).toEqual([200, [null, false]]);
    const stranger = await server.createTeam();
    const { body: theirs } = await stranger.call('POST', '/contactBooks', { name: 'Theirs' });
    const letter = { name: 'N', from: 'hello@news.test', subject: 'S', html: '<p>x</p>' };
    const stolen = { ...letter, contactBookId: theirs.id, excludeCampaignId: other };
    expect((await stranger.call('POST', '/campaigns', stolen)).status).toBe(404);
    const alone = { ...letter, contactBookId: book, notOpened: true };
    expect((await team.call('POST', '/campaigns', alone)).status).toBe(400);
  });

  test('does not start after the first campaign was deleted, because it would go to everyone', async () => {
    const { id, book } = await send(makePeople(2, 'deleted.example'));
    const again = await create(book, { excludeCampaignId: id, scheduledAt: '2099-01-01T00:00:00Z' });
    await team.call('DELETE', `/campaigns/${id}`);
    const { status, body } = await team.call('POST', `/campaigns/${again}/schedule`, {});
    expect([status, body.error.message]).toEqual([400, 'The campaign in excludeCampaignId was deleted.']);
  });
});

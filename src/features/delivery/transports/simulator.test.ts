import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer, type TestServer, type TestTeam } from '../../../testing/test-server.ts';

const HTML = '<p>Hello <a href="https://shop.example/offer">here</a></p>';

let server: TestServer;
let team: TestTeam;
let domainId: number;

beforeAll(async () => {
  server = await startTestServer({ doors: ['http', 'worker'] });
  team = await server.createTeam();
  domainId = (await team.call('POST', '/domains', { name: 'shop.test' })).body.id;
  await team.call('PUT', `/domains/${domainId}/verify`);
});
afterAll(() => server.close());

async function track(tracking: { openTracking: boolean; clickTracking: boolean }): Promise<void> {
  await team.call('PATCH', `/domains/${domainId}`, tracking);
}

async function send(to: string): Promise<string> {
  const email = { from: 'hello@shop.test', to, subject: 'x', html: HTML };
  const { status, body } = await team.call('POST', '/emails', email);
  expect(status).toBe(200);
  return body.emailId;
}

async function eventsOf(emailId: string) {
  const { body } = await team.call('GET', `/emails/${emailId}`);
  return body.emailEvents as { status: string; data: Record<string, unknown> | null }[];
}

async function waitForEvents(emailId: string, statuses: string[]): Promise<void> {
  const read = async () => (await eventsOf(emailId)).map(({ status }) => status).toSorted();
  await expect.poll(read, { interval: 50 }).toEqual(statuses.toSorted());
}

test('bounce@ refuses the message with an SMTP reply, every time', async () => {
  for (const to of ['bounce@simulator.test', 'BOUNCE+42@Simulator.TEST', 'bounce@simulator.test']) {
    const emailId = await send(to);
    await waitForEvents(emailId, ['QUEUED', 'SENT', 'BOUNCED']);
    const bounce = (await eventsOf(emailId)).find(({ status }) => status === 'BOUNCED');
    expect(bounce!.data).toMatchObject({ code: 550, enhanced: '5.1.1', bounceType: 'hard' });
  }
});

test('complaint@ complains after the delivery, and can be written to again', async () => {
  for (const to of ['complaint@simulator.test', 'complaint@simulator.test']) {
    const emailId = await send(to);
    await waitForEvents(emailId, ['QUEUED', 'SENT', 'DELIVERED', 'COMPLAINED']);
  }
  expect((await team.call('GET', '/suppressions')).body.items).toEqual([]);
});

test('delay@ accepts the second attempt, a few seconds later', async () => {
  const emailId = await send('delay@simulator.test');
  await waitForEvents(emailId, ['QUEUED', 'SENT', 'DELIVERY_DELAYED']);
  await waitForEvents(emailId, ['QUEUED', 'SENT', 'DELIVERY_DELAYED', 'DELIVERED']);
});

test('open@ and click@ open the message and follow its first link if that is tracked', async () => {
  await track({ openTracking: true, clickTracking: true });
  const [opened, clicked] = [await send('open+a@simulator.test'), await send('click@simulator.test')];
  await waitForEvents(opened, ['QUEUED', 'SENT', 'DELIVERED', 'OPENED']);
  await waitForEvents(clicked, ['QUEUED', 'SENT', 'DELIVERED', 'OPENED', 'CLICKED']);
  const click = (await eventsOf(clicked)).find(({ status }) => status === 'CLICKED');
  expect(click!.data).toMatchObject({ link: 'https://shop.example/offer' });

  await track({ openTracking: true, clickTracking: false });
  await waitForEvents(await send('click@simulator.test'), ['QUEUED', 'SENT', 'DELIVERED', 'OPENED']);
});

test('other addresses of the domain, and the names at other domains, are ordinary recipients', async () => {
  for (const to of ['ada@simulator.test', 'bounce@sub.simulator.test', 'bounce@example.org']) {
    await waitForEvents(await send(to), ['QUEUED', 'SENT', 'DELIVERED']);
  }
});

test('the addresses play the same parts in a campaign', async () => {
  await track({ openTracking: true, clickTracking: true });
  const { body: book } = await team.call('POST', '/contactBooks', { name: 'Readers' });
  const names = ['bounce', 'complaint', 'delay', 'open', 'click'];
  const contacts = names.map((name) => ({ email: `${name}+news@simulator.test` }));
  expect((await team.call('POST', `/contactBooks/${book.id}/contacts/bulk`, contacts)).status).toBe(200);
  const { body: campaign } = await team.call('POST', '/campaigns', {
    name: 'News',
    from: 'hello@shop.test',
    subject: 'News',
    contactBookId: book.id,
    html: HTML,
    sendNow: true,
  });
  const read = async () => (await team.call('GET', `/campaigns/${campaign.id}`)).body;
  await expect.poll(read, { interval: 100 }).toMatchObject({
    sent: 5,
    delivered: 4,
    bounced: 1,
    hardBounced: 1,
    complained: 1,
    opened: 2,
    clicked: 1,
  });
  const ofCampaign = async (query = '') =>
    (await team.call('GET', `/analytics/email-time-series?campaignId=${campaign.id}${query}`)).body;
  const counts = { sent: 5, delivered: 4, opened: 2, clicked: 1, bounced: 1, complained: 1 };
  expect(await ofCampaign()).toMatchObject({
    totalCounts: counts,
    tracked: { opens: { emails: 4, opened: 2 }, clicks: { emails: 4, clicked: 1 } },
  });
  expect((await ofCampaign(`&domainId=${domainId}`)).totalCounts).toEqual(counts);
});

import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadInstanceSecret } from '../../../platform/crypto.ts';
import { decodeId } from '../../../platform/ids.ts';
import { startTestServer, type TestServer, type TestTeam } from '../../../testing/test-server.ts';
import { createPublicLinks, type PublicLinks, type UnsubscribeLink } from '../../content/links/links.ts';

let server: TestServer;
let team: TestTeam;
let links: PublicLinks;
let people = 0;

beforeAll(async () => {
  server = await startTestServer({ doors: ['http', 'worker'] });
  team = await server.createTeam();
  links = createPublicLinks(loadInstanceSecret(server.config.dataDir), server.url);
});
afterAll(() => server.close());

const BACK = 'action=resubscribe';

async function createBook(more: object = {}): Promise<string> {
  return (await team.call('POST', '/contactBooks', { name: 'Harbour News', ...more })).body.id;
}

async function addTo(book: string) {
  const email = `person${++people}@example.org`;
  const { body } = await team.call('POST', `/contactBooks/${book}/contacts`, { email });
  const path = `/contactBooks/${book}/contacts/${body.contactId}`;
  const link: UnsubscribeLink = {
    teamId: team.teamId,
    contactBookId: decodeId('cbk', book)!,
    contactId: decodeId('con', body.contactId)!,
    emailId: null,
    campaignId: null,
    topicId: null,
  };
  return { email, path, link };
}

const show = async (url: string) => (await fetch(url)).text();
const press = async (url: string, body = '') =>
  (
    await fetch(url, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
  ).text();
const read = async (path: string) => (await team.call('GET', path)).body;

test('who has unsubscribed sees that, and can subscribe again with the button', async () => {
  const { path, link, email } = await addTo(await createBook());
  const url = links.unsubscribe(link);
  expect(await show(url)).toContain('Unsubscribe?');
  expect(await press(url)).toContain('Subscribe again');
  // Opening the link again shows the state and changes nothing, as link scanners do it.
  const page = await show(url);
  expect(page).toContain('You have been unsubscribed');
  expect(page).toContain('Subscribe again');
  expect(page).not.toContain('Unsubscribe?');
  expect(await read(path)).toMatchObject({ subscribed: false });
  expect(await press(url, BACK)).toContain(`${email} is subscribed to`);
  expect(await read(path)).toMatchObject({
    subscribed: true,
    unsubscribeReason: null,
    subscription: { state: 'subscribed', changedBy: 'recipient' },
  });
  await press(url, BACK);
  expect(await read(path)).toMatchObject({ subscribed: true });
});

test('the button on the page of preferences does the same', async () => {
  const { path, link } = await addTo(await createBook());
  const url = links.preferences(link);
  expect(await press(url, 'scope=everything')).toContain('Subscribe again');
  expect(await show(url)).toContain('Subscribe again');
  await press(url, BACK);
  expect(await read(path)).toMatchObject({ subscribed: true });
});

test('a topic that was left by its link can be joined again', async () => {
  const book = await createBook();
  const topic = (await team.call('POST', '/topics', { name: 'Tides' })).body.id;
  const { path, link } = await addTo(book);
  const url = links.unsubscribe({ ...link, topicId: decodeId('top', topic) });
  const isInTopic = async () =>
    (await read(`${path}/topics`)).items.find(({ id }: { id: string }) => id === topic).subscribed;
  expect(await press(url)).toContain('Subscribe again');
  expect(await isInTopic()).toBe(false);
  expect(await show(url)).toContain('You have unsubscribed from this topic');
  await press(url, BACK);
  expect(await isInTopic()).toBe(true);
});

test('with double opt-in, the person has to confirm by email again', async () => {
  await team.call('POST', '/domains', { name: 'harbour.test' });
  const book = await createBook({ doubleOptInEnabled: true });
  const { path, link, email } = await addTo(book);
  await team.call('PATCH', path, { subscribed: true });
  const url = links.unsubscribe(link);
  await press(url);
  expect(await press(url, BACK)).toContain(`We sent a new link to ${email}`);
  expect(await read(path)).toMatchObject({ subscribed: false });
});

test('a suppressed address stays unsubscribed, and gets no button', async () => {
  const { path, link, email } = await addTo(await createBook());
  const url = links.unsubscribe(link);
  await press(url);
  expect((await team.call('POST', '/suppressions', { email })).status).toBe(200);
  expect(await show(url)).not.toContain('Subscribe again');
  expect(await press(url, BACK)).toContain('cannot be subscribed again here');
  expect(await read(path)).toMatchObject({ subscribed: false });
});

test('who has left may say why, and only then', async () => {
  const { path, link } = await addTo(await createBook());
  const url = links.unsubscribe(link);
  await press(url, 'action=reason&reason=TOO_MANY');
  expect(await read(path)).toMatchObject({ subscribed: true, unsubscribeReason: null });
  expect(await press(url)).toContain('Why do you unsubscribe?');
  expect(await press(url, 'action=reason&reason=<b>')).toContain('Thank you for telling us.');
  expect(await read(path)).toMatchObject({ subscribed: false, unsubscribeReason: 'UNSUBSCRIBED' });
  const thanks = await press(url, 'action=reason&reason=TOO_MANY');
  expect(thanks).toContain('Subscribe again');
  expect(thanks).not.toContain('Why do you');
  expect(await read(path)).toMatchObject({ unsubscribeReason: 'TOO_MANY' });
  await press(url, BACK);
  expect(await read(path)).toMatchObject({ subscribed: true, unsubscribeReason: null });
  const bounced = await addTo(await createBook());
  await team.call('PATCH', bounced.path, { subscribed: false });
  await press(links.unsubscribe(bounced.link), 'action=reason&reason=OTHER');
  expect(await read(bounced.path)).toMatchObject({ unsubscribeReason: 'UNSUBSCRIBED' });
});

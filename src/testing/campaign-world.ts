/** A server with an SMTP sink, and the steps that tests of campaigns share. One for each test file. */
import PostalMime from 'postal-mime';
import { expect } from 'vitest';
import { addVerifiedDomain, startRelayWorld, type RelayWorld } from './relay-world.ts';
import type { TestServer, TestTeam } from './test-server.ts';

let world: RelayWorld;
export let sink: RelayWorld['sink'];
export let server: TestServer;
export let team: TestTeam;
/** The DKIM key of the domain that sends the campaigns. */
export let publicKey: string;

export async function openCampaignWorld(): Promise<void> {
  world = await startRelayWorld({
    env: { MAIL_HOST: 'mx.posthorn.example', BASE_URL: 'https://post.example' },
  });
  ({ sink, server } = world);
  team = await server.createTeam();
  ({ publicKey } = await addVerifiedDomain(server, team, 'news.test'));
}

export function closeCampaignWorld(): Promise<void> {
  return world.close();
}

interface Person {
  email: string;
  firstName?: string;
  properties?: object;
  subscribed?: boolean;
}

export async function addBook(people: Person[], fields: object = {}): Promise<string> {
  const { body } = await team.call('POST', '/contactBooks', { name: 'News', ...fields });
  if (people.length > 0) await team.call('POST', `/contactBooks/${body.id}/contacts/bulk`, people);
  return body.id;
}

export function makePeople(count: number, domain = 'example.org'): Person[] {
  return Array.from({ length: count }, (_, at) => ({ email: `u${at}@${domain}`, firstName: `U${at}` }));
}

export async function create(contactBookId: string, changes: object = {}): Promise<string> {
  const { status, body } = await team.call('POST', '/campaigns', {
    name: 'News',
    from: 'News <hello@news.test>',
    subject: 'Hello {{firstName,fallback=friend}}',
    contactBookId,
    html: '<p>Hello {{firstName,fallback=friend}}</p>',
    ...changes,
  });
  expect([status, body.error]).toEqual([200, undefined]);
  return body.id;
}

export async function start(id: string, body: object = {}): Promise<void> {
  expect((await team.call('POST', `/campaigns/${id}/schedule`, body)).body).toEqual({ success: true });
}

export async function get(id: string) {
  return (await team.call('GET', `/campaigns/${id}`)).body;
}

export async function untilStatus(id: string, status: string): Promise<void> {
  await expect.poll(async () => (await get(id)).status, { timeout: 60_000, interval: 20 }).toBe(status);
}

export async function readLedger(id: string): Promise<Record<string, string>> {
  const { body } = await team.call('GET', `/campaigns/${id}/recipients?limit=100`);
  return Object.fromEntries(
    body.items.map((item: { email: string; state: string; reason: string | null }) => [
      item.email,
      item.reason ?? item.state,
    ]),
  );
}

export function recipients(): string[] {
  return sink.messages.map((message) => message.recipients[0]!).toSorted();
}

export async function findContact(book: string, email: string): Promise<string> {
  const query = `email=${encodeURIComponent(email)}`;
  return (await team.call('GET', `/contactBooks/${book}/contacts?${query}`)).body.items[0].id;
}

/** The user agent of a person's browser. */
export const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0';

/** Returns the tracked links in the last email that an address received. */
export async function letterTo(address: string) {
  const message = sink.messages.findLast((each) => each.recipients[0] === address)!;
  const { html = '', headers } = await PostalMime.parse(message.data);
  const links = [...html.matchAll(/(?:src|href)="https:\/\/post\.example(\/[^"]*)"/g)].map(
    ([, path]) => path!,
  );
  return {
    headers,
    pixel: links.find((path) => path.startsWith('/t/o/'))!,
    clicks: links.filter((path) => path.startsWith('/t/c/')),
    unsubscribe: links.find((path) => path.startsWith('/u/'))!,
  };
}

/** Opens a tracked link or image. */
export async function visit(path: string, userAgent = BROWSER): Promise<void> {
  const answer = await fetch(server.url + path, { redirect: 'manual', headers: { 'user-agent': userAgent } });
  expect(answer.status).toBeLessThan(400);
}

import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer, type TestServer, type TestTeam } from '../../../testing/test-server.ts';

const FILE_BYTES = 3 * 1024 * 1024;

interface Page {
  items: { recipient: string }[];
  next_cursor: string | null;
}

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer({ doors: ['http', 'worker'] });
});
afterAll(() => server.close());

async function openTeam(domain: string): Promise<TestTeam> {
  const team = await server.createTeam();
  const { body } = await team.call('POST', '/domains', { name: domain });
  expect((await team.call('PUT', `/domains/${body.id}/verify`)).status).toBe(200);
  return team;
}

async function send({ call }: TestTeam, from: string, subject: string): Promise<string> {
  const { status, body } = await call('POST', '/emails', {
    from,
    to: 'ada@example.org',
    subject,
    text: 'Hello',
  });
  expect(status).toBe(200);
  await expect.poll(async () => (await call('GET', `/emails/${body.emailId}`)).body.status).toBe('DELIVERED');
  return body.emailId;
}

test('sandbox messages are listed newest first, in pages, with their content and envelope', async () => {
  const team = await openTeam('shop.test');
  const first = await send(team, 'hello@shop.test', 'First');
  const second = await send(team, 'hello@shop.test', 'Second');
  const { body: page } = await team.call('GET', '/sandbox/messages?limit=1');
  expect(page.items).toMatchObject([
    {
      emailId: second,
      recipient: 'ada@example.org',
      mailFrom: expect.stringMatching(/@bounce\.shop\.test$/),
      raw: expect.stringMatching(/^DKIM-Signature: [^]*\r\nSubject: Second\r\n/),
    },
  ]);
  const { body: rest } = await team.call('GET', `/sandbox/messages?limit=1&cursor=${page.next_cursor}`);
  expect(rest).toMatchObject({ items: [{ emailId: first }], next_cursor: null });
});

test('another team does not see them', async () => {
  const [team, other] = [await openTeam('ours.test'), await openTeam('theirs.test')];
  const emailId = await send(team, 'hello@ours.test', 'Ours');
  const { items } = (await team.call('GET', '/sandbox/messages')).body;
  expect(items).toMatchObject([{ emailId }]);
  expect((await other.call('GET', '/sandbox/messages')).body.items).toEqual([]);
  expect((await other.call('GET', `/sandbox/messages/${items[0].id}`)).status).toBe(404);
});

test('a list without sources has the subjects, and a message is fetched with its source', async () => {
  const team = await openTeam('subjects.test');
  await send(
    team,
    'hello@subjects.test',
    'Grüße an alle, die ein Abonnement der Wochenzeitung für das Ausland haben',
  );
  const { items } = (await team.call('GET', '/sandbox/messages?source=false')).body;
  expect(items).toMatchObject([
    { raw: null, subject: 'Grüße an alle, die ein Abonnement der Wochenzeitung für das Ausland haben' },
  ]);
  const { status, body } = await team.call('GET', `/sandbox/messages/${items[0].id}`);
  expect(status).toBe(200);
  expect(body).toEqual({ ...items[0], raw: expect.stringContaining('\r\nTo: ada@example.org\r\n') });
  for (const id of ['sbx_nothing', items[0].emailId, 'x'])
    expect((await team.call('GET', `/sandbox/messages/${id}`)).status).toBe(404);
  expect((await team.call('GET', '/sandbox/messages?source=no')).status).toBe(400);
});

test('a page of large messages ends early, and the pages together list all of them', async () => {
  const team = await openTeam('play.test');
  const content = Buffer.alloc(FILE_BYTES, 'x').toString('base64');
  const to = Array.from({ length: 5 }, (_, at) => `reader${at}@example.org`);
  const email = { from: 'a@play.test', to, subject: 'x', text: 'x' };
  await team.call('POST', '/emails', { ...email, attachments: [{ filename: 'a.txt', content }] });

  const seen: string[][] = [];
  const readAll = async () => {
    seen.length = 0;
    for (let cursor: string | null = ''; cursor !== null;) {
      const { items, next_cursor }: Page = (await team.call('GET', `/sandbox/messages${cursor}`)).body;
      seen.push(items.map(({ recipient }) => recipient));
      cursor = next_cursor && `?cursor=${next_cursor}`;
    }
    return seen.flat().toSorted();
  };
  await expect.poll(readAll).toEqual(to);
  expect(seen.map((items) => items.length)).toEqual([2, 2, 1]);
});

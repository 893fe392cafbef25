import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer, type TestServer, type TestTeam } from '../../testing/test-server.ts';

const FILE_BYTES = 3 * 1024 * 1024;
let server: TestServer;
let team: TestTeam;

beforeAll(async () => {
  server = await startTestServer({ doors: ['http', 'worker'] });
  team = await server.createTeam();
  const { id } = (await team.call('POST', '/domains', { name: 'play.test' })).body;
  await team.call('PUT', `/domains/${id}/verify`);
});
afterAll(() => server.close());

async function page(query: string): Promise<{ items: { recipient: string }[]; next_cursor: string | null }> {
  return (await team.call('GET', `/sandbox/messages?${query}`)).body;
}

test('a page of large messages ends early, and leads on to all of them', async () => {
  const content = Buffer.alloc(FILE_BYTES, 'x').toString('base64');
  const to = Array.from({ length: 5 }, (_, at) => `reader${at}@example.org`);
  const email = { from: 'a@play.test', to, subject: 'x', text: 'x' };
  await team.call('POST', '/emails', { ...email, attachments: [{ filename: 'a.txt', content }] });

  const seen: string[][] = [];
  const readAll = async () => {
    seen.length = 0;
    for (let cursor: string | null = ''; cursor !== null;) {
      const { items, next_cursor } = await page(cursor && `cursor=${cursor}`);
      seen.push(items.map(({ recipient }) => recipient));
      cursor = next_cursor;
    }
    return seen.flat().toSorted();
  };
  await expect.poll(readAll, { timeout: 20_000 }).toEqual(to);
  expect(seen.map((items) => items.length)).toEqual([2, 2, 1]);
});

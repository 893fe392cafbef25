import { afterAll, beforeAll, expect, test } from 'vitest';
import { addDomain } from '../../../testing/factories.ts';
import { startTestServer, type TestServer, type TestTeam } from '../../../testing/test-server.ts';

let server: TestServer;
let team: TestTeam;
let count = 0;

beforeAll(async () => {
  server = await startTestServer();
  team = await server.createTeam();
  await addDomain(server.db, team.teamId, 'harbour.test');
});
afterAll(() => server.close());

/** Creates a mailbox and returns the path of its saved replies. */
async function createBox(): Promise<string> {
  const { body } = await team.call('POST', '/mailboxes', { address: `box${(count += 1)}@harbour.test` });
  return `/mailboxes/${body.id}/saved-replies`;
}

test.each([
  ['greater-than signs', '>'],
  ['no-break spaces', '\u00a0'],
  ['references', '&nbsp;&gt;&quot;&amp;'],
  ['ampersands', '&'],
  ['quotes', '"\''],
  ['fonts in double quotes', `<b style='font-family:"x"'>x</b>`],
  ['letters outside the basic plane', '😀'],
])('a reply of many %s does not get longer, and can be sent back', async (_what, part) => {
  const path = await createBox();
  const html = part.repeat(Math.floor(100_000 / [...part].length));
  const saved = (await team.call('POST', path, { name: 'Thanks', html })).body;
  expect(saved.html.length).toBeLessThanOrEqual(html.length);
  const again = await team.call('PATCH', `${path}/${saved.id}`, { html: saved.html });
  expect([again.status, again.body.html === saved.html]).toEqual([200, true]);
});

test('html that sanitizing makes longer than the limit is refused, and nothing changes', async () => {
  const path = await createBox();
  const { body: reply } = await team.call('POST', path, { name: 'Thanks', html: '<p>x</p>' });
  for (const html of ['<'.repeat(100_000), '<p>'.repeat(33_000), '&a'.repeat(50_000)]) {
    const refused = [
      await team.call('POST', path, { name: 'Long', html }),
      await team.call('PATCH', `${path}/${reply.id}`, { name: 'Long', html }),
    ];
    for (const { status, body } of refused) {
      expect([status, body.error.code]).toEqual([400, 'BAD_REQUEST']);
      expect(body.error.issues[0]).toEqual({
        path: '/html',
        message: 'must have at most 100000 characters after it was sanitized',
      });
    }
  }
  expect((await team.call('GET', path)).body.items).toEqual([reply]);
});

import { afterAll, beforeAll, expect, test } from 'vitest';
import { addDomain } from '../../testing/factories.ts';
import { HELD_UP, longestWait } from '../../testing/longest-wait.ts';
import { shareTestServer, type TestServer, type TestTeam } from '../../testing/test-server.ts';

let server: TestServer;
let team: TestTeam;

beforeAll(async () => {
  server = await shareTestServer();
  team = await server.createTeam();
});
afterAll(() => server.close());

function mjmlOf(...content: string[]): string {
  const column = `<mj-section><mj-column>${content.join('')}</mj-column></mj-section>`;
  return `<mjml><mj-body>${column}</mj-body></mjml>`;
}

const HELLO = mjmlOf(
  '<mj-text>Hello {{firstName,fallback=friend}}</mj-text>',
  '<mj-button href="{{unsubscribeUrl}}">Leave</mj-button>',
);

test('templates and campaigns take MJML and store its HTML, with its merge tags', async () => {
  const { status, body } = await team.call('POST', '/templates', { name: 'M', mjml: HELLO });
  expect(status).toBe(200);
  expect(body).toMatchObject({ content: null, variables: ['firstName', 'unsubscribeUrl'] });
  expect(body.html).toContain('Hello {{firstName,fallback=friend}}');
  expect(body.html).toContain('href="{{unsubscribeUrl}}"');
  expect(body.html).not.toContain('mj-text');
  const changed = await team.call('PATCH', `/templates/${body.id}`, {
    mjml: mjmlOf('<mj-text>Bye</mj-text>'),
  });
  expect(changed.body.html).toContain('Bye');
  await addDomain(server.db, team.teamId, 'mjml.test');
  const { body: book } = await team.call('POST', '/contactBooks', { name: 'B' });
  const campaign = await team.call('POST', '/campaigns', {
    name: 'C',
    from: 'a@mjml.test',
    subject: 'S',
    contactBookId: book.id,
    mjml: HELLO,
  });
  expect(campaign.body.html).toContain('Hello {{firstName,fallback=friend}}');
  const renewed = await team.call('PATCH', `/campaigns/${campaign.body.id}`, {
    mjml: mjmlOf('<mj-text>News</mj-text>'),
  });
  expect(renewed.body.html).toContain('News');
});

test.each([
  ['no MJML', 'Hello'],
  ['an unfinished tag', '<mjml><mj-body><mj-section>'],
  ['an include', '<mjml><mj-body><mj-include path="/etc/passwd" type="html" /></mj-body></mjml>'],
  ['a very deep document', `<mjml><mj-body>${'<mj-wrapper>'.repeat(15_000)}`],
  ['far too much HTML', mjmlOf('<mj-text>a</mj-text>'.repeat(9_000))],
  ['too many links', mjmlOf(`<mj-text>${'<a href="#a">a</a>'.repeat(5_001)}</mj-text>`)],
  ['too much MJML', mjmlOf('a'.repeat(200_001))],
])('%s is refused and names the field', async (_name, mjml) => {
  const { status, body } = await team.call('POST', '/templates', { name: 'M', mjml });
  expect(status).toBe(400);
  expect(JSON.stringify(body.error)).toContain('mjml');
  expect((await team.call('POST', '/templates', { name: 'After', mjml: HELLO })).status).toBe(200);
});

test('a file of Windows is rendered, and quotes in an attribute stay inside it', async () => {
  const mjml = `\ufeff<?xml version="1.0"?>\r\n${mjmlOf(`<mj-text\r\n  font-family='"Open Sans", Arial'\r\n>Hi</mj-text>`)}\r\n`;
  const { status, body } = await team.call('POST', '/templates', { name: 'W', mjml });
  expect(status).toBe(200);
  expect(body.html).toContain('style="font-family:&quot;Open Sans&quot;, Arial;');
});

test.each([
  ['<mj-include path="a.mjml"/>', 'mj-include needs the original mjml'],
  ['<mj-invoice></mj-invoice>', 'mj-invoice is not an element of MJML 4'],
  ['\n<mj-text>é<![CDATA[x]]></mj-text>', 'in line 2: <![CDATA[x]]>'],
])('%s is refused with a reason that its author understands', async (content, reason) => {
  const { status, body } = await team.call('POST', '/templates', { name: 'M', mjml: mjmlOf(content) });
  expect(status).toBe(400);
  expect(body.error.message).toContain(reason);
});

test('MJML together with HTML or a document is rejected', async () => {
  const both = { name: 'M', mjml: HELLO, html: '<p>x</p>' };
  expect((await team.call('POST', '/templates', both)).status).toBe(400);
});

test('large MJML does not block other requests', async () => {
  const large = mjmlOf('<mj-text>Some words of text</mj-text>'.repeat(2_000));
  const work = Promise.all([1, 2, 3].map(() => team.call('POST', '/templates', { name: 'L', mjml: large })));
  expect(await longestWait(work, () => team.call('GET', '/contactBooks'))).toBeLessThan(HELD_UP);
  await work;
});

import { afterAll, beforeAll, expect, test } from 'vitest';
import { addDomain } from '../../../testing/factories.ts';
import { shareTestServer, type TestServer, type TestTeam } from '../../../testing/test-server.ts';
import type { CampaignFinding } from './check.schema.ts';

let server: TestServer;
let team: TestTeam;
let contactBookId: string;

beforeAll(async () => {
  server = await shareTestServer();
  team = await server.createTeam();
  await addDomain(server.db, team.teamId, 'tags.test');
  contactBookId = (await team.call('POST', '/contactBooks', { name: 'News' })).body.id;
});
afterAll(() => server.close());

const LEAVE = '<a href="{{unsubscribeUrl}}">Leave</a>';

async function check(fields: object): Promise<CampaignFinding[]> {
  const campaign = { name: 'C', from: 'a@tags.test', subject: 'S', contactBookId, ...fields };
  const { body } = await team.call('POST', '/campaigns', campaign);
  const checked = await team.call('GET', `/campaigns/${body.id}/check?links=false`);
  expect(checked.status).toBe(200);
  return checked.body.findings;
}

async function findForeign(fields: object): Promise<CampaignFinding | undefined> {
  return (await check(fields)).find(({ code }) => code === 'foreign_tags');
}

test('the check names merge tags of other products and ours, and takes nothing else for one', async () => {
  const html = `<title>*|MC:SUBJECT|*</title><style>a{b:c}</style><!--*|IF:X|*--><p>Dear *|FNAME|*, {{ first_name | default: 'x' }}
    [lastname,fallback=] {$name} %%Email%% %FIRSTNAME|you% [[UNSUB_LINK]] <a href="*|UNSUB|*">Leave</a><unsubscribe>x</unsubscribe></p>${LEAVE}`;
  const { level, places } = (await findForeign({ subject: '*|LNAME|* {{email}}', html }))!;
  expect(level).toBe('warning');
  expect(places.toSorted()).toEqual([
    '%%Email%%: use {{email}}',
    '%FIRSTNAME|you%: use {{firstName}}',
    '*|FNAME|*: use {{firstName}}',
    '*|LNAME|*: use {{lastName}}',
    '*|UNSUB|*: use {{unsubscribeUrl}}',
    '<unsubscribe>: use {{unsubscribeUrl}}',
    '[[UNSUB_LINK]]: use {{unsubscribeUrl}}',
    '[lastname,fallback=]: use {{lastName}}',
    '{$name}',
    "{{ first_name | default: 'x' }}: use {{firstName}}",
  ]);
  const fine = `<style>@media x{a{b:c}}</style><p>100% OF 20% {{firstName,fallback=a [b] | c}} 5 * |x| * [1] [note, see] {a} &#42;|FNAME|*
    <a href="https://x.test/%E4%B8%AD%20ABC%20?a=%7B%25">x</a></p>${LEAVE}`;
  expect(await findForeign({ html: fine })).toBeUndefined();
});

test('fonts, which get a style sheet of their own, are not pointed out', async () => {
  const sheet = '@font-face{font-family:x;src:url(https://a.test/x.woff)}@media print{.a{color:red}}';
  const link = '<link href="https://fonts.googleapis.com/css?family=Lato" rel="stylesheet">';
  const findings = await check({ html: `${link}<style>${sheet}</style><p class="a">x</p>${LEAVE}` });
  expect(findings.map(({ code }) => code)).not.toContain('large_style_sheet');
  expect(findings.map(({ code }) => code)).not.toContain('unsupported_html');
});

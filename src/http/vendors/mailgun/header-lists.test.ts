import { afterAll, beforeAll, expect, test } from 'vitest';
import { addDomain } from '../../../testing/factories.ts';
import { shareTestServer, type TestServer, type TestTeam } from '../../../testing/test-server.ts';
import { connectMailgun, type MailgunClient } from '../../../testing/clients/vendor-clients.ts';

let server: TestServer;
let team: TestTeam;
let domain: string;
let mailgun: MailgunClient;

beforeAll(async () => {
  server = await shareTestServer();
  team = await server.createTeam();
  domain = `mg${team.teamId}.test`;
  await addDomain(server.db, team.teamId, domain);
  mailgun = connectMailgun(server, team.key);
});
afterAll(() => server.close());

const message = () => ({
  from: `Ada <ada@${domain}>`,
  to: ['grace@example.com'],
  subject: 'Hello',
  text: 'Hi',
});

const send = (more: object = {}) => mailgun.messages.create(domain, { ...message(), ...more });

/** Finds the email with this Message-ID. */
async function find(id: string) {
  const emailId = id.slice(1, id.indexOf('@'));
  return (await team.call('GET', `/emails/${emailId}`)).body;
}
const rawOf = async (emailId: string) =>
  (await team.call('GET', `/emails/${emailId}/source`)).body.raw as string;

test('messages go to the members of groups, with names in comments and encoded words decoded', async () => {
  const { id } = await send({
    to: 'Team: grace@example.com (Grace, of Arlington), =?utf-8?q?Gr=C3=BC=C3=9Fe=2C_Alan?= <alan@example.com>;',
    'h:Reply-To': 'Desk: "a, b" <desk@example.com>;',
  });
  expect(await find(id!)).toMatchObject({
    to: ['"Grace, of Arlington" <grace@example.com>', '"Grüße, Alan" <alan@example.com>'],
    replyTo: ['"a, b" <desk@example.com>'],
  });
  for (const to of [
    'undisclosed-recipients:;',
    'Grace <grace@example.com> <alan@example.com>',
    'Hopper, Grace',
  ])
    await expect(send({ to })).rejects.toMatchObject({ status: 400 });
});

test('messages keep a link with a comma in List-Unsubscribe, without the link of Mailgun', async () => {
  const link = '<https://example.com/leave?lists=1,2>';
  const { id } = await send({
    'h:List-Unsubscribe': `${link}, <%unsubscribe_url%&lists=1,2>, <mailto:leave@example.com>`,
  });
  const raw = (await rawOf((await find(id!)).id)).replaceAll(/\r\n[ \t]/g, ' ');
  expect(raw).toMatch(
    /^List-Unsubscribe: <https:\/\/example\.com\/leave\?lists=1,2>, +<mailto:leave@example\.com>\r$/m,
  );
});

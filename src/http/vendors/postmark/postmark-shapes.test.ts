/**
 * Tests that responses have every field that the official SDKs declare. The SDK for Python rejects a response without
 * one of them.
 */
import type { Models, ServerClient } from 'postmark';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSendingTeam, type SendingTeam } from '../../../testing/fixtures/sending-team.ts';
import { shareTestServer, type TestServer } from '../../../testing/test-server.ts';
import { connectPostmark } from '../../../testing/clients/vendor-clients.ts';

let server: TestServer;
let team: SendingTeam;
let client: ServerClient;

beforeAll(async () => {
  server = await shareTestServer();
  team = await createSendingTeam(server, 'ps');
  client = connectPostmark(server, team.key);
});
afterAll(() => server.close());

function email(more: object = {}): Models.Message {
  return {
    From: `Ada <ada@${team.domain}>`,
    To: 'grace@example.com',
    Subject: 'Hello',
    HtmlBody: '<a href="https://example.com/">Hi</a>',
    ...more,
  };
}

async function get(path: string, key: string) {
  const response = await fetch(`${server.url}/postmark${path}`, {
    headers: { 'x-postmark-server-token': key },
  });
  return { status: response.status, body: (await response.json()) as object };
}

test('a message has its attachments and its tracking', async () => {
  const { MessageID: tracked } = await client.sendEmail(
    email({
      TrackOpens: true,
      TrackLinks: 'HtmlOnly',
      Tag: 'shapes',
      Attachments: [{ Name: 'a.txt', Content: 'b25l', ContentType: 'text/plain', ContentID: null }],
    }),
  );
  const { MessageID: plain } = await client.sendEmail(
    email({ TrackOpens: false, TrackLinks: 'None', Tag: 'shapes' }),
  );
  expect(await client.getOutboundMessageDetails(tracked)).toMatchObject({
    Attachments: ['a.txt'],
    TrackOpens: true,
    TrackLinks: 'HtmlOnly',
    Sandboxed: false,
  });
  expect((await client.getOutboundMessages({ tag: 'shapes' })).Messages).toMatchObject([
    { MessageID: plain, Attachments: [], TrackOpens: false, TrackLinks: 'None', Sandboxed: false },
    { MessageID: tracked, Attachments: [], TrackOpens: true, TrackLinks: 'HtmlOnly', Sandboxed: false },
  ]);
});

test('messages are found by their metadata', async () => {
  const { MessageID } = await client.sendEmail(email({ Metadata: { Color: 'blue', size: 'xl' } }));
  await client.sendEmail(email({ Metadata: { Color: 'red', size: 'xl' } }));
  const find = async (filter: object) =>
    (await client.getOutboundMessages(filter)).Messages.map((message) => message.MessageID);
  expect(await find({ metadata_color: 'blue' })).toEqual([MessageID]);
  expect(await find({ metadata_Color: 'blue', metadata_size: 'xl' })).toEqual([MessageID]);
  expect(await find({ metadata_color: 'blue', metadata_size: 's' })).toEqual([]);
  expect(await find({ metadata_color: 'Blue' })).toEqual([]);
  await expect(client.getBounces({ metadata_color: 'blue' } as object)).rejects.toMatchObject({ code: 300 });
});

test('a rejected email of a batch has the fields of a result, without an ID', async () => {
  const [result] = await client.sendEmailBatch([email({ To: 'nobody' })]);
  expect(result).toEqual({
    To: 'nobody',
    SubmittedAt: expect.stringMatching(/Z$/),
    MessageID: '',
    ErrorCode: 300,
    Message: expect.stringContaining('To'),
  });
  const [other] = await client.sendEmailBatch([{ To: 5 } as never]);
  expect(other).toMatchObject({ To: '', MessageID: '', ErrorCode: 300 });
});

test('a template is returned whole by create and edit', async () => {
  const whole = { Subject: 'S', HtmlBody: null, TextBody: 'x', AssociatedServerId: team.teamId };
  const created = await client.createTemplate({ Name: 'Whole', Subject: 'S', TextBody: 'x' });
  expect(created).toMatchObject(whole);
  expect(await client.editTemplate(created.TemplateId, { Subject: 'T' })).toMatchObject({
    ...whole,
    Subject: 'T',
  });
});

/** SDKs that have one type for what they send and receive, such as those for Go, send all its fields. */
test('fields that only responses have are ignored in templates and suppressions', async () => {
  const answered = { TemplateID: 0, TemplateId: 0, AssociatedServerId: 0, Active: false };
  const shown = await client.createTemplate({ ...answered, Name: 'Sent back', Subject: 'S', TextBody: 'x' });
  expect(await client.editTemplate(shown.TemplateId, { ...shown, Subject: 'T' } as object)).toEqual({
    ...shown,
    Subject: 'T',
  });
  const entry = { EmailAddress: 'back@example.com', SuppressionReason: '', Origin: '', CreatedAt: '' };
  expect(await client.createSuppressions('outbound', { Suppressions: [entry] })).toMatchObject({
    Suppressions: [{ Status: 'Suppressed' }],
  });
  expect(await client.deleteSuppressions('outbound', { Suppressions: [entry] })).toMatchObject({
    Suppressions: [{ Status: 'Deleted' }],
  });
});

test('a server has its settings', async () => {
  expect(await client.getServer()).toMatchObject({
    InboundAddress: '',
    InboundHash: '',
    InboundSpamThreshold: 0,
    PostFirstOpenOnly: false,
    TrackOpens: false,
    TrackLinks: 'None',
    IncludeBounceContentInHook: false,
    EnableSmtpApiErrorHooks: false,
  });
});

test('paths are found in any case, and names in them keep theirs', async () => {
  expect(await get('/deliverystats', team.key)).toMatchObject({ status: 200, body: { InactiveMails: 0 } });
  expect((await get('/Messages/Outbound', team.key)).status).toBe(200);
  expect((await get('/Message-Streams/Outbound', team.key)).status).toBe(404);
  expect((await get('/STATS/outbound', team.key)).status).toBe(501);
  await client.createTemplate({ Name: 'Cased', Alias: 'Server', Subject: 'S', TextBody: 'x' });
  expect(await get('/Templates/Server', team.key)).toMatchObject({ status: 200, body: { Alias: 'Server' } });
});

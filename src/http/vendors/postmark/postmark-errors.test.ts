import type { Errors, Models, ServerClient } from 'postmark';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSendingTeam, type SendingTeam } from '../../../testing/fixtures/sending-team.ts';
import { shareTestServer, type TestServer } from '../../../testing/test-server.ts';
import { connectPostmark } from '../../../testing/clients/vendor-clients.ts';

let server: TestServer;
let team: SendingTeam;
let client: ServerClient;
const from = () => `Ada <ada@${team.domain}>`;

beforeAll(async () => {
  server = await shareTestServer();
  team = await createSendingTeam(server, 'pe');
  client = connect(team.key);
});
afterAll(() => server.close());

const connect = (key: string) => connectPostmark(server, key);

function email(more: object = {}): Models.Message {
  return { From: from(), To: 'grace@example.com', Subject: 'Hello', TextBody: 'Hi', ...more };
}

async function refusalOf(promise: Promise<unknown>) {
  const error = await promise.then(
    () => expect.fail('must be refused'),
    (reason: Errors.HttpError) => reason,
  );
  return { code: error.code, status: error.statusCode, name: error.name, message: error.message };
}

test('errors have the codes and status codes of Postmark', async () => {
  const send = (more: object) => refusalOf(client.sendEmail(email({ Subject: 'Refused', ...more })));
  expect(await send({ To: undefined })).toMatchObject({
    code: 300,
    status: 422,
    name: 'InvalidEmailRequestError',
    message: expect.stringContaining('To '),
  });
  expect(await send({ To: 'a@b' })).toMatchObject({ code: 300, message: expect.stringContaining('To') });
  expect(await send({ From: 'ada@other.example' })).toMatchObject({ code: 400, status: 422 });
  expect(await send({ TextBody: undefined })).toMatchObject({
    code: 300,
    message: 'HtmlBody or TextBody is required.',
  });
  const many = Array.from({ length: 51 }, (_, at) => `${at}@example.com`).join(', ');
  expect(await send({ To: many })).toMatchObject({
    code: 300,
    message: 'To must have at most 50 addresses together with Cc and Bcc.',
  });
  expect(await send({ ScheduledAt: 'tomorrow' })).toMatchObject({
    code: 300,
    message: expect.stringContaining('ScheduledAt'),
  });
  for (const wrong of [
    { TrackLinks: 'TextOnly' },
    { Headers: [{ Name: 'Bcc', Value: 'x@example.com' }] },
    { Headers: [1, 2].map((no) => ({ Name: 'X-A', Value: String(no) })) },
    { Attachments: [{ Name: 'a', Content: '%%', ContentType: 'text/plain' }] },
    { Metadata: { a: [1] } },
    { MessageStream: 'no such stream' },
  ])
    expect(await send(wrong), JSON.stringify(wrong)).toMatchObject({ code: 300, status: 422 });
  await client.createSuppressions('outbound', { Suppressions: [{ EmailAddress: 'off@example.com' }] });
  await expect(
    client.sendEmail(email({ Subject: 'Refused', To: 'Off <off@example.com>' })),
  ).rejects.toMatchObject({
    code: 406,
    statusCode: 422,
    recipients: ['off@example.com'],
  });
  expect(await team.countEmails('Refused')).toBe(0);
  expect(await refusalOf(client.getOutboundMessageDetails('eml_1'))).toMatchObject({
    code: 701,
    status: 422,
  });
  expect(await refusalOf(client.getBounce(1))).toMatchObject({ code: 407, status: 422 });
  expect(await refusalOf(client.getMessageOpens({ platform: 'Mobile' }))).toMatchObject({ code: 300 });
  const post = await fetch(`${server.url}/postmark/email`, {
    method: 'POST',
    headers: { 'x-postmark-server-token': team.key, 'content-type': 'application/json' },
    body: '{"From":',
  });
  expect([post.status, await post.json()]).toEqual([422, { ErrorCode: 402, Message: expect.any(String) }]);
});

test('an endpoint that is not supported returns 501', async () => {
  for (const call of [
    () => client.getOutboundOverview(),
    () => client.getWebhooks(),
    () => client.getInboundMessages(),
    () => client.getInboundRuleTriggers(),
    () => client.editServer({ Name: 'x' }),
    () => client.createMessageStream({ ID: 'x', Name: 'x', MessageStreamType: 'Broadcasts' }),
    () => client.archiveMessageStream('outbound'),
    () => client.getBulkEmailStatus('x'),
  ])
    expect(await refusalOf(call())).toMatchObject({ status: 501, code: 501 });
});

test('errors are returned for other keys, teams and domains', async () => {
  const { MessageID } = await client.sendEmail(email());
  expect(await refusalOf(connect('wrong').getServer())).toMatchObject({
    code: 10,
    status: 401,
    name: 'InvalidAPIKeyError',
  });
  const unnamed = await fetch(`${server.url}/postmark/server`);
  expect([unnamed.status, unnamed.headers.get('www-authenticate')]).toEqual([401, 'X-Postmark-Server-Token']);
  const other = connect((await server.createTeam()).key);
  expect(await refusalOf(other.getOutboundMessageDetails(MessageID))).toMatchObject({ code: 701 });
  expect((await other.getOutboundMessages()).Messages).toEqual([]);
  expect(await refusalOf(other.sendEmail(email()))).toMatchObject({ code: 400 });

  const sending = connect(await team.createKey({ permission: 'sending' }));
  expect((await sending.sendEmail(email())).ErrorCode).toBe(0);
  expect(await refusalOf(sending.getOutboundMessages())).toMatchObject({ status: 401, code: 10 });

  const domainId = await team.addDomain(`second-${team.domain}`);
  const bound = connect(await team.createKey({ permission: 'full', domainId }));
  expect(await refusalOf(bound.sendEmail(email()))).toMatchObject({ code: 400, status: 422 });
  const [sent] = await bound.sendEmailBatch([
    email({ From: `a@second-${team.domain}`, Subject: 'Bound' }),
    email(),
  ]);
  expect((await bound.getOutboundMessages()).Messages).toMatchObject([{ MessageID: sent!.MessageID }]);
  expect(await refusalOf(bound.getOutboundMessageDetails(MessageID))).toMatchObject({ status: 401 });
  expect(await refusalOf(bound.getSuppressions('outbound'))).toMatchObject({ status: 401 });
});

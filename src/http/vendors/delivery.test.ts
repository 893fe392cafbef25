/** Tests that emails from the doors of other vendors reach a mail server, and how their delivery is reported. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectPostmark, connectSendgrid } from '../../testing/clients/vendor-clients.ts';
import { startSmtpSink, type SmtpSink } from '../../testing/smtp-sink.ts';
import { startTestServer, type TestServer, type TestTeam } from '../../testing/test-server.ts';

const BROWSER =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36';

let sink: SmtpSink;
let server: TestServer;
let team: TestTeam;

beforeAll(async () => {
  sink = await startSmtpSink();
  sink.behave({ rcptReplies: { 'gone@example.org': '550 5.1.1 No such user' } });
  server = await startTestServer({
    doors: ['http', 'worker'],
    env: { MAIL_TRANSPORT: 'relay', RELAY_URL: `smtp://127.0.0.1:${sink.port}` },
  });
  team = await server.createTeam();
  await team.call('POST', '/domains', { name: 'shop.test' });
  await server.db.updateTable('domains').set({ status: 'SUCCESS', held: true }).execute();
});
afterAll(async () => {
  await server.close();
  await sink.close();
});

const poll = <Value>(read: () => Promise<Value>) => expect.poll(read, { interval: 20 });

function dataOf(recipient: string): string {
  return sink.messages
    .filter(({ recipients }) => recipients.includes(recipient))
    .map(({ data }) => data.toString())
    .join();
}

test('the Postmark SDK reads deliveries, opens, clicks and bounces, and activates an address', async () => {
  const postmark = connectPostmark(server, team.key);
  const stranger = connectPostmark(server, (await server.createTeam()).key);
  const email = {
    From: 'ada@shop.test',
    Subject: 'Order',
    HtmlBody: '<p><a href="https://shop.example/order">Order</a></p>',
    Tag: 'An order',
    TrackOpens: true,
    TrackLinks: 'HtmlOnly' as never,
  };
  const [good, bad] = await postmark.sendEmailBatch([
    { ...email, To: 'Grace <grace@example.org>' },
    { ...email, To: 'gone@example.org' },
  ]);
  const eventsOf = async (id: string) =>
    (await postmark.getOutboundMessageDetails(id)).MessageEvents.map(({ Type }) => Type);
  await poll(() => eventsOf(good!.MessageID)).toEqual(['Delivered']);
  await poll(() => eventsOf(bad!.MessageID)).toEqual(['Bounced']);

  const html = dataOf('grace@example.org')
    .replaceAll(/=\r?\n/g, '')
    .replaceAll('=3D', '=');
  const link = /href="http:\/\/[^/]+(\/t\/c\/[^"]*)"/.exec(html)![1]!;
  await fetch(`${server.url}${link}`, { redirect: 'manual', headers: { 'user-agent': BROWSER } });
  await poll(async () => (await postmark.getMessageClicks()).Clicks).toMatchObject([
    {
      RecordType: 'Click',
      MessageID: good!.MessageID,
      Recipient: 'grace@example.org',
      Tag: 'An order',
      OriginalLink: 'https://shop.example/order',
      UserAgent: BROWSER,
    },
  ]);
  const opened = {
    TotalCount: 1,
    Opens: [{ RecordType: 'Open', MessageID: good!.MessageID, ReadSeconds: 0 }],
  };
  expect(await postmark.getMessageOpens()).toMatchObject(opened);
  expect(await postmark.getMessageOpensForSingleMessage(good!.MessageID)).toMatchObject(opened);
  expect(await postmark.getMessageClicksForSingleMessage(good!.MessageID)).toMatchObject({ TotalCount: 1 });
  expect(await postmark.getMessageClicksForSingleMessage(bad!.MessageID)).toMatchObject({ TotalCount: 0 });
  expect(await postmark.getMessageOpens({ tag: 'Another' })).toMatchObject({ TotalCount: 0 });
  expect(await stranger.getMessageOpens()).toEqual({ TotalCount: 0, Opens: [] });

  const { Bounces, TotalCount } = await postmark.getBounces({ emailFilter: 'gone@' });
  expect([TotalCount, Bounces]).toMatchObject([
    1,
    [
      {
        Type: 'HardBounce',
        TypeCode: 1,
        Email: 'gone@example.org',
        From: 'ada@shop.test',
        MessageID: bad!.MessageID,
        Tag: 'An order',
        Subject: 'Order',
        Inactive: true,
        CanActivate: true,
        Details: expect.stringContaining('No such user'),
      },
    ],
  ]);
  const { ID } = Bounces[0]!;
  expect(await postmark.getBounce(ID)).toMatchObject({ ID, Email: 'gone@example.org' });
  expect((await postmark.getBounceDump(ID)).Body).toContain('550 5.1.1 No such user');
  for (const filter of [{ type: 'SoftBounce' as never }, { toDate: '2020-01-01' }, { messageID: 'eml_1' }])
    expect((await postmark.getBounces(filter)).Bounces, JSON.stringify(filter)).toEqual([]);
  expect(await postmark.getDeliveryStatistics()).toMatchObject({
    InactiveMails: 1,
    Bounces: [
      { Name: 'All', Count: 1 },
      { Type: 'HardBounce', Count: 1 },
      { Type: 'SoftBounce', Count: 0 },
      { Type: 'SpamComplaint', Count: 0 },
    ],
  });
  await expect(stranger.getBounce(ID)).rejects.toMatchObject({ code: 407 });
  const { id: domainId } = (await team.call('POST', '/domains', { name: 'other.test' })).body;
  const boundKey = { name: 'b', permission: 'full', domainId };
  const bound = connectPostmark(server, (await team.call('POST', '/api-keys', boundKey)).body.key);
  expect(await bound.getBounces()).toEqual({ TotalCount: 0, Bounces: [] });
  await expect(bound.getBounce(ID)).rejects.toMatchObject({ code: 407 });
  await expect(stranger.activateBounce(ID)).rejects.toMatchObject({ code: 407 });
  await expect(postmark.sendEmail({ ...email, To: 'gone@example.org' })).rejects.toMatchObject({ code: 406 });
  expect(await postmark.activateBounce(ID)).toMatchObject({ Message: 'OK', Bounce: { ID, Inactive: false } });
  expect(await postmark.sendEmail({ ...email, To: 'gone@example.org' })).toMatchObject({ ErrorCode: 0 });
});

test('the SendGrid SDK sends each personalization to its recipients, and lists what bounced', async () => {
  const { mail, call } = connectSendgrid(server, team.key);
  const [{ statusCode }] = await mail.send({
    from: { email: 'ada@shop.test', name: 'Ada' },
    subject: 'Dear {{name}}',
    text: 'Hello {{name}}',
    personalizations: [
      { to: 'first@example.org', bcc: 'secret@example.org', substitutions: { name: 'First' } },
      { to: 'second@example.org', substitutions: { name: 'Second' } },
    ],
  });
  expect(statusCode).toBe(202);
  await poll(async () => dataOf('secret@example.org')).toContain('Subject: Dear First');
  await poll(async () => dataOf('second@example.org')).toContain('Subject: Dear Second');
  await poll(async () => dataOf('first@example.org')).toContain('Hello First');
  expect(sink.messages.map(({ data }) => data.toString()).join()).not.toContain('secret@example.org');

  await team.call('POST', '/suppressions', { email: 'left@example.org' });
  await mail.send({ from: 'ada@shop.test', to: 'left@example.org', subject: 'Kept', text: 'x' });
  const activity = async () => (await call('GET', '/v3/messages?query=subject%3D%22Kept%22')).body.messages;
  await poll(activity).toMatchObject([{ status: 'not_delivered' }]);
  sink.behave({ rcptReplies: { 'lost@example.org': '550 5.1.1 No such user' } });
  await mail.send({ from: 'ada@shop.test', to: 'lost@example.org', subject: 'Lost', text: 'x' });
  await poll(async () => (await call('GET', '/v3/suppression/bounces/lost@example.org')).body).toHaveLength(
    1,
  );
  expect(dataOf('left@example.org')).toBe('');
});

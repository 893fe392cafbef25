import { Models, type ServerClient } from 'postmark';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSendingTeam, type SendingTeam } from '../../../testing/fixtures/sending-team.ts';
import { shareTestServer, type TestServer } from '../../../testing/test-server.ts';
import { connectPostmark } from '../../../testing/clients/vendor-clients.ts';

let server: TestServer;
let team: SendingTeam;
let client: ServerClient;
const from = () => `Ada <ada@${team.domain}>`;

beforeAll(async () => {
  server = await shareTestServer();
  team = await createSendingTeam(server, 'p');
  client = connect(team.key);
});
afterAll(() => server.close());

const connect = (key: string) => connectPostmark(server, key);

function email(more: object = {}): Models.Message {
  return { From: from(), To: 'grace@example.com', Subject: 'Hello', TextBody: 'Hi', ...more };
}

async function postOnce(body: object) {
  const response = await fetch(`${server.url}/postmark/email`, {
    method: 'POST',
    headers: {
      'x-postmark-server-token': team.key,
      'content-type': 'application/json',
      'idempotency-key': `pm-${team.teamId}`,
    },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: await response.json() };
}

async function listPaged(count: number, offset: number) {
  const list = await client.getOutboundMessages({ tag: 'paged', count, offset });
  return [Number(list.TotalCount), ...list.Messages.map(({ Subject }) => Subject)];
}

function fromTemplate(more: object) {
  return {
    From: from(),
    To: 'grace@example.com',
    TemplateModel: { user: { name: 'Grace' }, total: 12 },
    ...more,
  };
}

describe('emails', () => {
  test('are sent with all their fields, shown and found', async () => {
    const sent = await client.sendEmail(
      email({
        To: '"Hopper, Grace" <grace@example.com>, alan@example.com',
        Cc: 'cc@example.com',
        Bcc: 'hidden@example.com',
        ReplyTo: 'desk@example.com',
        Subject: 'Everything',
        HtmlBody: '<p>Hi <img src="cid:logo.png"></p>',
        Tag: 'Order confirmed',
        Headers: [{ Name: 'X-Order', Value: '4711' }],
        Metadata: { order: '4711' },
        TrackOpens: false,
        TrackLinks: Models.LinkTrackingOptions.None,
        MessageStream: 'receipts',
        Attachments: [
          { Name: 'a.txt', Content: 'b25l', ContentType: 'text/plain', ContentID: null },
          { Name: 'logo.png', Content: 'dHdv', ContentType: 'image/png', ContentID: 'cid:logo.png' },
        ],
      }),
    );
    expect(sent).toEqual({
      To: '"Hopper, Grace" <grace@example.com>, alan@example.com',
      Cc: 'cc@example.com',
      Bcc: 'hidden@example.com',
      SubmittedAt: expect.any(String),
      MessageID: expect.stringMatching(/^eml_/),
      ErrorCode: 0,
      Message: 'OK',
    });
    const shown = await client.getOutboundMessageDetails(sent.MessageID);
    expect(shown).toMatchObject({
      MessageID: sent.MessageID,
      From: from(),
      To: [
        { Email: 'grace@example.com', Name: 'Hopper, Grace' },
        { Email: 'alan@example.com', Name: '' },
      ],
      Recipients: ['grace@example.com', 'alan@example.com', 'cc@example.com', 'hidden@example.com'],
      Subject: 'Everything',
      Tag: 'Order confirmed',
      Metadata: { order: '4711' },
      MessageStream: 'receipts',
      Status: 'Queued',
      TextBody: 'Hi',
    });
    const { Body } = await client.getOutboundMessageDump(sent.MessageID);
    for (const part of ['X-Order: 4711', 'Reply-To: desk@example.com', 'b25l', 'Content-ID: <logo.png>'])
      expect(Body).toContain(part);
    for (const hidden of ['hidden@', 'Order confirmed', 'Metadata']) expect(Body).not.toContain(hidden);

    for (const filter of [
      { recipient: 'alan@example.com' },
      { tag: 'Order confirmed' },
      { subject: 'everything' },
      { fromEmail: `ada@${team.domain}`, messageStream: 'receipts' },
      {
        fromDate: new Date().toISOString().slice(0, 10),
        status: Models.OutboundMessageStatus.Queued,
        tag: 'Order confirmed',
      },
    ]) {
      const found = await client.getOutboundMessages(filter);
      expect(found, JSON.stringify(filter)).toMatchObject({
        TotalCount: 1,
        Messages: [{ MessageID: sent.MessageID }],
      });
    }
    for (const filter of [
      { tag: 'Order' },
      { messageStream: 'other' },
      { toDate: '2020-01-01' },
      { recipient: 'Everything' },
    ])
      expect((await client.getOutboundMessages(filter)).Messages).toEqual([]);
  });

  test('go to the members of groups, with names in comments and encoded words decoded', async () => {
    const sent = await client.sendEmail(
      email({ To: 'Team: edith@example.com (Grace), =?utf-8?q?Gr=C3=BC=C3=9Fe?= <mary@example.com>;' }),
    );
    expect(await client.getOutboundMessageDetails(sent.MessageID)).toMatchObject({
      To: [
        { Email: 'edith@example.com', Name: 'Grace' },
        { Email: 'mary@example.com', Name: 'Grüße' },
      ],
    });
    for (const To of [
      'undisclosed-recipients:;',
      'Grace <edith@example.com> <mary@example.com>',
      'Hopper, Grace',
    ])
      await expect(client.sendEmail(email({ To }))).rejects.toMatchObject({ statusCode: 422 });
  });

  test('are listed with count and offset', async () => {
    for (let no = 1; no <= 3; no++) await client.sendEmail(email({ Tag: 'paged', Subject: `Page ${no}` }));
    expect(await listPaged(2, 0)).toEqual([3, 'Page 3', 'Page 2']);
    expect(await listPaged(2, 2)).toEqual([3, 'Page 1']);
    expect(await listPaged(1, 0)).toEqual([2, 'Page 3']);
  });

  test('of a batch have each their own result', async () => {
    await client.createSuppressions('outbound', { Suppressions: [{ EmailAddress: 'gone@example.com' }] });
    const results = await client.sendEmailBatch([
      email({ Subject: 'Batched' }),
      email({ Subject: 'Batched', To: 'nobody' }),
      email({ Subject: 'Batched', From: 'ada@other.example' }),
      email({ Subject: 'Batched', To: 'gone@example.com' }),
      email({ Subject: 'Batched', Unknown: 1 }),
      email({ Subject: 'Batched', To: 'gone@example.com, grace@example.com' }),
    ]);
    expect(results.map(({ ErrorCode }) => ErrorCode)).toEqual([0, 300, 400, 406, 300, 0]);
    expect(results[4]!.Message).toContain('Unknown');
    expect(results[5]!.Message).toBe(
      'Message OK, but will not deliver to these inactive addresses: gone@example.com',
    );
    expect(await team.countEmails('Batched')).toBe(2);
    const all = await client.sendEmailBatch(Array.from({ length: 500 }, () => email({ Subject: 'Many' })));
    expect(new Set(all.map(({ MessageID }) => MessageID)).size).toBe(500);
    const tooMany = Array.from({ length: 501 }, () => email());
    await expect(client.sendEmailBatch(tooMany)).rejects.toMatchObject({ statusCode: 422, code: 300 });
  });

  test('are sent once with the same idempotency key', async () => {
    const first = await postOnce(email({ Subject: 'Once' }));
    expect(await postOnce(email({ Subject: 'Once' }))).toEqual(first);
    expect((await postOnce(email({ Subject: 'Twice' }))).status).toBe(422);
    expect(await team.countEmails('Once')).toBe(1);
  });
});

describe('templates', () => {
  test('are created, shown, changed, listed and deleted', async () => {
    const created = await client.createTemplate({
      Name: 'Welcome mail',
      Alias: 'welcome',
      Subject: 'Hello {{name}}',
      HtmlBody: '<p>{{company.name}}</p>',
      TextBody: 'Plain',
    });
    expect(created).toMatchObject({ Name: 'Welcome mail', Alias: 'welcome', Active: true });
    expect(Number.isSafeInteger(created.TemplateId)).toBe(true);
    const shown = await client.getTemplate(created.TemplateId);
    expect(shown).toMatchObject({ Subject: 'Hello {{name}}', HtmlBody: '<p>{{company.name}}</p>' });
    expect(await client.getTemplate('welcome')).toEqual(shown);
    expect(await client.getTemplate('Welcome mail')).toEqual(shown);
    await expect(
      client.createTemplate({ Name: 'Second', Alias: 'welcome', TextBody: 'x' }),
    ).rejects.toMatchObject({ statusCode: 422, message: expect.stringContaining('alias') });
    await client.editTemplate('welcome', { Subject: 'Dear {{name}}' });
    expect(await client.getTemplate(created.TemplateId)).toMatchObject({
      Subject: 'Dear {{name}}',
      HtmlBody: '<p>{{company.name}}</p>',
    });
    expect((await client.getTemplates()).Templates).toContainEqual(
      expect.objectContaining({ TemplateId: created.TemplateId }),
    );
    expect(await client.deleteTemplate('welcome')).toMatchObject({ ErrorCode: 0 });
    await expect(client.getTemplate('welcome')).rejects.toMatchObject({ statusCode: 422, code: 1101 });
    for (const wrong of [
      { HtmlBody: '{{#each items}}x{{/each}}' },
      { HtmlBody: '{{{raw}}}' },
      { HtmlBody: 'x', Alias: 'has spaces' },
      { HtmlBody: 'x', LayoutTemplate: 'main' },
      { HtmlBody: 'x', TemplateType: Models.TemplateTypes.Layout },
      {},
    ])
      await expect(client.createTemplate({ Name: 'no', ...wrong })).rejects.toMatchObject({
        statusCode: 422,
      });
    expect((await client.getTemplates()).Templates).toEqual([]);
  });

  test('are validated with a model', async () => {
    const result = await client.validateTemplate({
      Subject: 'Hello {{name}}',
      HtmlBody: '<p>{{a.b}}</p>',
      TextBody: '{{#each x}}',
      TestRenderModel: { name: 'Ada', a: { b: '<b>' } },
    });
    expect(result).toMatchObject({
      AllContentIsValid: false,
      Subject: { ContentIsValid: true, RenderedContent: 'Hello Ada' },
      HtmlBody: { ContentIsValid: true, RenderedContent: '<p>&lt;b&gt;</p>' },
      TextBody: { ContentIsValid: false },
      SuggestedTemplateModel: { name: 'name_Value', 'a.b': 'a.b_Value' },
    });
  });

  test('are sent by number or alias with nested values', async () => {
    const { TemplateId } = await client.createTemplate({
      Name: 'Receipt of an order',
      Alias: 'receipt',
      Subject: 'Receipt for {{user.name}}',
      TextBody: 'Total: {{total}}',
    });
    const sent = await client.sendEmailWithTemplate(fromTemplate({ TemplateAlias: 'receipt' }));
    expect(await client.getOutboundMessageDetails(sent.MessageID)).toMatchObject({
      Subject: 'Receipt for Grace',
      TextBody: 'Total: 12',
    });
    await client.createTemplate({
      Name: 'Styled',
      Alias: 'styled',
      Subject: 'Styled',
      HtmlBody: '<STYLE>p { color: red }</STYLE><p>Hi</p>',
    });
    const results = await client.sendEmailBatchWithTemplates([
      fromTemplate({ TemplateId }),
      fromTemplate({ TemplateId: 1 }),
      fromTemplate({ TemplateAlias: 'receipt', TemplateModel: { items: [1] } }),
      // The SDK for Java always asks for it. Without a style sheet it changes nothing.
      fromTemplate({ TemplateAlias: 'receipt', InlineCss: true }),
      fromTemplate({ TemplateAlias: 'styled', InlineCss: true }),
      fromTemplate({ TemplateAlias: 'styled', InlineCss: false }),
      fromTemplate({}),
    ]);
    expect(results.map(({ ErrorCode }) => ErrorCode)).toEqual([0, 1101, 300, 0, 300, 0, 300]);
    expect(results[4]!.Message).toContain('InlineCss');
    expect(results[2]!.Message).toContain('TemplateModel.items');
    await team.call('POST', '/templates', { name: 'loops', subject: 'x', text: '{{#each items}}x{{/each}}' });
    await expect(
      client.sendEmailWithTemplate(fromTemplate({ TemplateAlias: 'loops' })),
    ).rejects.toMatchObject({
      code: 300,
      message: expect.stringContaining('sections'),
    });
  });
});

test('suppressions are listed, created and deleted, and their addresses refused', async () => {
  const own = await server.createTeam();
  const mine = connect(own.key);
  const made = await mine.createSuppressions('outbound', {
    Suppressions: [{ EmailAddress: 'left@example.com' }, { EmailAddress: 'not an address' }],
  });
  expect(made.Suppressions).toMatchObject([{ Status: 'Suppressed' }, { Status: 'Failed' }]);
  await server.db
    .insertInto('suppressions')
    .values({
      team_id: own.teamId,
      address_key: 'angry@example.com',
      address: 'angry@example.com',
      id: '01900000-0000-7000-8000-000000000000',
      reason: 'COMPLAINT',
    })
    .execute();
  expect((await mine.getSuppressions('broadcast')).Suppressions).toMatchObject([
    { EmailAddress: 'left@example.com', SuppressionReason: 'ManualSuppression', Origin: 'Customer' },
    { EmailAddress: 'angry@example.com', SuppressionReason: 'SpamComplaint', Origin: 'Recipient' },
  ]);
  const reason = Models.SuppressionReason.SpamComplaint;
  expect((await mine.getSuppressions('outbound', { suppressionReason: reason })).Suppressions).toHaveLength(
    1,
  );
  expect((await mine.getSuppressions('outbound', { emailAddress: 'no@example.com' })).Suppressions).toEqual(
    [],
  );
  const removed = await mine.deleteSuppressions('outbound', {
    Suppressions: [{ EmailAddress: 'LEFT@example.com' }, { EmailAddress: 'angry@example.com' }],
  });
  expect(removed.Suppressions).toMatchObject([{ Status: 'Deleted' }, { Status: 'Failed' }]);
  expect((await mine.getSuppressions('outbound')).Suppressions).toHaveLength(1);
  expect((await mine.getDeliveryStatistics()).InactiveMails).toBe(1);
  expect(
    (await client.getSuppressions('outbound', { emailAddress: 'angry@example.com' })).Suppressions,
  ).toEqual([]);
});

test('the server is the team, and has two message streams', async () => {
  expect(await client.getServer()).toMatchObject({ ID: team.teamId, Name: 'Test team' });
  const { MessageStreams, TotalCount } = await client.getMessageStreams();
  expect([TotalCount, ...MessageStreams.map(({ ID }) => ID)]).toEqual([2, 'outbound', 'broadcast']);
  expect(await client.getMessageStream('outbound')).toEqual(MessageStreams[0]);
  await expect(client.getMessageStream('none')).rejects.toMatchObject({ statusCode: 404 });
});

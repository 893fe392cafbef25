import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { connectSendgrid, type Sendgrid } from '../../../testing/clients/vendor-clients.ts';
import { createSendingTeam, type SendingTeam } from '../../../testing/fixtures/sending-team.ts';
import { shareTestServer, type TestServer } from '../../../testing/test-server.ts';

let server: TestServer;
let team: SendingTeam;
let sendgrid: Sendgrid;

beforeAll(async () => {
  server = await shareTestServer();
  team = await createSendingTeam(server, 's');
  sendgrid = connectSendgrid(server, team.key);
});
afterAll(() => server.close());

function email(more: object = {}) {
  const from = { email: `ada@${team.domain}`, name: 'Ada' };
  return { from, to: 'grace@example.com', subject: 'Hello', text: 'Hi', ...more } as never;
}

async function send(more: object = {}): Promise<string> {
  const [{ statusCode, body, headers }] = await sendgrid.mail.send(email(more));
  expect([statusCode, body]).toEqual([202, '']);
  return (headers as unknown as Record<string, string>)['x-message-id']!;
}

async function show(id: string) {
  return (await team.call('GET', `/emails/${id}`)).body;
}

async function listed(search: string) {
  const { items } = (await team.call('GET', `/emails?limit=100&search=${search}`)).body;
  return items as { id: string; to: string[]; subject: string; status: string; scheduledAt: string | null }[];
}

async function postOnce(subject: string) {
  const response = await fetch(`${server.url}/sendgrid/v3/mail/send`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${team.key}`,
      'content-type': 'application/json',
      'idempotency-key': 'sg-1',
    },
    body: JSON.stringify({
      personalizations: [{ to: [{ email: 'grace@example.com' }] }],
      from: { email: `ada@${team.domain}` },
      subject,
      content: [{ type: 'text/plain', value: 'Hi' }],
    }),
  });
  return [response.status, await response.text(), response.headers.get('x-message-id')];
}

describe('mail/send', () => {
  test('takes all fields', async () => {
    const sendAt = Math.floor(Date.now() / 1000) + 3600;
    const id = await send({
      to: [{ email: 'grace@example.com', name: 'Grace "Amazing" Hopper' }, 'alan@example.com'],
      cc: 'cc@example.com',
      bcc: ['hidden@example.com'],
      replyTo: 'desk@example.com',
      html: '<p>Hi <img src="cid:logo"></p>',
      headers: { 'X-Order': '4711' },
      categories: ['orders', 'Order confirmed'],
      customArgs: { order: '4711' },
      sendAt,
      attachments: [
        { content: 'b25l', filename: 'a.txt', type: 'text/plain', disposition: 'attachment' },
        { content: 'dHdv', filename: 'l.png', type: 'image/png', disposition: 'inline', contentId: 'logo' },
      ],
      trackingSettings: {
        clickTracking: { enable: false, enableText: false },
        openTracking: { enable: false },
      },
      mailSettings: { footer: { enable: false } },
      ipPoolName: 'marketing',
    });
    expect(await show(id)).toMatchObject({
      from: `Ada <ada@${team.domain}>`,
      to: [String.raw`"Grace \"Amazing\" Hopper" <grace@example.com>`, 'alan@example.com'],
      cc: ['cc@example.com'],
      bcc: ['hidden@example.com'],
      replyTo: ['desk@example.com'],
      subject: 'Hello',
      text: 'Hi',
      tags: [
        { name: 'category', value: 'orders' },
        { name: 'category', value: 'Order_confirmed' },
      ],
      metadata: { order: '4711', category_as_written_1: 'Order confirmed' },
      status: 'SCHEDULED',
      scheduledAt: new Date(sendAt * 1000).toISOString(),
    });
    const { raw } = (await team.call('GET', `/emails/${id}/source`)).body;
    for (const part of ['X-Order: 4711', 'b25l', 'Content-ID: <logo>']) expect(raw).toContain(part);
    expect(raw).not.toContain('hidden@');
  });

  test('sends an email for each personalization, with its own fields and substitutions', async () => {
    await sendgrid.mail.send({
      from: `ada@${team.domain}`,
      subject: 'Personal {{name}}',
      text: 'Dear {{name}}, {{ name }} stays',
      html: '<p>Dear {{name}}{{rest}}</p>',
      customArgs: { list: 'a', kind: 'b' },
      personalizations: [
        { to: 'one@example.com', substitutions: { name: 'One', rest: '<b>!</b>' } },
        {
          to: 'two@example.com',
          subject: 'Personal own {{name}}',
          substitutions: { name: '$&' },
          customArgs: { kind: 'c' },
          headers: { 'X-Own': 'yes' },
          sendAt: Math.floor(Date.now() / 1000) + 3600,
        },
      ],
    });
    const [two, one] = await listed('Personal');
    expect(await show(one!.id)).toMatchObject({
      to: ['one@example.com'],
      subject: 'Personal One',
      text: 'Dear One, {{ name }} stays',
      html: '<p>Dear One<b>!</b></p>',
      metadata: { list: 'a', kind: 'b' },
      status: 'QUEUED',
    });
    expect(await show(two!.id)).toMatchObject({
      subject: 'Personal own $&',
      metadata: { list: 'a', kind: 'c' },
      status: 'SCHEDULED',
    });
    expect((await team.call('GET', `/emails/${two!.id}/source`)).body.raw).toContain('X-Own: yes');

    const to = Array.from({ length: 1000 }, (_, at) => `many${at}@example.com`);
    const [answer] = await sendgrid.mail.sendMultiple(email({ to, subject: 'Thousand' }));
    expect(answer.statusCode).toBe(202);
    expect(await countSubject('Thousand')).toBe(1000);
  });

  test('uses templates by id and by name', async () => {
    const created = (
      await team.call('POST', '/templates', {
        name: 'd-0123456789abcdef',
        subject: 'Receipt for {{user.name}}',
        text: 'Total: {{total}}',
      })
    ).body;
    for (const templateId of ['d-0123456789abcdef', `d-${created.id}`]) {
      const id = await send({
        text: undefined,
        subject: undefined,
        templateId,
        dynamicTemplateData: { user: { name: 'Grace' }, total: 12 },
      });
      expect(await show(id)).toMatchObject({ subject: 'Receipt for Grace', text: 'Total: 12' });
    }
    const legacy = await send({ text: undefined, templateId: created.id, substitutions: { total: '13' } });
    expect(await show(legacy)).toMatchObject({ subject: 'Hello', text: 'Total: 13' });
    const list = (await sendgrid.call('GET', '/v3/templates?generations=dynamic&page_size=1')).body;
    expect(list).toMatchObject({ result: [{ id: `d-${created.id}`, generation: 'dynamic' }] });
    expect((await sendgrid.call('GET', `/v3/templates/d-${created.id}`)).body).toMatchObject({
      name: 'd-0123456789abcdef',
      versions: [{ subject: 'Receipt for {{user.name}}', plain_content: 'Total: {{total}}' }],
    });
    await refuse({ text: undefined, templateId: 'd-none' }, 404);
    await refuse(
      { text: undefined, templateId: `d-${created.id}`, dynamicTemplateData: { a: [1] } },
      400,
      true,
    );
    await team.call('POST', '/templates', { name: 'loops', subject: 'x', text: '{{#each a}}x{{/each}}' });
    await refuse({ text: undefined, templateId: 'loops' }, 400);
  });

  test('checks and sends nothing in the sandbox mode', async () => {
    const mailSettings = { sandboxMode: { enable: true } };
    const [answer] = await sendgrid.mail.send(email({ subject: 'Sandboxed', mailSettings }));
    expect([answer.statusCode, answer.body]).toEqual([200, '']);
    await refuse({ subject: 'Sandboxed', from: 'ada@other.example', mailSettings }, 403);
    expect(await team.countEmails('Sandboxed')).toBe(0);
  });

  test('cancels the emails of a batch', async () => {
    const { status, body } = await sendgrid.call('POST', '/v3/mail/batch');
    expect(status).toBe(201);
    expect((await sendgrid.call('GET', `/v3/mail/batch/${body.batch_id}`)).body).toEqual(body);
    const sendAt = Math.floor(Date.now() / 1000) + 3600;
    const inBatch = await send({ batchId: body.batch_id, sendAt });
    const outside = await send({ sendAt });
    const cancel = { batch_id: body.batch_id, status: 'cancel' };
    expect(await sendgrid.call('POST', '/v3/user/scheduled_sends', cancel)).toEqual({
      status: 201,
      body: cancel,
    });
    expect((await show(inBatch)).status).toBe('CANCELLED');
    expect((await show(outside)).status).toBe('SCHEDULED');
    const pause = { ...cancel, status: 'pause' };
    await expect(sendgrid.call('POST', '/v3/user/scheduled_sends', pause)).rejects.toMatchObject({
      code: 501,
    });
  });

  test('sends once with the same idempotency key, and repeats the response', async () => {
    const first = await postOnce('Unrepeated');
    expect(first).toEqual([202, '', expect.stringMatching(/^eml_/)]);
    expect(await postOnce('Unrepeated')).toEqual(first);
    expect((await postOnce('Other'))[0]).toBe(422);
    expect(await team.countEmails('Unrepeated')).toBe(1);
  });
});

async function countSubject(subject: string): Promise<number> {
  const { count } = await server.db
    .selectFrom('emails')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('team_id', '=', team.teamId)
    .where('subject', '=', subject)
    .executeTakeFirstOrThrow();
  return count;
}

/** `isQuiet` suppresses the warnings of the SDK. */
async function refuse(more: object, code: number, isQuiet = false) {
  const warn = isQuiet ? vi.spyOn(console, 'warn').mockImplementation(() => {}) : null;
  const error = await sendgrid.mail.send(email({ subject: 'Refused', ...more })).then(
    () => expect.fail('must be refused'),
    (reason: { code: number; response: { body: { errors: object[] } } }) => reason,
  );
  warn?.mockRestore();
  expect([JSON.stringify(more), error.code]).toEqual([JSON.stringify(more), code]);
  expect(error.response.body.errors[0]).toMatchObject({ message: expect.any(String), help: null });
  return error.response.body.errors as { message: string; field: string | null }[];
}

describe('errors', () => {
  test('have the form and status codes of SendGrid, and nothing is stored', async () => {
    expect(await refuse({ from: 'ada@other.example' }, 403)).toMatchObject([{ field: 'from' }]);
    expect(await refuse({ to: 'nobody' }, 400)).toMatchObject([{ field: 'personalizations.0.to.0' }]);
    expect(await refuse({ text: undefined }, 400)).toMatchObject([{ field: 'content' }]);
    for (const wrong of [
      { text: '<%asm_group_unsubscribe_raw_url%>' },
      { content: [{ type: 'text/x-amp-html', value: 'x' }] },
      { mailSettings: { bypassListManagement: { enable: true } } },
      { trackingSettings: { ganalytics: { enable: true } } },
      { sections: { a: 'b' } },
      { headers: { Bcc: 'x@example.com' } },
      { attachments: [{ content: '%%', filename: 'a' }] },
      { to: Array.from({ length: 51 }, (_, at) => `x${at}@example.com`) },
      { customArgs: { 'a b': 'c' } },
    ])
      await refuse(wrong, 400);
    const big = { content: 'x'.repeat(100_000), filename: 'a' };
    const personalizations = Array.from({ length: 1000 }, () => ({ to: 'a@example.com' }));
    await refuse({ to: undefined, personalizations, attachments: [big] }, 413);
    expect(await team.countEmails('Refused')).toBe(0);
    for (const path of ['/v3/marketing/contacts', '/v3/user/scheduled_sends', '/v3/stats'])
      await expect(sendgrid.call('GET', path)).rejects.toMatchObject({ code: 501 });
    await expect(sendgrid.call('POST', '/v3/templates', {})).rejects.toMatchObject({ code: 501 });
    await expect(sendgrid.call('GET', '/v3/none')).rejects.toMatchObject({ code: 404 });
  });

  test('are returned for other keys, teams and domains', async () => {
    const id = await send();
    await expect(connectSendgrid(server, 'wrong').call('GET', '/v3/messages')).rejects.toMatchObject({
      code: 401,
      response: { body: { errors: [{ field: null }] } },
    });
    const other = connectSendgrid(server, (await server.createTeam()).key);
    await expect(other.call('GET', `/v3/messages/${id}`)).rejects.toMatchObject({ code: 404 });
    expect((await other.call('GET', '/v3/messages')).body).toEqual({ messages: [] });

    const sending = connectSendgrid(server, await team.createKey({ permission: 'sending' }));
    await expect(sending.call('GET', '/v3/messages')).rejects.toMatchObject({ code: 403 });
    expect((await sending.mail.send(email()))[0].statusCode).toBe(202);

    const domainId = await team.addDomain(`second-${team.domain}`);
    const bound = connectSendgrid(server, await team.createKey({ permission: 'full', domainId }));
    await expect(bound.mail.send(email())).rejects.toMatchObject({ code: 403 });
    await bound.mail.send(email({ from: `a@second-${team.domain}`, subject: 'Bound' }));
    expect((await bound.call('GET', '/v3/messages')).body.messages).toMatchObject([{ subject: 'Bound' }]);
    await expect(bound.call('GET', '/v3/suppression/bounces')).rejects.toMatchObject({
      code: 403,
    });

    const subuser = connectSendgrid(server, team.key);
    subuser.client.setImpersonateSubuser('other');
    await expect(subuser.call('GET', '/v3/messages')).rejects.toMatchObject({ code: 400 });
  });
});

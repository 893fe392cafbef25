import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addDomain } from '../../../testing/factories.ts';
import { shareTestServer, type TestServer, type TestTeam } from '../../../testing/test-server.ts';
import { connectMailgun, type MailgunClient } from '../../../testing/clients/vendor-clients.ts';

let server: TestServer;
let team: TestTeam;
let domain: string;
let mailgun: MailgunClient;

const connect = (key: string) => connectMailgun(server, key);

beforeAll(async () => {
  server = await shareTestServer();
  team = await server.createTeam();
  domain = `mg${team.teamId}.test`;
  await addDomain(server.db, team.teamId, domain);
  mailgun = connect(team.key);
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
const emailsOf = async (search: string) =>
  (await team.call('GET', `/emails?search=${encodeURIComponent(search)}&limit=100`)).body.items;

const postOnce = (subject: string) =>
  fetch(`${server.url}/v3/${domain}/messages`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${btoa(`api:${team.key}`)}`,
      'idempotency-key': `mg-${team.teamId}`,
    },
    body: new URLSearchParams({ ...message(), to: 'grace@example.com', subject }),
  });

const batch = (variables: object, more: object = {}) =>
  send({
    to: ['grace@example.com', 'alan@example.com'],
    subject: 'All or none %recipient.x%',
    'h:X-Note': '%recipient.x%',
    'recipient-variables': JSON.stringify(variables),
    ...more,
  });

describe('messages', () => {
  test('are sent with all their fields', async () => {
    const answer = await send({
      to: ['"Hopper, Grace" <grace@example.com>, alan@example.com'],
      cc: 'kurt@example.com',
      bcc: 'hidden@example.com',
      html: '<p>Hi <img src="cid:pixel.png"></p>',
      'h:Reply-To': 'desk@example.com',
      'h:X-Order': '4711',
      'v:order': '4711',
      'v:note': '{"a": 1}',
      'o:tag': ['orders', 'Spring sale: 50%'],
      'o:tracking': 'no',
      'o:dkim': true,
      attachment: { data: Buffer.from('one,two'), filename: 'numbers.csv', contentType: 'text/csv' },
      inline: { data: Buffer.from('image'), filename: 'pixel.png' },
    });
    expect(answer).toEqual({
      status: 200,
      id: expect.stringMatching(new RegExp(`^<eml_[a-z0-9]+@${domain}>$`)),
      message: 'Queued. Thank you.',
    });
    const email = await find(answer.id!);
    expect(email).toMatchObject({
      from: `Ada <ada@${domain}>`,
      to: ['"Hopper, Grace" <grace@example.com>', 'alan@example.com'],
      cc: ['kurt@example.com'],
      bcc: ['hidden@example.com'],
      replyTo: ['desk@example.com'],
      messageId: answer.id,
      metadata: { order: '4711', note: '{"a": 1}' },
      tags: [
        { name: 'tag', value: 'orders' },
        { name: 'tag-base64url', value: Buffer.from('Spring sale: 50%').toString('base64url') },
      ],
      status: 'QUEUED',
    });
    const raw = await rawOf(email.id);
    expect(raw).toContain('X-Order: 4711');
    expect(raw).toContain('numbers.csv');
    expect(raw).toContain(Buffer.from('one,two').toString('base64'));
    expect(raw).toContain('Content-ID: <pixel.png>');
    expect(raw).not.toContain('hidden@');
  });

  test('are taken as application/x-www-form-urlencoded', async () => {
    const response = await fetch(`${server.url}/v3/${domain}/messages`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`api:${team.key}`)}` },
      body: new URLSearchParams([
        ['from', `ada@${domain}`],
        ['to', 'grace@example.com'],
        ['to', 'alan@example.com'],
        ['subject', 'Ünicode & more'],
        ['text', 'a+b = c'],
      ]),
    });
    const { id } = (await response.json()) as { id: string };
    expect(await find(id)).toMatchObject({
      subject: 'Ünicode & more',
      text: 'a+b = c',
      to: ['grace@example.com', 'alan@example.com'],
    });
  });

  test('are scheduled; a time in the past means now', async () => {
    const at = new Date(Math.ceil(Date.now() / 1000) * 1000 + 3_600_000);
    const later = await send({ 'o:deliverytime': at.toUTCString() });
    expect(await find(later.id!)).toMatchObject({ status: 'SCHEDULED', scheduledAt: at.toISOString() });
    const past = await send({ 'o:deliverytime': 'Fri, 14 Oct 2011 23:10:10 -0000' });
    expect(await find(past.id!)).toMatchObject({ status: 'QUEUED', scheduledAt: null });
    for (const time of ['soon', 'Tue, 31 Feb 2099 23:10:10 +0000', '1'])
      await expect(send({ 'o:deliverytime': time })).rejects.toMatchObject({ status: 400 });
  });

  test('in test mode are checked and not stored', async () => {
    expect(await send({ subject: 'Only a test', 'o:testmode': true })).toMatchObject({ status: 200 });
    expect(await emailsOf('Only a test')).toEqual([]);
    await expect(send({ from: 'ada@other.example', 'o:testmode': true })).rejects.toMatchObject({
      status: 400,
    });
  });

  test('are made from templates, found by name or id, with the variables of three fields', async () => {
    const name = `Welcome ${team.teamId}`;
    const template = (
      await team.call('POST', '/templates', {
        name,
        subject: 'Hi {{first}}',
        html: '<p>{{first}} {{second}} {{third}}</p>',
      })
    ).body;
    const fields = {
      subject: undefined,
      text: undefined,
      'v:first': 'one',
      't:variables': JSON.stringify({ second: 2 }),
      'h:X-Mailgun-Variables': JSON.stringify({ third: 'three' }),
    };
    for (const each of [name, template.id]) {
      const { id } = await send({ ...fields, template: each });
      expect(await find(id!)).toMatchObject({ subject: 'Hi one', html: '<p>one 2 three</p>' });
    }
    await expect(send({ ...fields, template: 'none' })).rejects.toMatchObject({
      status: 400,
      details: expect.stringContaining('template not found'),
    });
  });

  test('may be raw MIME', async () => {
    const mime = [
      `From: Ada <ada@${domain}>`,
      'To: Everybody <list@example.com>',
      'Subject: Raw',
      `Message-ID: <own-${team.teamId}@${domain}>`,
      '',
      'As it is',
    ].join('\r\n');
    const fields = { to: 'grace@example.com', message: mime, 'o:tag': 'raw', 'v:order': '1' };
    const answer = await mailgun.messages.create(domain, fields);
    expect(answer.id).toBe(`<own-${team.teamId}@${domain}>`);
    const [email] = await emailsOf('Raw');
    expect(email).toMatchObject({ bcc: ['grace@example.com'], metadata: { order: '1' } });
    expect(email.tags).toContainEqual({ name: 'tag', value: 'raw' });
    const withSubject = { ...fields, subject: 'Other' };
    await expect(mailgun.messages.create(domain, withSubject as never)).rejects.toMatchObject({
      status: 400,
    });
    const foreign = mime.replace(`ada@${domain}`, 'ada@other.example');
    await expect(
      mailgun.messages.create(domain, { ...fields, message: foreign, 'o:testmode': true }),
    ).rejects.toMatchObject({ status: 400 });
  });

  test('are sent once with the same idempotency key', async () => {
    const first = await (await postOnce('Once only')).json();
    expect(await (await postOnce('Once only')).json()).toEqual(first);
    expect((await postOnce('Another')).status).toBe(422);
    expect(await emailsOf('Once only')).toHaveLength(1);
  });
});

describe('recipient-variables', () => {
  test('make a message for each recipient, with its own address and values only', async () => {
    const answer = await send({
      to: ['Grace Hopper <grace@example.com>', 'ALAN@example.com', 'kurt@example.com', 'kurt@example.com'],
      subject: 'Batch for %recipient.first%',
      html: '<a href="https://x.example/?u=%recipient.id%">%recipient_name% %recipient.first%</a>',
      text: '%recipient% %recipient.first% %recipient.missing%',
      'h:List-Unsubscribe': '<%recipient.unsubscribe%>, <%tag_unsubscribe_email%>',
      'h:Sender': `Ada <ada@${domain}>`,
      'v:member': '%recipient.id%',
      'o:tag': ['bulk-email'],
      'recipient-variables': JSON.stringify({
        'grace@example.com': { first: 'Grace', id: 1, unsubscribe: 'https://x.example/u/1' },
        'alan@example.com': { first: 'Alan $& %recipient.id%', id: 2, unsubscribe: 'https://x.example/u/2' },
      }),
    });
    expect(answer.id).toMatch(new RegExp(`^<[0-9a-f-]{36}@${domain}>$`));
    const emails = (await emailsOf('Batch for')).toReversed();
    expect(emails.map((email: { to: string[]; subject: string }) => [email.to, email.subject])).toEqual([
      [['Grace Hopper <grace@example.com>'], 'Batch for Grace'],
      [['ALAN@example.com'], 'Batch for Alan $& %recipient.id%'],
      [['kurt@example.com'], 'Batch for %recipient.first%'],
    ]);
    expect(emails[1].metadata).toEqual({ member: '2' });
    const shown = (await team.call('GET', `/emails/${emails[0].id}`)).body;
    expect(shown.html).toContain('https://x.example/?u=1');
    expect(shown.html).toContain('Grace Hopper Grace');
    expect(shown.text.trim()).toBe('grace@example.com Grace %recipient.missing%');
    const raw = await rawOf(emails[0].id);
    expect(raw).toContain('List-Unsubscribe: <https://x.example/u/1>\r\n');
    expect(raw).not.toContain('alan');
    expect(raw).not.toMatch(/^Sender:/m);
  });

  test('are all sent or none', async () => {
    const good = { 'grace@example.com': { x: 'a' }, 'alan@example.com': { x: 'b' } };
    const bad = { ...good, 'alan@example.com': { x: 'b\r\nBcc: eve@example.com' } };
    await expect(batch(bad)).rejects.toMatchObject({ status: 400 });
    await expect(batch(good, { cc: 'kurt@example.com' })).rejects.toMatchObject({ status: 400 });
    await expect(batch(good, { to: ['grace@example.com', 'nobody'] })).rejects.toMatchObject({ status: 400 });
    await expect(batch({ 'grace@example.com': 'x' })).rejects.toMatchObject({ status: 400 });
    await expect(batch({}, { 'recipient-variables': '{"a' })).rejects.toMatchObject({
      status: 400,
      details: expect.stringContaining('recipient-variables must be valid JSON'),
    });
    const nul = '{"grace@example.com": {"x": "\\u0000"}}';
    await expect(batch({}, { 'recipient-variables': nul })).rejects.toMatchObject({ status: 400 });
    expect(await emailsOf('All or none')).toEqual([]);
  });

  test('may be for a thousand recipients', async () => {
    const to = Array.from({ length: 1_000 }, (_, at) => `member${at}@example.com`);
    const variables = Object.fromEntries(to.map((address, at) => [address, { at }]));
    const fields = {
      to,
      subject: 'Newsletter %recipient.at%',
      html: `<p>${'Text '.repeat(2_000)} %recipient.at%</p>`,
      'recipient-variables': JSON.stringify(variables),
    };
    await send(fields);
    const { body } = await team.call('GET', '/emails?search=member999@example.com');
    expect(body.items).toMatchObject([{ to: ['member999@example.com'], subject: 'Newsletter 999' }]);
    const { count } = await server.db
      .selectFrom('emails')
      .select((eb) => eb.fn.countAll<string>().as('count'))
      .where('team_id', '=', team.teamId)
      .where('subject', 'like', 'Newsletter %')
      .executeTakeFirstOrThrow();
    expect(Number(count)).toBe(1_000);
    await expect(send({ ...fields, to: [...to, 'one-more@example.com'] })).rejects.toMatchObject({
      status: 400,
    });
  });
});

describe('errors', () => {
  test('name the field and have the status codes of Mailgun', async () => {
    const cases: [object, number, string][] = [
      [{ from: undefined }, 400, 'from is required'],
      [{ to: [] }, 400, 'to is required'],
      [{ to: 'nobody' }, 400, 'to'],
      [{ from: 'ada@other.example' }, 400, 'other.example is not verified'],
      [{ text: undefined }, 400, 'or text is required'],
      [{ 'amp-html': '<html amp4email>' }, 400, 'amp-html is not supported'],
      [{ 'o:sending-ip': '192.0.2.1' }, 400, 'o:sending-ip is not supported'],
      [{ 'o:require-tls': true }, 400, 'o:require-tls is not supported'],
      [{ htlm: '<p>Hello</p>' }, 400, 'Unknown field: htlm.'],
      [{ 'o:tracking': 'perhaps' }, 400, 'o:tracking must be yes or no'],
      [{ 'h:Message-Id': '<a@b>' }, 400, 'h:Message-Id'],
      [{ 'h:Sender': 'eve@example.com' }, 400, 'h:Sender must be the address of from'],
      [{ 'h:X-A': 'b\r\nBcc: eve@example.com' }, 400, 'h:X-A'],
      [{ 'v:not allowed': 'x' }, 400, 'v:not allowed'],
      [{ html: '<a href="%unsubscribe_url%">x</a>' }, 400, '%unsubscribe_url%'],
      [{ 'o:tag': Array.from({ length: 11 }, (_, at) => `t${at}`) }, 400, 'tags'],
      [{ 'o:tag': 'é'.repeat(200) }, 400, 'o:tag'],
      [{ 'h:X-Mailgun-Drop-Message': 'yes' }, 400, 'h:X-Mailgun-Drop-Message'],
    ];
    for (const [fields, status, details] of cases)
      await expect(send({ subject: 'Refused', ...fields }), details).rejects.toMatchObject({
        status,
        details: expect.stringContaining(details),
      });
    expect(await emailsOf('Refused')).toEqual([]);
    await expect(mailgun.messages.create('unknown.example', message() as never)).rejects.toMatchObject({
      status: 404,
      details: 'Domain not found: unknown.example',
    });
    await expect(connect('wrong').messages.create(domain, message() as never)).rejects.toMatchObject({
      status: 401,
      details: 'Invalid private key',
    });
  });

  test('keep keys to their team, permission and domain', async () => {
    const other = await server.createTeam();
    await expect(connect(other.key).messages.create(domain, message() as never)).rejects.toMatchObject({
      status: 404,
    });
    const { key } = (await team.call('POST', '/api-keys', { name: 's', permission: 'sending' })).body;
    expect(await connect(key).messages.create(domain, message() as never)).toMatchObject({ status: 200 });
    const second = `second${team.teamId}.test`;
    const domainId = await addDomain(server.db, team.teamId, second);
    const bound = (await team.call('POST', '/api-keys', { name: 'b', permission: 'sending', domainId })).body
      .key;
    await expect(connect(bound).messages.create(domain, message() as never)).rejects.toMatchObject({
      status: 403,
    });
    await expect(connect(bound).messages.create(second, message() as never)).rejects.toMatchObject({
      status: 403,
    });
    const own = { ...message(), from: `ada@${second}` };
    expect(await connect(bound).messages.create(second, own as never)).toMatchObject({ status: 200 });
  });

  test('refuse hostile forms', async () => {
    const boundary = 'xxBOUNDARYxx';
    const post = async (body: string | Buffer, type = `multipart/form-data; boundary=${boundary}`) => {
      const response = await fetch(`${server.url}/v3/${domain}/messages`, {
        method: 'POST',
        headers: { authorization: `Basic ${btoa(`api:${team.key}`)}`, 'content-type': type },
        body: body as never,
      });
      return { status: response.status, ...((await response.json()) as { message: string }) };
    };
    const part = (head: string, content = 'x') => `--${boundary}\r\n${head}\r\n\r\n${content}\r\n`;
    const field = (name: string, content?: string) =>
      part(`Content-Disposition: form-data; name="${name}"`, content);
    const end = `--${boundary}--\r\n`;
    const latin1 =
      'Content-Disposition: form-data; name="subject"\r\nContent-Type: text/plain; charset=iso-8859-1';
    const nested =
      'Content-Disposition: form-data; name="attachment"\r\nContent-Type: multipart/mixed; boundary=y';
    const encoded = 'Content-Disposition: form-data; name="text"\r\nContent-Transfer-Encoding: base64';
    const cases: [string, string | Buffer, number, string, string?][] = [
      ['too many fields', field('to').repeat(2_001) + end, 400, 'at most 2000 fields'],
      ['no end', field('to'), 400, 'incomplete'],
      ['no part', '', 400, 'incomplete'],
      ['another boundary', '--other\r\n\r\nx\r\n--other--', 400, 'incomplete'],
      ['an unfinished header', `--${boundary}\r\nContent-Disposition: form-data`, 400, 'incomplete'],
      ['a large header', part(`X-Long: ${'y'.repeat(20_000)}`) + end, 400, 'at most 8192 bytes'],
      ['a nested multipart', part(nested) + end, 400, 'attachment must not be a multipart itself'],
      ['a transfer encoding', part(encoded) + end, 400, 'Content-Transfer-Encoding'],
      ['another charset', part(latin1) + end, 400, 'subject must be UTF-8'],
      ['invalid UTF-8', Buffer.from(field('subject', '\xff') + end, 'latin1'), 400, 'subject must be UTF-8'],
      ['NUL', field('subject', 'a\0b') + end, 400, 'subject must not contain NUL'],
      ['no name', part('Content-Disposition: form-data') + end, 400, 'must have a name'],
      ['a long name', field('n'.repeat(500)) + end, 400, 'at most 300 characters'],
      ['no boundary', 'x', 400, 'boundary', 'multipart/form-data'],
      ['another multipart', 'x', 400, 'must be a form', 'multipart/mixed; boundary=x'],
      ['a wrong charset', 'to=x', 400, 'UTF-8', 'application/x-www-form-urlencoded; charset=latin1'],
      ['bad escapes', 'to=%zz', 400, 'percent-encoding', 'application/x-www-form-urlencoded'],
      ['many pairs', 'to=x&'.repeat(3_000), 400, 'at most 2000', 'application/x-www-form-urlencoded'],
      ['a large pair', `to=${'x'.repeat(11_000_000)}`, 413, 'multipart', 'application/x-www-form-urlencoded'],
      ['a large text', field('text', 'x'.repeat(21 * 1024 * 1024)) + end, 413, 'text must have at most'],
      ['a large body', Buffer.alloc(41 * 1024 * 1024), 413, 'too large'],
      ['JSON', '{"to": "x"}', 400, 'must be a form', 'application/json'],
      ['text', 'to=x', 400, 'Send it as multipart/form-data', 'text/plain'],
    ];
    for (const [what, body, status, text, type] of cases)
      expect(await post(body, type), what).toMatchObject({ status, message: expect.stringContaining(text) });
    const deep = '{"a":'.repeat(1_000) + '1' + '}'.repeat(1_000);
    expect(await post(field('recipient-variables', deep) + end)).toMatchObject({
      status: 400,
      message: expect.stringContaining('nested'),
    });
  });
});

import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSendingTeam, type SendingTeam } from '../../testing/fixtures/sending-team.ts';
import { startTestServer, type TestServer } from '../../testing/test-server.ts';

/** What the rows of a recipient may take, in addition to ten times the request. */
const ALLOWANCE = 8 * 1024;
const polled = { timeout: 60_000, interval: 100 };

let server: TestServer;
let team: SendingTeam;
beforeAll(async () => {
  server = await startTestServer({ doors: ['http', 'worker'] });
});
afterAll(() => server.close());

/** Text that compression makes little smaller. */
const noise = (length: number) => randomBytes(length).toString('base64url').slice(0, length);
const addresses = (count: number) => Array.from({ length: count }, (_, no) => `r${no}@example.com`);

const to = (address: string) => [{ email: address }];

async function storedBytes(): Promise<number> {
  const { rows } = await sql<{ bytes: string }>`
    select (select coalesce(sum(octet_length(raw)), 0) from email_contents where team_id = ${team.teamId})
      + (select coalesce(sum(octet_length(raw)), 0) from sandbox_messages where team_id = ${team.teamId})
      + (select coalesce(sum(octet_length(bytes)), 0) from blobs where team_id = ${team.teamId})
      + (select coalesce(sum(octet_length(emails::text)), 0) from emails where team_id = ${team.teamId}) as bytes
  `.execute(server.db);
  return Number(rows[0]!.bytes);
}

async function post(path: string, authorization: string, body: string | URLSearchParams) {
  const headers = new Headers({ authorization });
  if (typeof body === 'string') headers.set('content-type', 'application/json');
  const answer = await fetch(`${server.url}${path}`, { method: 'POST', headers, body });
  return { status: answer.status, body: await answer.text(), sentBytes: Buffer.byteLength(String(body)) };
}

const mailgun = (fields: Record<string, string>) =>
  post(
    `/v3/${team.domain}/messages`,
    `Basic ${btoa(`api:${team.key}`)}`,
    new URLSearchParams({ from: `ada@${team.domain}`, subject: 'News', ...fields }),
  );
const sendgrid = (fields: object) =>
  post(
    '/sendgrid/v3/mail/send',
    `Bearer ${team.key}`,
    JSON.stringify({ from: { email: `ada@${team.domain}` }, subject: 'News', ...fields }),
  );

async function findEmail(address: string) {
  const { items } = (await team.call('GET', `/emails?search=${address}`)).body;
  expect(items).toHaveLength(1);
  return (await team.call('GET', `/emails/${items[0].id}`)).body;
}

async function readStatuses(): Promise<string[]> {
  const { items } = (await team.call('GET', '/emails?limit=100')).body;
  return [...new Set((items as { status: string }[]).map(({ status }) => status))];
}

const waitUntilDelivered = () => expect.poll(readStatuses, polled).toEqual(['DELIVERED']);

describe('a newsletter with recipient-variables', () => {
  beforeAll(async () => {
    team = await createSendingTeam(server, 'n');
  });

  test('is stored once, and every recipient gets their own values', async () => {
    const page = noise(40_000);
    const recipients = addresses(40);
    const variables = Object.fromEntries(recipients.map((each, no) => [each, { name: `Person ${no}` }]));
    const before = await storedBytes();
    const answer = await mailgun({
      to: recipients.join(','),
      html: `<p>Dear %recipient.name%</p><a href="https://example.com/?a=1">${page}</a>`,
      'recipient-variables': JSON.stringify(variables),
      'o:tracking': 'yes',
    });
    expect(answer.status, answer.body).toBe(200);
    await waitUntilDelivered();
    expect((await storedBytes()) - before).toBeLessThan(10 * answer.sentBytes + ALLOWANCE * 40);
    expect((await storedBytes()) - before).toBeLessThan(40 * page.length * 0.2);

    const email = await findEmail('r7@example.com');
    expect(email.html).toContain(`<p>Dear Person 7</p><a href="${server.config.baseUrl}/t/c/`);
    expect(email.html).toContain(page);
    expect(email.html).toContain('/t/o/');
    expect(email.text).toContain('Dear Person 7');
    const { raw } = (await team.call('GET', `/emails/${email.id}/source`)).body;
    const captured = (await team.call('GET', '/sandbox/messages?limit=100')).body.items as {
      emailId: string;
      raw: string;
    }[];
    const shown = captured.find(({ emailId }) => emailId === email.id)!;
    expect(shown.raw).toMatch(/^DKIM-Signature:/);
    expect(shown.raw.endsWith(raw)).toBe(true);
    expect((await team.call('POST', `/emails/${email.id}/send-again`)).status).toBe(200);
    await waitUntilDelivered();
  });

  test('is rejected if the values make it too large, and nothing is stored', async () => {
    const recipients = addresses(1_000);
    const value = 'v'.repeat(1_000);
    const variables = Object.fromEntries(recipients.map((each) => [each, { v: value }]));
    const before = await storedBytes();
    const html = '%recipient.v%'.repeat(1_000);
    const answer = await mailgun({
      to: recipients.join(','),
      html,
      'recipient-variables': JSON.stringify(variables),
    });
    expect([answer.status, JSON.parse(answer.body)]).toEqual([
      413,
      { message: expect.stringContaining('Send fewer recipients in each request.') },
    ]);
    expect(await storedBytes()).toBe(before);
  });

  test('is rejected if its labels would be repeated for every recipient', async () => {
    const labels = Object.fromEntries(Array.from({ length: 50 }, (_, no) => [`v:l${no}`, noise(900)]));
    const recipients = addresses(500);
    const answer = await mailgun({
      to: recipients.join(','),
      text: 'x',
      'recipient-variables': JSON.stringify(Object.fromEntries(recipients.map((each) => [each, {}]))),
      ...labels,
    });
    expect([answer.status, JSON.parse(answer.body)]).toEqual([
      413,
      { message: expect.stringContaining('10 times its size') },
    ]);
  });
});

describe('personalizations', () => {
  beforeAll(async () => {
    team = await createSendingTeam(server, 'p');
  });

  test('share one content with their own substitutions', async () => {
    const page = noise(30_000);
    const before = await storedBytes();
    const answer = await sendgrid({
      personalizations: addresses(50).map((each, no) => ({
        to: to(each),
        subject: 'For -name-',
        substitutions: { '-name-': `<b>${no}</b>`, '-name': 'wrong' },
      })),
      content: [{ type: 'text/html', value: `<p>-name-, $& ${page}</p>` }],
    });
    expect(answer.status, answer.body).toBe(202);
    await waitUntilDelivered();
    expect((await storedBytes()) - before).toBeLessThan(10 * answer.sentBytes + ALLOWANCE * 50);
    expect((await storedBytes()) - before).toBeLessThan(50 * page.length * 0.2);
    const email = await findEmail('r42@example.com');
    expect(email).toMatchObject({ subject: 'For <b>42</b>', html: `<p><b>42</b>, $& ${page}</p>` });
  });

  test('with long keys or too much output are rejected in the form of SendGrid', async () => {
    const longKeys = await sendgrid({
      personalizations: [{ to: to('a@example.com'), substitutions: { ['k'.repeat(30_000)]: 'x' } }],
      content: [{ type: 'text/plain', value: 'k'.repeat(100_000) }],
    });
    expect([longKeys.status, JSON.parse(longKeys.body).errors[0]]).toMatchObject([
      400,
      {
        field: 'personalizations.0.substitutions',
        message: expect.stringContaining('at most 10000 characters in total'),
      },
    ]);
    const large = await sendgrid({
      personalizations: addresses(1_000).map((each) => ({
        to: to(each),
        substitutions: { x: 'v'.repeat(1_000) },
      })),
      content: [{ type: 'text/plain', value: 'x'.repeat(1_000) }],
    });
    expect([large.status, JSON.parse(large.body).errors[0].message]).toEqual([
      413,
      expect.stringContaining('Send fewer recipients in each request.'),
    ]);
    expect(await team.countEmails('a@example.com')).toBe(0);
  });
});

test('a large template is stored once, however many emails are made from it', async () => {
  team = await createSendingTeam(server, 't');
  const page = noise(60_000);
  const html = `<p>Dear {{name}}, ${page}</p>`;
  const template = await team.call('POST', '/templates', { name: 'Large', subject: 'Hi {{name}}', html });
  expect(template.status).toBe(200);
  const email = (no: number) => ({
    from: `ada@${team.domain}`,
    to: `r${no}@example.com`,
    templateId: template.body.id,
    variables: { name: `A & ${no}` },
    attachments: [{ filename: 'a.txt', content: Buffer.from('one').toString('base64') }],
  });
  const before = await storedBytes();
  const single = await team.call('POST', '/emails', email(100));
  const batch = await team.call(
    'POST',
    '/emails/batch',
    Array.from({ length: 50 }, (_, no) => email(no)),
  );
  expect([single.status, batch.status]).toEqual([200, 200]);
  await waitUntilDelivered();
  expect((await storedBytes()) - before).toBeLessThan(51 * page.length * 0.2);
  for (const no of [5, 100]) {
    const shown = await findEmail(`r${no}@example.com`);
    expect(shown).toMatchObject({ subject: `Hi A & ${no}`, html: `<p>Dear A &amp; ${no}, ${page}</p>` });
    expect(shown.attachments).toMatchObject([{ filename: 'a.txt', size: 3 }]);
  }
});

const metadata = Object.fromEntries(Array.from({ length: 50 }, (_, no) => [`key${no}`, noise(1000)]));
const sendEmail = (recipients: string[], fields: object) =>
  team.call('POST', '/emails', {
    from: `ada@${team.domain}`,
    to: recipients,
    subject: 'News',
    text: 'Hello',
    ...fields,
  });

test('a template whose loops and conditions make nothing is rejected while it is rendered', async () => {
  const conditions = `{% if v contains "${'a'.repeat(400)}b${'a'.repeat(400)}" %}{{w}}{% endif %}`.repeat(
    400,
  );
  const html = `x{% for i in list %}{% for j in list limit: 9 %}${conditions}{% endfor %}{% endfor %}`;
  const template = (await team.call('POST', '/templates', { name: 'Loops', subject: 'x', html })).body;
  const variables = { list: Array.from({ length: 1_000 }, () => 1), v: 'a'.repeat(500_000) };
  const email = { from: `ada@${team.domain}`, to: 'bob@example.com', templateId: template.id, variables };
  const answer = await team.call('POST', '/emails', email);
  expect([answer.status, answer.body.error.message]).toEqual([
    400,
    expect.stringContaining('must not take more than 200000 steps'),
  ]);
});

describe('metadata in webhook calls', () => {
  beforeAll(async () => {
    team = await createSendingTeam(server, 'w');
    for (const path of ['one', 'two'])
      await team.call('POST', '/webhooks', { url: `https://hooks.example/${path}`, events: ['*'] });
  });

  test('much of it for many recipients is rejected, and nothing is stored', async () => {
    const before = await storedBytes();
    const { status, body } = await sendEmail(addresses(50), { metadata });
    expect([status, body.error.message]).toEqual([413, expect.stringContaining('Send less metadata')]);
    const bcc = await sendEmail(['ada@example.com'], { metadata, bcc: addresses(40) });
    expect(bcc.status).toBe(413);
    expect(await storedBytes()).toBe(before);
  });

  test('all of it for one recipient, and some of it for many, are accepted', async () => {
    expect((await sendEmail(['ada@example.com'], { metadata })).status).toBe(200);
    expect((await sendEmail(addresses(50), { metadata: { key: noise(1000) } })).status).toBe(200);
  });
});

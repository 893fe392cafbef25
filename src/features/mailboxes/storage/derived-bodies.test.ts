/** The body of a received message is made from its compressed source, and everything shows it as before. */
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { rawMail, startMailWorld, writeTo, type MailWorld } from '../../../testing/mail-world.ts';

let world: MailWorld;
beforeAll(async () => {
  world = await startMailWorld();
});
afterAll(() => world.close());

const LINES = Array.from({ length: 200 }, (_, no) => `Line ${no} of a long message about harbours.`).join(
  '\r\n',
);

const alternative = (html: string) =>
  `From: Ann <ann@example.org>\r\nSubject: Both\r\nMIME-Version: 1.0\r\nContent-Type: multipart/alternative; boundary=b\r\n\r\n` +
  `--b\r\nContent-Type: text/plain\r\n\r\nThe quick brown fox.\r\n${LINES}\r\n--b\r\nContent-Type: text/html\r\n\r\n${html}\r\n--b--\r\n`;

async function receive(raw: string) {
  const box = await world.freshMailbox();
  expect((await writeTo(world.server.smtpPort, box.address, raw)).data).toMatch(/^250/);
  const [thread] = await world.threads(box.id);
  const { messages } = (await world.team.call('GET', `/threads/${thread!.id}`)).body;
  const search = async (q: string) =>
    (await world.team.call('GET', `/mailboxes/${box.id}/threads?q=${encodeURIComponent(q)}`)).body.items
      .length;
  return { box, message: messages[0], search };
}

async function rowOf(address: string) {
  const { rows } = await sql<{
    text: string | null;
    html: string | null;
    bodyBytes: number | null;
    stored: number;
    inflated: number | null;
    size: number;
  }>`
    select m.text, m.html, m.body_bytes as "bodyBytes", octet_length(b.bytes) as stored, b.inflated_size as inflated, m.size
    from messages m join mailboxes x on x.team_id = m.team_id and x.id = m.mailbox_id
    join blobs b on b.team_id = m.team_id and b.sha256 = m.raw_sha256
    where x.address = ${address}`.execute(world.server.db);
  return rows[0]!;
}

test('text, HTML and the form for display are shown and not stored, and the source is compressed', async () => {
  const { box, message } = await receive(
    alternative('<style>p { color: #123456 }</style><p onclick="x()">The <b>quick</b> fox</p>'),
  );
  expect(message.text).toMatch(/^The quick brown fox\.\r?\nLine 0 of/);
  expect(message.html).toContain('<b>quick</b>');
  expect(message.html).not.toContain('onclick');
  expect(message.display_html).toContain('color:');
  const { body } = await world.team.call('GET', `/messages/${message.id}`);
  expect([body.text, body.html, body.display_html]).toEqual([
    message.text,
    message.html,
    message.display_html,
  ]);
  const row = await rowOf(box.address);
  expect([row.text, row.html]).toEqual([null, null]);
  const forms = [message.text, message.html, message.display_html];
  expect(row.bodyBytes).toBe(forms.reduce((sum, form) => sum + Buffer.byteLength(form), 0));
  expect(row.inflated).toBe(row.size);
  expect(row.stored).toBeLessThan(row.size / 3);
  const source = await fetch(`${world.server.url}/api/v1/messages/${message.id}/raw`, {
    headers: { authorization: `Bearer ${world.team.key}` },
  });
  expect(Buffer.from(await source.arrayBuffer()).length).toBe(row.size);
});

test('words, phrases and their negations are found', async () => {
  const { search } = await receive(alternative('<p>The quick brown fox.</p>'));
  expect(await search('harbours')).toBe(1);
  expect(await search('"quick brown fox"')).toBe(1);
  expect(await search('"quick bro"')).toBe(1);
  expect(await search('"brown quick"')).toBe(0);
  expect(await search('"uick brown"')).toBe(0);
  expect(await search('fox -"quick brown"')).toBe(0);
  expect(await search('fox -"brown quick"')).toBe(1);
});

test('a phrase is found in a message that has only HTML, across its tags', async () => {
  const { search } = await receive(
    'From: a@example.org\r\nSubject: Only\r\nContent-Type: text/html\r\n\r\n<p>A <b>red</b> lighthouse</p>\r\n',
  );
  expect(await search('"red lighthouse"')).toBe(1);
  expect(await search('"red boat"')).toBe(0);
});

test('a message without a body has none', async () => {
  const { message } = await receive(rawMail({ text: '' }));
  expect([message.text?.trim() ?? '', message.html]).toEqual(['', null]);
});

test('a message that was stored with its body is shown from its row', async () => {
  const { box, message, search } = await receive(alternative('<p>Hello</p>'));
  await sql`update messages set text = 'Line of harbours', html = null, body_bytes = null where mailbox_id = (
    select id from mailboxes where address = ${box.address})`.execute(world.server.db);
  const { body } = await world.team.call('GET', `/messages/${message.id}`);
  expect([body.text, body.html]).toEqual(['Line of harbours', null]);
  expect(await search('"line of harbours"')).toBe(1);
});

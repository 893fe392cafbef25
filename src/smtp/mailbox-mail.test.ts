import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rawMail, startMailWorld, type MailWorld } from '../testing/mail-world.ts';
import { openDialogue } from '../testing/smtp-dialogue.ts';
import { dsn } from '../testing/clients/reports.ts';

let world: MailWorld;

beforeAll(async () => {
  world = await startMailWorld();
});
afterAll(() => world.close());

function hops(number: number): string {
  return Array.from({ length: number }, (_, at) => `Received: from a by b; hop ${at}`).join('\n');
}

function manyWords(): string {
  return Array.from({ length: 100_000 }, (_, at) => `${at.toString(36)}${'字'.repeat(3)}ﷺ`).join('\n');
}

async function onlyMessage(mailboxId: string, query = '') {
  const items = await world.threads(mailboxId, query);
  expect(items).toHaveLength(1);
  return (await world.thread(items[0]!.id)).messages.at(-1)!;
}

describe('recipients', () => {
  test('a mailbox receives mail regardless of case, and other addresses are unknown', async () => {
    const box = await world.freshMailbox();
    expect((await world.write(box.address.toUpperCase(), rawMail())).data).toMatch(/^250 /);
    const { rcpt, data } = await world.write(['nobody@harbour.test', 'ada@example.org'], rawMail());
    for (const reply of rcpt) expect(reply).toMatch(/^550 5\.1\.1 /);
    expect(data).toBeNull();
    expect(await world.messageCount(box.id)).toBe(1);
  });

  test('an address with a plus suffix belongs to its mailbox, unless a mailbox has that very address', async () => {
    const box = await world.freshMailbox();
    const local = box.address.split('@')[0]!;
    const own = await world.createMailbox(`${local}+own`);
    await world.write([`${local}+news@harbour.test`, `${local}+own@harbour.test`], rawMail());
    expect([await world.messageCount(box.id), await world.messageCount(own.id)]).toEqual([1, 1]);
    expect((await world.write('nobody+x@harbour.test', rawMail())).rcpt[0]).toMatch(/^550 5\.1\.1/);
  });

  test('unnecessary quotes in a local part are ignored', async () => {
    const box = await world.freshMailbox();
    const [local, domain] = box.address.split('@');
    const { rcpt, data } = await world.write([`"${local}"@${domain}`, `"no-${local}"@${domain}`], rawMail());
    expect(rcpt.map((reply) => reply.slice(0, 3))).toEqual(['250', '550']);
    expect(data).toMatch(/^250/);
    expect(await world.messageCount(box.id)).toBe(1);
  });

  test.each([
    'taro..yamada@phone.example',
    '"taro..y"@phone.example',
    'ilo.@rack.example',
    'root@my_host.example',
  ])('mail from the invalid address %s is accepted', async (sender) => {
    const box = await world.freshMailbox();
    expect((await world.write(box.address, rawMail({ from: `<${sender}>` }), sender)).data).toMatch(/^250/);
    expect(await onlyMessage(box.id)).toMatchObject({ from: sender });
  });

  test('a catch-all mailbox receives mail for unknown addresses, only while it is one', async () => {
    const box = await world.freshMailbox({ catch_all: true });
    expect((await world.write('whoever@harbour.test', rawMail())).data).toMatch(/^250/);
    expect(await world.messageCount(box.id)).toBe(1);
    await world.team.call('PATCH', `/mailboxes/${box.id}`, { catch_all: false });
    expect((await world.write('whoever@harbour.test', rawMail())).rcpt[0]).toMatch(/^550 5\.1\.1/);
  });

  test('a mailbox whose team does not own its domain receives nothing', async () => {
    const { body: domain } = await world.team.call('POST', '/domains', { name: 'lost.test' });
    await world.team.call('PUT', `/domains/${domain.id}/verify`);
    const { body: box } = await world.team.call('POST', '/mailboxes', { address: 'ada@lost.test' });
    await sql`update domains set held = false where id = ${domain.id}`.execute(world.server.db);
    expect((await world.write('ada@lost.test', rawMail())).rcpt[0]).toMatch(/^550 5\.1\.1/);
    await sql`update domains set held = true where id = ${domain.id}`.execute(world.server.db);
    expect((await world.write('ada@lost.test', rawMail())).data).toMatch(/^250/);
    await world.team.call('DELETE', `/mailboxes/${box.id}`);
    expect((await world.write('ada@lost.test', rawMail())).rcpt[0]).toMatch(/^550 5\.1\.1/);
  });

  test('several mailboxes get a copy each, and the bytes are stored once', async () => {
    const boxes = [await world.freshMailbox(), await world.freshMailbox(), await world.freshMailbox()];
    const addresses = boxes.flatMap(({ address }) => [address, address]);
    const { data } = await world.write([...addresses, 'nobody@harbour.test'], rawMail());
    expect(data).toMatch(/^250/);
    for (const box of boxes) expect(await world.messageCount(box.id)).toBe(1);
    const { rows } = await sql<{ hashes: number }>`
      select count(distinct raw_sha256) as hashes from messages
      where mailbox_id in (select id from mailboxes where address_key = any(${boxes.map(({ address }) => address)}))
    `.execute(world.server.db);
    expect(rows[0]!.hashes).toBe(1);
  });

  test('a message with forty recipients reaches all of them', async () => {
    const box = await world.freshMailbox();
    const local = box.address.split('@')[0]!;
    const all = Array.from({ length: 40 }, (_, at) => `${local}+${at}@harbour.test`);
    expect((await world.write(all, rawMail())).data).toMatch(/^250/);
    expect(await world.messageCount(box.id)).toBe(1);
  });
});

describe('a received message', () => {
  test('is unread in the inbox, with its sender, content and attachments', async () => {
    const box = await world.freshMailbox();
    const html = '<p>It <b>turns</b>.</p><script>alert(1)</script><img src="cid:wheel">';
    await world.write(
      box.address,
      `From: "Babbage, Charles" <charles@example.org>
To: ${box.address}, Bob <bob@example.org>
Cc: carol@example.org
Subject: =?utf-8?q?The_engine_=E2=9A=99?=
Message-ID: <1@engine.example.org>
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary=m

--m
Content-Type: text/html; charset=utf-8

${html}
--m
Content-Type: image/png; name=wheel.png
Content-ID: <wheel>
Content-Disposition: inline; filename=wheel.png
Content-Transfer-Encoding: base64

iVBORw0KGgo=
--m--
`,
    );
    const [thread] = await world.threads(box.id);
    expect(thread).toMatchObject({
      subject: 'The engine ⚙',
      folder: 'inbox',
      unread: true,
      message_count: 1,
      snippet: expect.stringMatching(/^It turns\./),
    });
    expect(thread!.participants.join()).toMatch(/charles@.*bob@.*carol@/);
    const message = await onlyMessage(box.id);
    expect(message).toMatchObject({ direction: 'in', status: 'received', read: false, folder: 'inbox' });
    expect(message.html).toContain('<b>turns</b>');
    expect(message.html).toContain('cid:wheel');
    expect(message.html).not.toContain('script');
    expect(message.attachments).toMatchObject([{ n: 0, filename: 'wheel.png', size: 8 }]);
    const file = await world.team.call('GET', `/messages/${message.id}/attachments/0`);
    expect(file.headers.get('content-type')).toBe('image/png');
    const raw = await world.team.call('GET', `/messages/${message.id}/raw`);
    expect(raw.body).toContain(`\r\n\r\n--m\r\nContent-Type: text/html`);
    expect(raw.body).toMatch(/^Return-Path: <charles@example\.org>\r\nReceived: from mx\.example\.org/);
    expect((await world.other.call('GET', `/messages/${message.id}/raw`)).status).toBe(404);
    expect((await world.other.call('GET', `/messages/${message.id}/attachments/0`)).status).toBe(404);
  });

  test('shows its own images inline, and remote images only on request', async () => {
    const box = await world.freshMailbox();
    await world.write(
      box.address,
      `From: a@example.org\nSubject: Images\nMIME-Version: 1.0\nContent-Type: multipart/related; boundary=r

--r\nContent-Type: text/html\n\n<img src="cid:own"><img src="https://tracker.example/x.png">
--r\nContent-Type: image/png\nContent-ID: <own>\nContent-Transfer-Encoding: base64\n\niVBORw0KGgo=\n--r--\n`,
    );
    const { id } = await onlyMessage(box.id);
    const display = async (query: string) =>
      (await world.team.call('GET', `/messages/${id}/display${query}`)).body;
    const held = await display('');
    expect(held.held_images).toBe(1);
    expect(held.html).toContain('src="data:image/png;base64,iVBORw0KGgo="');
    expect(held.html).not.toMatch(/\ssrc="https:/);
    const shown = await display('?images=shown');
    expect([shown.held_images, shown.html.includes('src="https://tracker.example/x.png"')]).toEqual([
      0,
      true,
    ]);
    expect((await world.team.call('GET', `/messages/${id}/display?images=x`)).status).toBe(400);
    expect((await world.other.call('GET', `/messages/${id}/display`)).status).toBe(404);
  });

  test('is not stored when the connection is lost during the transfer', async () => {
    const box = await world.freshMailbox();
    const dialogue = await openDialogue(world.server.smtpPort);
    await dialogue.say('EHLO mx.example.org');
    await dialogue.say('MAIL FROM:<charles@example.org>');
    await dialogue.say(`RCPT TO:<${box.address}>`);
    await dialogue.say('DATA');
    dialogue.write(`${rawMail().replaceAll('\n', '\r\n')}\r\n`);
    dialogue.drop();
    await world.write(box.address, rawMail({ subject: 'After' }));
    const items = await world.threads(box.id);
    expect(items.map(({ subject }) => subject)).toEqual(['After']);
  });

  test('is stored only after the final dot', async () => {
    const box = await world.freshMailbox();
    const dialogue = await openDialogue(world.server.smtpPort);
    await dialogue.say('EHLO mx.example.org');
    dialogue.write(`MAIL FROM:<charles@example.org>\r\nRCPT TO:<${box.address}>\r\nDATA\r\n`);
    expect(await dialogue.hear()).toMatch(/^250/);
    expect(await dialogue.hear()).toMatch(/^250/);
    expect(await dialogue.hear()).toMatch(/^354/);
    dialogue.write(rawMail().replaceAll('\n', '\r\n'));
    expect(await world.messageCount(box.id)).toBe(0);
    expect(await dialogue.say('\r\n.')).toMatch(/^250/);
    expect(await world.messageCount(box.id)).toBe(1);
    dialogue.drop();
  });

  test.each([
    ['no header at all', 'hello'],
    ['no content', ''],
    ['NUL bytes', 'From: a@example.org\nSubject: a\0b\n\nx\0y'],
    ['bytes that are no text', 'From: a@example.org\nSubject: \ud800\n\n\ud800'],
    ['a long subject', `From: a@example.org\nSubject: ${'x'.repeat(5000)}\n\nx`],
    ['a long id', `From: a@example.org\nMessage-ID: <${'x'.repeat(900)}@example.org>\nSubject: x\n\nx`],
    [
      'broken MIME',
      'From: a@example.org\nContent-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: x\n\n',
    ],
    ['no sender', 'Subject: x\n\nx'],
    ['a hundred thousand different words', `From: a@example.org\n\n${manyWords()}`],
  ])('with %s is stored as well as possible', async (_what, message) => {
    const box = await world.freshMailbox();
    expect((await world.write(box.address, message)).data).toMatch(/^250/);
    await onlyMessage(box.id, message.startsWith('From') ? '' : '?folder=spam');
  });

  test('does not include the separator line of mbox files', async () => {
    const box = await world.freshMailbox();
    await world.write(
      box.address,
      `From ada@example.org Mon Nov 16 12:00:00 2026\n${rawMail({ subject: 'Cron' })}`,
    );
    expect(await onlyMessage(box.id)).toMatchObject({ subject: 'Cron', text: 'It turns.' });
  });

  test('keeps a large attachment unchanged', async () => {
    const box = await world.freshMailbox();
    const content = Buffer.alloc(3 * 1024 * 1024, 'abc');
    const base64 = content.toString('base64').replaceAll(/.{76}/g, '$&\n');
    await world.write(
      box.address,
      `From: a@example.org\nSubject: big\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n
--b\nContent-Type: text/plain\n\nhello\n--b\nContent-Type: application/pdf\nContent-Disposition: attachment; filename=big.pdf
Content-Transfer-Encoding: base64\n\n${base64}\n--b--\n`,
    );
    const { id, attachments } = await onlyMessage(box.id);
    expect(attachments).toMatchObject([{ filename: 'big.pdf', size: content.length }]);
    const file = await world.team.call('GET', `/messages/${id}/attachments/0`);
    expect(file.body).toBe(content.toString());
    expect(file.headers.get('content-disposition')).toBe('attachment; filename="big.pdf"');
  });
});

describe('refusals', () => {
  test('a message with too large a SIZE is refused before it is sent', async () => {
    const dialogue = await openDialogue(world.server.smtpPort);
    expect(await dialogue.say('EHLO mx.example.org')).toContain('SIZE 52428800');
    expect(await dialogue.say('MAIL FROM:<a@example.org> SIZE=60000000')).toMatch(/^552/);
    dialogue.drop();
  });

  test('a message in a mail loop is refused', async () => {
    const box = await world.freshMailbox();
    expect((await world.write(box.address, rawMail({ more: hops(51) }))).data).toMatch(/^554 5\.4\.6/);
    expect(await world.messageCount(box.id)).toBe(0);
    expect((await world.write(box.address, rawMail({ more: hops(50) }))).data).toMatch(/^250/);
  });
});

describe('in the sandbox', () => {
  test('mail between mailboxes is delivered locally, in a thread on both sides, and so is a reply', async () => {
    const [ada, bob] = [await world.freshMailbox(), await world.freshMailbox()];
    const { body: sent } = await world.team.call('POST', `/mailboxes/${ada.id}/messages`, {
      to: [bob.address],
      subject: 'Inside',
      text: 'Hello Bob',
      undo_seconds: 0,
    });
    await expect.poll(() => world.messageCount(bob.id)).toBe(1);
    const [received] = await world.threads(bob.id);
    await world.team.call('POST', `/mailboxes/${bob.id}/messages`, {
      to: [ada.address],
      thread_id: received!.id,
      text: 'Hello Ada',
      undo_seconds: 0,
    });
    await expect.poll(async () => (await world.thread(sent.thread_id)).message_count).toBe(2);
    expect(await world.thread(sent.thread_id)).toMatchObject({ folder: 'inbox', unread: true });
    const { body } = await world.team.call('GET', '/sandbox/messages');
    expect(body.items.filter(({ recipient }: { recipient: string }) => recipient === bob.address)).toEqual(
      [],
    );
  });

  test('mail to other addresses is stored in the sandbox', async () => {
    const ada = await world.freshMailbox();
    await world.team.call('POST', `/mailboxes/${ada.id}/messages`, {
      to: ['stranger@example.org'],
      subject: 'Outside',
      text: 'Hello',
      undo_seconds: 0,
    });
    const kept = async () =>
      (await world.team.call('GET', '/sandbox/messages')).body.items.map(
        ({ recipient }: { recipient: string }) => recipient,
      );
    await expect.poll(kept).toContain('stranger@example.org');
  });
});

test('a bounce marks the message that bounced', async () => {
  const ada = await world.freshMailbox();
  const { body } = await world.team.call('POST', `/mailboxes/${ada.id}/messages`, {
    to: ['gone@example.org'],
    subject: 'Bounce',
    text: 'Hello',
    undo_seconds: 0,
  });
  const kept = async () =>
    (await world.team.call('GET', '/sandbox/messages')).body.items.find(
      ({ recipient }: { recipient: string }) => recipient === 'gone@example.org',
    );
  await expect.poll(kept).toBeTruthy();
  const status = async () => (await world.team.call('GET', `/messages/${body.id}`)).body.status;
  await expect.poll(status).toBe('sent');
  const { mailFrom } = await kept();
  await world.write(mailFrom, dsn('gone@example.org', 'failed', '5.1.1'), '');
  expect(await status()).toBe('bounced');
});

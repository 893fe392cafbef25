import { ImapFlow } from 'imapflow';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ImapDialogue } from '../testing/clients/imap-dialogue.ts';
import { startImapWorld, type Box, type ImapWorld } from '../testing/fixtures/imap-world.ts';

let world: ImapWorld;
beforeAll(async () => {
  world = await startImapWorld();
});
afterAll(() => world.close());

function flow(box: Box, options: object = {}): ImapFlow {
  return new ImapFlow({
    host: '127.0.0.1',
    port: world.server.imapsPort,
    secure: true,
    tls: { rejectUnauthorized: false },
    auth: { user: box.address, pass: box.password },
    logger: false,
    ...options,
  });
}

describe('a dialogue', () => {
  test('reads a message that arrives', async () => {
    const box = await world.freshBox();
    await world.receive(box, { subject: 'Grüße', text: 'It turns.' });
    const imap = await world.logIn(box);
    const selected = await imap.say('SELECT INBOX');
    expect(selected).toContain('* 1 EXISTS');
    expect(selected).toMatch(/\* OK \[UIDVALIDITY \d+\]/);
    expect(selected).toMatch(/OK \[READ-WRITE\]/);
    const fetched = await imap.say('FETCH 1 (UID FLAGS RFC822.SIZE ENVELOPE BODYSTRUCTURE BODY.PEEK[TEXT])');
    expect(fetched).toContain('UID 1 FLAGS (\\Recent)');
    expect(fetched).toContain('BODY[TEXT] {11}\r\nIt turns.');
    expect(fetched).toContain('("TEXT" "PLAIN" ("CHARSET" "us-ascii") NIL NIL "7BIT"');
    expect(await imap.say('LIST "" *')).toContain('* LIST (\\HasNoChildren \\Junk) "/" Spam');
    imap.drop();
  });
});

describe('imapflow', () => {
  test('lists, reads, flags, appends, copies, moves, searches and deletes', async () => {
    const box = await world.freshBox();
    await world.receive(box, { subject: 'One', text: 'first body' });
    await world.receive(box, { subject: 'Two', text: 'second body' });
    const client = flow(box);
    await client.connect();
    expect((await client.list()).map(({ path, specialUse }) => [path, specialUse ?? ''])).toEqual(
      expect.arrayContaining([
        ['INBOX', '\\Inbox'],
        ['Sent', '\\Sent'],
        ['Spam', '\\Junk'],
      ]),
    );
    const inbox = await client.mailboxOpen('INBOX');
    expect(inbox.exists).toBe(2);
    const messages = await client.fetchAll('1:*', {
      envelope: true,
      flags: true,
      source: true,
      bodyStructure: true,
    });
    expect(messages.map(({ envelope }) => envelope!.subject)).toEqual(['One', 'Two']);
    expect(messages[1]!.source!.toString()).toContain('second body');
    expect(await client.search({ body: 'second' }, { uid: true })).toEqual([2]);
    await client.messageFlagsAdd('1', ['\\Flagged', '$Forwarded']);
    expect((await client.fetchOne('1', { flags: true })) as { flags: Set<string> }).toMatchObject({
      flags: new Set(['\\Flagged', '$Forwarded']),
    });
    await client.mailboxCreate('Prüfung/Innen');
    expect(await client.messageCopy('2', 'Prüfung/Innen')).toMatchObject({ uidMap: new Map([[2, 1]]) });
    expect(await client.messageMove('1', 'Archive')).toMatchObject({ uidMap: new Map([[1, 1]]) });
    expect(client.mailbox).toMatchObject({ exists: 1 });
    const raw = 'From: x@example.org\r\nSubject: Draft\r\n\r\nUnfinished\r\n';
    expect(await client.append('Drafts', raw, ['\\Draft', '\\Seen'])).toMatchObject({ uid: 1 });
    await client.messageDelete('1');
    expect(client.mailbox).toMatchObject({ exists: 0 });
    await client.logout();
    expect(await world.folder(box.id, 'archive')).toMatchObject({ total: 1 });
  });

  test('is told of new mail and of changes in webmail while it idles', async () => {
    const box = await world.freshBox();
    await world.receive(box);
    const [client, second] = [flow(box), flow(box)];
    await client.connect();
    await second.connect();
    await client.mailboxOpen('INBOX');
    await second.mailboxOpen('INBOX');
    const events: string[] = [];
    client.on('exists', ({ count }) => events.push(`exists ${count}`));
    client.on('flags', ({ seq, flags }) => events.push(`flags ${seq} ${[...flags].join()}`));
    client.on('expunge', ({ seq }) => events.push(`expunge ${seq}`));
    void client.idle();
    await world.receive(box);
    await expect.poll(() => events, { timeout: 2_000 }).toContain('exists 2');
    await second.messageFlagsAdd('1', ['\\Seen']);
    await expect.poll(() => events, { timeout: 2_000 }).toContain('flags 1 \\Seen');
    const [thread] = await world.threads(box.id);
    await world.team.call('PATCH', `/threads/${thread!.id}`, { folder: 'archive' });
    await expect
      .poll(() => events.filter((event) => event.startsWith('expunge')), { timeout: 2_000 })
      .toHaveLength(1);
    await client.logout();
    await second.logout();
  });
});

/** Adds messages with the given subjects through IMAP. */
async function fill(
  imap: ImapDialogue,
  messages: { subject: string; more?: string; text?: string }[],
): Promise<void> {
  for (const { subject, more = '', text = 'Body' } of messages) {
    const raw = `From: Bea <bea@example.org>\r\nTo: ada@harbour.test\r\nSubject: ${subject}\r\n${more}\r\n${text}\r\n`;
    expect(await imap.say(`APPEND INBOX {${raw.length}+}\r\n${raw}`)).toMatch(/^OK \[APPENDUID \d+ \d+\]/);
  }
}

describe('searching', () => {
  test('finds by flags, text, header, size and sets, and returns what is asked', async () => {
    const imap = await world.logIn(await world.freshBox());
    await fill(imap, [
      { subject: 'Alpha', more: 'X-Mark: one\r\n', text: 'needle' },
      { subject: 'Beta' },
      { subject: 'gamma alpha', text: 'x'.repeat(2_000) },
    ]);
    await imap.say('SELECT INBOX');
    await imap.say('STORE 2 +FLAGS.SILENT (\\Seen $Forwarded)');
    const find = async (keys: string) =>
      /\* SEARCH([^\r\n]*)/.exec(await imap.say(`SEARCH ${keys}`))?.[1]?.trim();
    expect(await find('ALL')).toBe('1 2 3');
    expect(await find('UNSEEN')).toBe('1 3');
    expect(await find('KEYWORD $forwarded')).toBe('2');
    expect(await find('SUBJECT alpha')).toBe('1 3');
    expect(await find('NOT SUBJECT alpha')).toBe('2');
    expect(await find('OR BODY needle LARGER 2000')).toBe('1 3');
    expect(await find('HEADER X-Mark ""')).toBe('1');
    expect(await find('HEADER x-mark TWO')).toBe('');
    expect(await find('2:* FROM bea')).toBe('2 3');
    expect(await find('UID 3,1 SINCE 1-Jan-2020 SMALLER 999')).toBe('1');
    expect(await find('CHARSET UTF-8 TEXT {6+}\r\nneedle')).toBe('1');
    expect(await find('YOUNGER 600')).toBe('1 2 3');
    expect(await imap.say('SEARCH CHARSET KOI8-R ALL')).toMatch(/^NO \[BADCHARSET/);
    expect(await imap.say('UID SEARCH RETURN (MIN MAX COUNT SAVE) SUBJECT alpha')).toContain(
      'UID MIN 1 MAX 3 COUNT 2',
    );
    expect(await imap.say('FETCH $ (UID)')).toMatch(/\* 1 FETCH.*\r\n\* 3 FETCH/);
    expect(await imap.say('SORT (REVERSE SIZE) UTF-8 ALL')).toMatch(/\* SORT 3 1 2\r\n/);
    imap.drop();
  });

  test('threads follow references', async () => {
    const imap = await world.logIn(await world.freshBox());
    await fill(imap, [
      { subject: 'One', more: 'Message-ID: <a@x>\r\n' },
      { subject: 'Re: One', more: 'Message-ID: <b@x>\r\nReferences: <a@x>\r\n' },
      { subject: 'Other', more: 'Message-ID: <c@x>\r\n' },
      { subject: 'Re: One', more: 'Message-ID: <d@x>\r\nReferences: <a@x>\r\n' },
    ]);
    await imap.say('SELECT INBOX');
    expect(await imap.say('THREAD REFERENCES UTF-8 ALL')).toContain('* THREAD (1 (2)(4))(3)\r\n');
    expect(await imap.say('UID THREAD ORDEREDSUBJECT UTF-8 ALL')).toContain('* THREAD (1 (2)(4))(3)\r\n');
    imap.drop();
  });
});

describe('synchronizing', () => {
  test('a client that was away is told what changed and what vanished', async () => {
    const box = await world.freshBox();
    const imap = await world.logIn(box);
    await fill(imap, [{ subject: 'One' }, { subject: 'Two' }, { subject: 'Three' }]);
    const selected = await imap.say('SELECT INBOX (CONDSTORE)');
    const [, validity] = /UIDVALIDITY (\d+)/.exec(selected)!;
    const [, modseq] = /HIGHESTMODSEQ (\d+)/.exec(selected)!;
    const other = await world.logIn(box);
    await other.say('SELECT INBOX');
    await other.say('STORE 3 +FLAGS (\\Flagged)');
    await other.say('STORE 1 +FLAGS (\\Deleted)');
    expect(await other.say('EXPUNGE')).toContain('* 1 EXPUNGE');
    expect(await imap.say('UID FETCH 1:* (FLAGS) (CHANGEDSINCE ' + modseq + ')')).toContain('\\Flagged');
    const again = await world.logIn(box);
    expect(await again.say('ENABLE QRESYNC')).toContain('* ENABLED QRESYNC');
    const resumed = await again.say(`SELECT INBOX (QRESYNC (${validity} ${modseq}))`);
    expect(resumed).toContain('* VANISHED (EARLIER) 1\r\n');
    expect(resumed).toMatch(/\* 2 FETCH \(UID 3 FLAGS \(\\Flagged\) MODSEQ \(\d+\)\)/);
    for (const dialogue of [imap, other, again]) dialogue.drop();
  });

  test('a change that is based on old flags is refused', async () => {
    const box = await world.freshBox();
    const imap = await world.logIn(box);
    await fill(imap, [{ subject: 'One' }, { subject: 'Two' }]);
    const [, modseq] = /HIGHESTMODSEQ (\d+)/.exec(await imap.say('SELECT INBOX'))!;
    await imap.say('STORE 1 +FLAGS (\\Seen)');
    const reply = await imap.say(`STORE 1:2 (UNCHANGEDSINCE ${modseq}) +FLAGS (\\Flagged)`);
    expect(reply).toContain('* 2 FETCH (UID 2 FLAGS (\\Recent \\Flagged) MODSEQ');
    expect(reply).toMatch(/OK \[MODIFIED 1\]/);
    imap.drop();
  });

  test('numbers do not change under a client that fetches while another deletes', async () => {
    const box = await world.freshBox();
    const [imap, other] = [await world.logIn(box), await world.logIn(box)];
    await fill(imap, [{ subject: 'One' }, { subject: 'Two' }]);
    await imap.say('SELECT INBOX');
    await other.say('SELECT INBOX');
    await other.say('STORE 1 +FLAGS.SILENT (\\Deleted)');
    await other.say('EXPUNGE');
    expect(await imap.say('FETCH 2 (UID)')).toMatch(/^\* 2 FETCH \(UID 2\)\r\nOK/);
    expect(await imap.say('NOOP')).toContain('* 1 EXPUNGE');
    expect(await imap.say('FETCH 1 (UID)')).toContain('* 1 FETCH (UID 2)');
    for (const dialogue of [imap, other]) dialogue.drop();
  });
});

test('a message that was sent through us and is then added to the sent folder is there once', async () => {
  const box = await world.freshBox();
  const raw = `From: ${box.address}\r\nTo: x@example.org\r\nSubject: Sent\r\nMessage-ID: <once@harbour.test>\r\n\r\nHello\r\n`;
  const nodemailer = await import('nodemailer');
  const auth = { user: box.address, pass: box.password };
  const transport = nodemailer.createTransport({
    host: '127.0.0.1',
    port: world.server.submissionPort,
    ignoreTLS: true,
    auth,
  });
  await transport.sendMail({ envelope: { from: box.address, to: 'x@example.org' }, raw });
  const imap = await world.logIn(box);
  expect(await imap.say(`APPEND Sent (\\Seen) {${raw.length}+}\r\n${raw}`)).toMatch(
    /^OK \[APPENDUID \d+ 1\]/,
  );
  expect(await imap.say('SELECT Sent')).toContain('* 1 EXISTS');
  expect(await imap.say('FETCH 1 (BODY.PEEK[HEADER.FIELDS (Subject)] RFC822.SIZE)')).toContain(
    'Subject: Sent',
  );
  imap.drop();
});

test('a draft of webmail can be read, and always has the same bytes', async () => {
  const box = await world.freshBox();
  const { status } = await world.team.call('POST', `/mailboxes/${box.id}/drafts`, {
    to: ['x@example.org'],
    bcc: ['hidden@example.org'],
    subject: 'Unfinished',
    html: '<p>Hello</p>',
  });
  expect(status).toBe(200);
  const imap = await world.logIn(box);
  expect(await imap.say('SELECT Drafts')).toContain('* 1 EXISTS');
  const first = await imap.say('FETCH 1 (FLAGS RFC822.SIZE BODY.PEEK[])');
  expect(first).toContain('\\Draft');
  expect(first).toContain('Bcc: hidden@example.org');
  expect(await imap.say('FETCH 1 (FLAGS RFC822.SIZE BODY.PEEK[])')).toBe(first);
  const [, size] = /RFC822.SIZE (\d+)/.exec(first)!;
  expect(first).toContain(`BODY[] {${size}}`);
  imap.drop();
});

test('compression and STARTTLS can be used together', async () => {
  const box = await world.freshBox();
  await world.receive(box, { subject: 'Squeezed' });
  const client = flow(box, { port: world.server.imapPort, secure: false, doSTARTTLS: true });
  await client.connect();
  await client.mailboxOpen('INBOX');
  const found = (await client.fetchOne('1', { envelope: true })) as { envelope: { subject: string } };
  expect(found.envelope.subject).toBe('Squeezed');
  await client.logout();
});

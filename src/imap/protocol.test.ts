/** Regression tests for faults that Dovecot's imaptest found. */
import { sql } from 'kysely';
import nodemailer from 'nodemailer';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ImapDialogue } from '../testing/clients/imap-dialogue.ts';
import { append, openInbox, startImapWorld, type ImapWorld } from '../testing/fixtures/imap-world.ts';

let world: ImapWorld;
beforeAll(async () => {
  world = await startImapWorld();
});
afterAll(() => world.close());

test('SENTBEFORE, SENTON, SENTSINCE and the sort key DATE read the Date header, in the zone of the sender', async () => {
  const imap = await world.logIn(await world.freshBox());
  // In UTC, the first two are in the wrong order and on the same day.
  for (const date of [
    'Sun, 25 Mar 2007 00:30:00 +0200',
    'Sat, 24 Mar 2007 22:00:00 +0000',
    '1 Apr 2007 01:00 -0500',
  ])
    await append(imap, `From: a@x\r\nDate: ${date}\r\nSubject: x\r\n\r\nx\r\n`);
  await append(imap, 'From: a@x\r\nSubject: without a date\r\n\r\nx\r\n');
  await imap.say('SELECT INBOX');
  const find = async (keys: string) =>
    /\* SEARCH([^\r\n]*)/.exec(await imap.say(`SEARCH ${keys}`))![1]!.trim();
  expect(await find('SENTON 25-Mar-2007')).toBe('1');
  expect(await find('SENTON 24-Mar-2007')).toBe('2');
  expect(await find('SENTBEFORE 25-Mar-2007')).toBe('2');
  expect(await find('SENTSINCE 25-Mar-2007')).toBe('1 3 4');
  expect(await find('NOT SENTSINCE 1-Apr-2007')).toBe('1 2');
  expect(await imap.say('SORT (DATE) UTF-8 ALL')).toContain('* SORT 2 1 3 4\r\n');
  await imap.say('COPY 1 Archive');
  await imap.say('SELECT Archive');
  expect(await find('SENTON 25-Mar-2007')).toBe('1');
  imap.drop();
});

test('BCC finds the field of messages that others have written', async () => {
  const imap = await world.logIn(await world.freshBox());
  for (const bcc of ['Bcc: Hidden <hidden@example.org>\r\n', ''])
    await append(imap, `From: a@example.org\r\n${bcc}Subject: x\r\n\r\nx\r\n`);
  await imap.say('SELECT INBOX');
  expect(await imap.say('SEARCH BCC HIDDEN@ex')).toContain('* SEARCH 1\r\n');
  imap.drop();
});

test('subjects are compared in upper case and without [fwd: …]', async () => {
  const imap = await world.logIn(await world.freshBox());
  for (const subject of ['_', 'C', 'Re: [FWD: c]', 'b', '[xyz]'])
    await append(imap, `From: a@x\r\nSubject: ${subject}\r\n\r\nx\r\n`);
  await imap.say('SELECT INBOX');
  expect(await imap.say('SORT (SUBJECT) UTF-8 ALL')).toContain('* SORT 4 2 3 5 1\r\n');
  imap.drop();
});

test('a search finds the Bcc of a message that a program has added', async () => {
  const imap = await world.logIn(await world.freshBox());
  await append(imap, 'From: a@x.org\r\nBcc: Secret <hidden@y.org>\r\nSubject: x\r\n\r\nx\r\n', 'Drafts');
  await imap.say('SELECT Drafts');
  expect(await imap.say('SEARCH BCC hidden@y')).toContain('* SEARCH 1\r\n');
  imap.drop();
});

test('a client that begins to use change numbers is told the latest one', async () => {
  const imap = await world.logIn(await world.freshBox());
  for (const subject of ['One', 'Two', 'Three']) await append(imap, `Subject: ${subject}\r\n\r\nx\r\n`);
  const [, latest] = /HIGHESTMODSEQ (\d+)/.exec(await imap.say('SELECT INBOX'))!;
  const fetched = await imap.say('FETCH 1:3 MODSEQ');
  expect(fetched).toContain(`* OK [HIGHESTMODSEQ ${latest}]`);
  const [first, , last] = [...fetched.matchAll(/MODSEQ \((\d+)\)/g)].map(([, number]) => number);
  expect(await imap.say('SEARCH RETURN (MIN) MODSEQ 1')).toContain(`MIN 1 MODSEQ ${first}\r\n`);
  expect(await imap.say('SEARCH RETURN (MAX) MODSEQ 1')).toContain(`MAX 3 MODSEQ ${last}\r\n`);
  expect(await imap.say('FETCH 1 MODSEQ')).not.toContain('HIGHESTMODSEQ');
  imap.drop();
});

test('reading a body without PEEK shows the flags of those messages that were not read before', async () => {
  const imap = await world.logIn(await world.freshBox());
  for (const subject of ['One', 'Two']) await append(imap, `Subject: ${subject}\r\n\r\nx\r\n`);
  await imap.say('ENABLE IMAP4rev2');
  await imap.say('SELECT INBOX');
  expect(await imap.say('FETCH 1 BODY[HEADER.FIELDS (Subject)]')).toContain('FLAGS (\\Seen)');
  const both = await imap.say('FETCH 1:2 (UID BODY[TEXT])');
  expect(both).toContain('* 1 FETCH (UID 1 BODY[TEXT] {3}\r\nx\r\n)\r\n');
  expect(both).toContain('* 2 FETCH (UID 2 BODY[TEXT] {3}\r\nx\r\n FLAGS (\\Seen))\r\n');
  expect(await imap.say('FETCH 1:2 (UID RFC822)')).not.toContain('FLAGS');
  imap.drop();
});

test('folders that cannot be made or renamed are rejected with a code', async () => {
  const imap = await world.logIn(await world.freshBox());
  await imap.say('CREATE One');
  await imap.say('CREATE Two');
  expect(await imap.say('CREATE One')).toMatch(/NO \[ALREADYEXISTS\] A folder named One/);
  expect(await imap.say('RENAME Two One')).toMatch(/NO \[ALREADYEXISTS\]/);
  expect(await imap.say('DELETE Archive')).toMatch(/NO \[CANNOT\]/);
  imap.drop();
});

test('LIST and LSUB with patterns that are unusual', async () => {
  const imap = await world.logIn(await world.freshBox());
  await imap.say('CREATE One/Two');
  await imap.say('SUBSCRIBE One/Two');
  expect(await imap.say('UNSUBSCRIBE One')).toMatch(/^OK/);
  expect(await imap.say('LSUB "" %')).toContain(String.raw`* LSUB (\Noselect \HasChildren) "/" One`);
  expect(await imap.say('LSUB "" *')).not.toContain('Noselect');
  expect(await imap.say(`LIST "" !#$&'+,-.0123456789:;<=>?@^_\`|[}%*`)).toMatch(/^OK/);
  imap.drop();
});

const rawOf = (address: string, id: string) =>
  `From: ${address}\r\nTo: x@example.org\r\nBcc: y@example.org\r\nSubject: Sent\r\nMessage-ID: <${id}@harbour.test>\r\n\r\nHello\r\n`;

async function send(box: { address: string; password: string }, raw: string): Promise<void> {
  const transport = nodemailer.createTransport({
    host: '127.0.0.1',
    port: world.server.submissionPort,
    ignoreTLS: true,
    auth: { user: box.address, pass: box.password },
  });
  await transport.sendMail({ envelope: { from: box.address, to: ['x@example.org'] }, raw });
}

describe('a message that a program sends and adds to the sent folder', () => {
  test.each(['before', 'after', 'while'])('is there once when it is added %s it is sent', async (order) => {
    const box = await world.freshBox();
    const imap = await world.logIn(box);
    const raw = rawOf(box.address, order);
    const add = () => append(imap, raw, 'Sent');
    if (order === 'before') await add();
    await Promise.all([send(box, raw), order === 'while' ? add() : null]);
    if (order === 'after') await add();
    expect(await imap.say('SELECT Sent')).toContain('* 1 EXISTS');
    expect(await imap.say('FETCH 1 (FLAGS BODY.PEEK[])')).toMatch(/\\Seen[\s\S]*Hello/);
    // Webmail shows the message as sent.
    const [thread] = await world.threads(box.id, '?folder=sent');
    expect(await world.thread(thread!.id)).toMatchObject({
      messages: [{ direction: 'out', folder: 'sent' }],
    });
    await expect.poll(async () => (await world.thread(thread!.id)).messages[0]!.status).toBe('sent');
    imap.drop();
  });

  test('two messages with the same Message-ID that were not sent through us are both kept', async () => {
    const box = await world.freshBox();
    const imap = await world.logIn(box);
    await append(imap, rawOf(box.address, 'old'), 'Sent');
    await append(imap, rawOf(box.address, 'old').replace('Hello', 'Goodbye'), 'Sent');
    expect(await imap.say('SELECT Sent')).toContain('* 2 EXISTS');
    imap.drop();
  });
});

test('searching and sorting know groups, further authors, addresses without a domain, and all header fields', async () => {
  const imap = await world.logIn(await world.freshBox());
  for (const head of [
    'From: one@x.org, Zoe <two@x.org>\r\nTo: friends: ann@x.org;\r\nX-Note: hay needle hay',
    'From: solo\r\nTo: =?utf-8?q?Gr=C3=BC=C3=9Fe?=:;',
    'From: zoe@x.org\r\nTo: bob@x.org\r\nX-Path: C:\\temp_100%',
  ])
    await append(imap, `${head}\r\nSubject: x\r\n\r\nbody\r\n`);
  await openInbox(imap);
  const find = async (keys: string) =>
    /\* SEARCH([^\r\n]*)/.exec(await imap.say(`SEARCH ${keys}`))![1]!.trim();
  expect(await find('FROM two@x')).toBe('1');
  expect(await find('NOT FROM zoe')).toBe('2');
  expect(await find('FROM solo')).toBe('2');
  expect(await find('TO friends')).toBe('1');
  expect(await find('CHARSET UTF-8 TO {7+}\r\nGr\xc3\xbc\xc3\x9fe')).toBe('2');
  expect(await find('TEXT needle')).toBe('1');
  expect(await find('TEXT "X-NOTE: hay"')).toBe('1');
  expect(await find(String.raw`TEXT "c:\\temp_100%"`)).toBe('3');
  expect(await find('TEXT "x_org"')).toBe('');
  expect(await find('NOT TEXT needle')).toBe('2 3');
  expect(await imap.say('SORT (FROM) UTF-8 ALL')).toContain('* SORT 1 2 3\r\n');
  expect(await imap.say('SORT (REVERSE TO) UTF-8 ALL')).toContain('* SORT 2 1 3\r\n');
  expect(await imap.say('SORT (DISPLAYTO) UTF-8 ALL')).toContain('* SORT 3 1 2\r\n');
  await imap.say('COPY 1 Archive');
  await imap.say('SELECT Archive');
  expect(await find('TO friends')).toBe('1');
  imap.drop();
});

test('NUL in a literal8 is stored as base64, and nowhere else', async () => {
  const imap = await world.logIn(await world.freshBox());
  const add = (raw: string, marker = '~') => imap.say(`APPEND INBOX ${marker}{${raw.length}+}\r\n${raw}`);
  const part = 'Content-Type: application/octet-stream\r\nContent-Transfer-Encoding:\r\n binary\r\n';
  expect(await add(`From: a@x.org\r\nMIME-Version: 1.0\r\n${part}\r\n\0-\x80\r\n`)).toMatch(/^OK/);
  const mixed = `From: a@x.org\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\ntext\r\n--b\r\n${part}\r\n\0\x01\r\n--b--\r\n`;
  expect(await add(mixed)).toMatch(/^OK/);
  expect(await add('From: a@x.org\r\nSubject: \0\r\n\r\nx\r\n')).toMatch(/^NO \[UNKNOWN-CTE\]/);
  expect(await add(`From: a@x.org\r\n${part}\r\n\0\r\n`, '')).toMatch(/^NO \[UNKNOWN-CTE\]/);
  await openInbox(imap);
  const first = await imap.say('FETCH 1 (BODY.PEEK[1] BINARY.SIZE[1] BINARY.PEEK[1])');
  expect(first).toContain('BODY[1] {10}\r\nAC2ADQo=\r\n BINARY.SIZE[1] 5 BINARY[1] ~{5}\r\n\0-\x80\r\n)');
  const second = await imap.say('FETCH 2 (BINARY.PEEK[1] BINARY.PEEK[2])');
  expect(second).toContain('BINARY[1] {4}\r\ntext BINARY[2] ~{2}\r\n\0\x01)');
  imap.drop();
});

const threadMail = (no: number) =>
  `From: a@x.org\r\nSubject: Thread ${no % 2}\r\nMessage-ID: <m${no}@x.org>\r\n${no > 2 ? `References: <m${no - 2}@x.org>\r\n` : ''}\r\nx\r\n`;
const literal = (text: string) => ` {${text.length}+}\r\n${text}`;

test('of several messages in one APPEND, all are stored or none', async () => {
  const box = await world.freshBox();
  const imap = await world.logIn(box);
  const several = [1, 2, 3, 4].map((no) => literal(threadMail(no))).join('');
  expect(await imap.say(`APPEND INBOX${several} (\\Seen) {0+}\r\n`)).toMatch(/^NO \[CANNOT\]/);
  const long = `(${'k'.repeat(101)})`;
  expect(await imap.say(`APPEND INBOX${several} ${long}${literal(threadMail(5))}`)).toMatch(/^NO \[LIMIT\]/);
  expect(await imap.say('STATUS INBOX (MESSAGES UIDNEXT)')).toContain('MESSAGES 0 UIDNEXT 1');
  // A failure while the last message is stored rolls back the others.
  const { db } = world.server;
  await sql`create function refuse_doom() returns trigger language plpgsql as $$
    begin if new.subject = 'Doom' then raise exception 'doomed'; end if; return new; end $$`.execute(db);
  await sql`create trigger doom before insert on messages for each row execute function refuse_doom()`.execute(
    db,
  );
  const doom = literal('From: a@x.org\r\nSubject: Doom\r\n\r\nx\r\n');
  expect(await imap.say(`APPEND INBOX${several}${doom}`)).toMatch(/^NO/);
  await sql`drop function refuse_doom cascade`.execute(db);
  expect(await imap.say('STATUS INBOX (MESSAGES UIDNEXT)')).toContain('MESSAGES 0 UIDNEXT 1');
  expect(await imap.say(`APPEND INBOX${several}`)).toMatch(/^OK \[APPENDUID \d+ 1:4\]/);
  expect((await world.threads(box.id)).map(({ message_count }) => message_count)).toEqual([2, 2]);
  imap.drop();
});

const addSix = (imap: ImapDialogue, at: number) => {
  const messages = Array.from({ length: 6 }, (_, no) => {
    const own = at % 2 === 0 ? no : 5 - no;
    const text = `From: a@x.org\r\nSubject: s${own}\r\nMessage-ID: <${at}.${own}@x.org>\r\nReferences: <root${own}@x.org>\r\n\r\nx\r\n`;
    return ` {${text.length}+}\r\n${text}`;
  });
  return imap.say(`APPEND INBOX${messages.join('')}`);
};

test('several programs add messages of the same threads at once', async () => {
  const box = await world.freshBox();
  const sessions = await Promise.all(Array.from({ length: 4 }, () => world.logIn(box)));
  const answers = await Promise.all(sessions.map(addSix));
  expect(answers.filter((answer) => !/^OK \[APPENDUID \d+ \d+:\d+\]/.test(answer))).toEqual([]);
  expect((await world.threads(box.id)).map(({ message_count }) => message_count)).toEqual([4, 4, 4, 4, 4, 4]);
  for (const imap of sessions) imap.drop();
});

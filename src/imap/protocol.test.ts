/** What Dovecot's imaptest has found. */
import { sql } from 'kysely';
import nodemailer from 'nodemailer';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openImapDialogue, type ImapDialogue } from '../testing/imap-dialogue.ts';
import { startMailWorld, type MailWorld } from '../testing/mail-world.ts';

let world: MailWorld;
beforeAll(async () => {
  world = await startMailWorld({ doors: ['http', 'smtp', 'imap', 'worker'] });
});
afterAll(() => world.close());

async function freshBox() {
  const box = await world.freshMailbox();
  const { body } = await world.team.call('POST', `/mailboxes/${box.id}/app-passwords`, { name: 'Test' });
  return { ...box, password: body.password as string };
}

async function logIn({ address, password }: { address: string; password: string }): Promise<ImapDialogue> {
  const dialogue = await openImapDialogue(world.server.imapPort);
  expect(await dialogue.say(`LOGIN ${address} ${password}`)).toMatch(/^OK/);
  return dialogue;
}

function append(imap: ImapDialogue, raw: string, folder = 'INBOX'): Promise<string> {
  return imap.say(`APPEND ${folder} {${raw.length}+}\r\n${raw}`);
}

async function openInbox(client: ImapDialogue): Promise<number> {
  return Number(/\* (\d+) EXISTS/.exec(await client.say('SELECT INBOX'))![1]);
}

function fetchedLines(text: string): string[] {
  return text.match(/\* \d+ FETCH [^\r]*/g) ?? [];
}

test('SENTBEFORE, SENTON, SENTSINCE and the sort key DATE read the Date header, in the zone of the sender', async () => {
  const imap = await logIn(await freshBox());
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
  const imap = await logIn(await freshBox());
  for (const bcc of ['Bcc: Hidden <hidden@example.org>\r\n', ''])
    await append(imap, `From: a@example.org\r\n${bcc}Subject: x\r\n\r\nx\r\n`);
  await imap.say('SELECT INBOX');
  expect(await imap.say('SEARCH BCC HIDDEN@ex')).toContain('* SEARCH 1\r\n');
  imap.drop();
});

test('flags of many messages are read together, and are those of each', async () => {
  const box = await freshBox();
  const [imap, other] = [await logIn(box), await logIn(box)];
  const raw = 'From: a@example.org\r\nSubject: x\r\n\r\nx\r\n';
  await imap.say(`APPEND INBOX${` {${raw.length}+}\r\n${raw}`.repeat(130)}`);
  expect(await openInbox(imap)).toBe(130);
  await imap.say('STORE 3,7 +FLAGS (\\Seen \\Flagged work)');
  await imap.say('STORE 7:9 +FLAGS (\\Answered \\Draft $Forwarded)');
  await imap.say('STORE 20 +FLAGS (\\Deleted)');
  await imap.say('EXPUNGE');
  const together = fetchedLines(await imap.say('FETCH 1:* (UID FLAGS MODSEQ)'));
  expect(together).toHaveLength(129);
  expect(together).toContainEqual(
    expect.stringMatching(
      /^\* 7 FETCH \(UID 7 FLAGS \(\\Recent \\Answered \\Flagged \\Seen \\Draft \$Forwarded work\) /,
    ),
  );
  const apart: string[] = [];
  for (const set of ['1:64', '65:128', '129'])
    apart.push(...fetchedLines(await imap.say(`FETCH ${set} (UID FLAGS MODSEQ)`)));
  expect(apart).toEqual(together);
  const modseq = Number(/MODSEQ \((\d+)\)/.exec(together[2]!)![1]);
  const changed = fetchedLines(await imap.say(`FETCH 1:* (FLAGS) (CHANGEDSINCE ${modseq})`));
  expect(changed.map((line) => Number(line.split(' ')[1]))).toEqual([7, 8, 9]);

  // The list of UIDs is kept, and must follow each change.
  expect(await openInbox(other)).toBe(129);
  await imap.say('STORE 1 +FLAGS (\\Deleted)');
  await imap.say('EXPUNGE');
  expect(await openInbox(other)).toBe(128);
  await append(imap, raw);
  expect(await openInbox(other)).toBe(129);
  expect(await other.say('UID SEARCH ALL')).toMatch(/\* SEARCH 2 3 .* 131\r/);
  for (const client of [imap, other]) client.drop();
});

function bodyOf(no: number): string {
  return `From: a@example.org\r\nSubject: ${no}\r\n\r\nBody ${no}.\r\n`;
}

/** Adds messages with the UIDs 1 to `count`. */
async function fillWith(imap: ImapDialogue, count: number, rawOf: (no: number) => string): Promise<void> {
  const literals = Array.from({ length: count }, (_, at) => rawOf(at + 1)).map(
    (raw) => ` {${raw.length}+}\r\n${raw}`,
  );
  expect(await imap.say(`APPEND INBOX${literals.join('')}`)).toMatch(/OK \[APPENDUID/);
}

const wholeOf = (uid: number, flags: string) =>
  `FETCH (UID ${uid} FLAGS (${flags}) BODY[] {${bodyOf(uid).length}}\r\n${bodyOf(uid)})\r\n`;

/** `before` is sent before the command for this UID. */
async function fetchTogether(imap: ImapDialogue, uids: number[], before: Record<number, string> = {}) {
  const commands = uids.map((uid) => `${before[uid] ?? ''}f${uid} UID FETCH ${uid} (FLAGS BODY.PEEK[])\r\n`);
  imap.write(commands.join(''));
  return imap.hear(new RegExp(`f${uids.at(-1)} OK[^\\r]*\\r\\n`));
}

describe('whole messages that are asked for one by one, in commands that are sent together', () => {
  const COUNT = 70;
  const all = Array.from({ length: COUNT }, (_, at) => at + 1);
  test('are as the commands before them have left them', async () => {
    const imap = await logIn(await freshBox());
    await fillWith(imap, COUNT, bodyOf);
    // No message is \Recent then.
    await imap.say('ENABLE IMAP4rev2');
    await openInbox(imap);
    const heard = await fetchTogether(imap, all, {
      20: 'x UID FETCH 20 BODY[]\r\n',
      30: 's UID STORE 30 +FLAGS.SILENT (\\Flagged late)\r\n',
      60: 'v UID STORE 61:62 +FLAGS.SILENT (\\Answered)\r\n',
    });
    const flags: Record<number, string> = {
      20: '\\Seen',
      30: '\\Flagged late',
      61: '\\Answered',
      62: '\\Answered',
    };
    for (const uid of all) expect(heard).toContain(`* ${uid} ${wholeOf(uid, flags[uid] ?? '')}`);
    expect(heard.match(/^[fsvx]\d* OK/gm)).toHaveLength(COUNT + 3);
    imap.drop();
  });

  test('are as others have left them, and those that others have deleted are left out', async () => {
    const box = await freshBox();
    const [imap, other] = [await logIn(box), await logIn(box)];
    await fillWith(imap, COUNT, bodyOf);
    // No message is \Recent then.
    await imap.say('ENABLE IMAP4rev2');
    await openInbox(imap);
    await openInbox(other);
    await fetchTogether(imap, all);
    await other.say('UID STORE 5,41 +FLAGS (\\Seen)');
    await other.say('UID STORE 10,40 +FLAGS (\\Deleted)');
    await other.say('EXPUNGE');
    const heard = await fetchTogether(imap, all);
    for (const uid of all.filter((each) => each !== 10 && each !== 40))
      expect(heard).toContain(wholeOf(uid, uid === 5 || uid === 41 ? '\\Seen' : ''));
    expect(heard).not.toContain('Body 10.');
    expect(heard).not.toContain('Body 40.');
    expect(`${heard}${await imap.say('NOOP')}`).toContain('* 40 EXPUNGE\r\n* 10 EXPUNGE');
    const backwards = await fetchTogether(imap, all.toReversed());
    for (const uid of [1, 9, 11, 39, 41, COUNT])
      expect(backwards).toContain(`Body ${uid}.\r\n)\r\nf${uid} OK`);
    for (const client of [imap, other]) client.drop();
  });
});

test('many messages are sorted and threaded in a thread, as few are', async () => {
  const imap = await logIn(await freshBox());
  const count = 90;
  // Two have the same subject. The last one is first, except that all are longer than the one before.
  const rawOf = (no: number) =>
    `From: a@example.org\r\nSubject: ${count - (no === 3 ? 2 : no) + 100}${'-x'.repeat(450)}\r\n\r\n${'y'.repeat(no)}\r\n`;
  await fillWith(imap, count, rawOf);
  await openInbox(imap);
  await imap.say('STORE 1 +FLAGS (\\Deleted)');
  await imap.say('EXPUNGE');
  const numbers = Array.from({ length: count - 1 }, (_, at) => at + 1);
  const bySubject = [...numbers.slice(2).toReversed(), 1, 2];
  expect(await imap.say('SORT (SUBJECT) UTF-8 ALL')).toContain(`* SORT ${bySubject.join(' ')}\r\n`);
  expect(await imap.say('UID SORT (SUBJECT REVERSE DATE) UTF-8 UID 3:5,7')).toContain('* SORT 7 5 4 3\r\n');
  expect(await imap.say('SORT (REVERSE SIZE) UTF-8 ALL')).toContain(
    `* SORT ${numbers.toReversed().join(' ')}\r\n`,
  );
  const threads = `(1 2)${numbers
    .slice(2)
    .map((number) => `(${number})`)
    .join('')}`;
  expect(await imap.say('THREAD ORDEREDSUBJECT UTF-8 ALL')).toContain(`* THREAD ${threads}\r\n`);
  expect(await imap.say('SORT (SUBJECT) UTF-8 SEEN')).toContain('* SORT\r\n');
  imap.drop();
});

test('a deleted folder moves its messages to the trash a thousand at a time, and another client sees all of them', async () => {
  const box = await freshBox();
  const [imap, other] = [await logIn(box), await logIn(box)];
  const raw = 'From: a@example.org\r\nSubject: x\r\n\r\nx\r\n';
  await imap.say('CREATE Big');
  await imap.say('CREATE Big/Inside');
  await append(imap, raw, 'Big/Inside');
  await imap.say(`APPEND Big${` {${raw.length}+}\r\n${raw}`.repeat(130)}`);
  await imap.say('SELECT Big');
  for (let round = 0; round < 4; round += 1) expect(await imap.say('COPY 1:* Big')).toMatch(/OK \[COPYUID/);
  expect(await imap.say('STATUS Big (MESSAGES)')).toContain('MESSAGES 2080');
  await other.say('SELECT Big');
  await imap.say('UNSELECT');

  const { body: folders } = await world.team.call('GET', `/mailboxes/${box.id}/folders`);
  const { id } = folders.items.find(({ name }: { name: string }) => name === 'Big');
  expect((await world.team.call('DELETE', `/mailboxes/${box.id}/folders/${id}`)).status).toBe(200);

  expect(await imap.say('LIST "" Big*')).not.toContain('Big');
  expect(await imap.say('STATUS Trash (MESSAGES UNSEEN)')).toContain('(MESSAGES 2081 UNSEEN 2081)');
  await imap.say('SELECT Trash');
  const uids = /\* SEARCH ([^\r]*)/.exec(await imap.say('UID SEARCH ALL'))![1]!.split(' ');
  expect(new Set(uids).size).toBe(2081);
  // Each transaction has a change number of its own.
  const changes = fetchedLines(await imap.say('FETCH 1:* (MODSEQ)')).map(
    (line) => /\d+(?=\)\))/.exec(line)![0],
  );
  expect(new Set(changes).size).toBe(3);
  expect((await other.say('NOOP')).match(/\* \d+ EXPUNGE|\* VANISHED|BYE|NO /)).not.toBeNull();
  for (const client of [imap, other]) client.drop();
});

test('what SELECT says of flags and keywords is kept, and follows each change', async () => {
  const box = await freshBox();
  const [imap, other] = [await logIn(box), await logIn(box)];
  for (let no = 0; no < 4; no += 1) await append(imap, 'From: a@example.org\r\nSubject: x\r\n\r\nx\r\n');
  await openInbox(imap);
  const summary = async () => {
    const text = await other.say('SELECT INBOX');
    const keywords = /\* FLAGS \([^)]*\\Draft ?([^)]*)\)/.exec(text)![1];
    return [keywords, /UNSEEN (\d+)/.exec(text)?.[1]];
  };
  expect(await summary()).toEqual(['', '1']);
  await imap.say('STORE 1,2 +FLAGS (\\Seen)');
  expect(await summary()).toEqual(['', '3']);
  await imap.say('STORE 3 +FLAGS (\\Seen fresh)');
  expect(await summary()).toEqual(['fresh', '4']);
  await imap.say('STORE 3 FLAGS (work)');
  expect(await summary()).toEqual(['work', '3']);
  await imap.say('STORE 3,4 +FLAGS (\\Seen)');
  expect(await summary()).toEqual(['work', undefined]);
  await imap.say('STORE 4 -FLAGS (\\Seen)');
  expect(await summary()).toEqual(['work', '4']);
  // Afterwards the counters are the same.
  await imap.say('STORE 4 +FLAGS (\\Seen)');
  await imap.say('STORE 2 -FLAGS (\\Seen)');
  expect(await summary()).toEqual(['work', '2']);
  await imap.say('MOVE 2:3 Archive');
  expect(await summary()).toEqual(['', undefined]);
  for (const client of [imap, other]) client.drop();
});

test('lists of messages are read together, and are those of each', async () => {
  const imap = await logIn(await freshBox());
  for (const [subject, more] of [
    ['plain', ''],
    ['Gr\xfc\xdfe \x80\x9f\xff', 'X-Fold: one\r\n\ttwo\r\n three\r\nSubject : again\r\n'],
    ['multipart', 'Content-Type: multipart/mixed; boundary=x\r\nX-Empty:\r\nx-fold:last\r\n'],
    ['long', `X-Long: ${'word '.repeat(12)}\r\n`.repeat(1_200)],
  ])
    await append(imap, `From: a@example.org\r\nSubject: ${subject}\r\n${more}\r\n--x\r\n\r\nx\r\n--x--\r\n`);
  await openInbox(imap);
  await imap.say('STORE 2 +FLAGS (\\Flagged work)');
  const items = [
    'UID FLAGS INTERNALDATE RFC822.SIZE MODSEQ ENVELOPE BODY BODYSTRUCTURE BODY.PEEK[HEADER]',
    'BODY.PEEK[HEADER.FIELDS (SUBJECT X-Fold)] BODY.PEEK[HEADER.FIELDS.NOT (Subject)]<3.40> BODY.PEEK[HEADER]<5000.5>',
  ].join(' ');
  // Messages are listed together only if nothing else is asked for, and once their structures have been made.
  const fetchApart = async (set: string) =>
    (await imap.say(`FETCH ${set} (${items} EMAILID)`)).replaceAll(/ EMAILID \(\w+\)/g, '');
  const first = await imap.say(`FETCH 1:3 (${items})`);
  expect(first).toContain('BODY[HEADER.FIELDS (SUBJECT X-Fold)] {');
  expect(first).toContain(
    'Subject: Gr\xfc\xdfe \x80\x9f\xff\r\nX-Fold: one\r\n\ttwo\r\n three\r\nSubject : again\r\n\r\n',
  );
  for (const set of ['1:3', '2', '1,3', '4', '1:*'])
    expect(await imap.say(`FETCH ${set} (${items})`)).toBe(await fetchApart(set));
  expect(await imap.say('FETCH 1:3 (UID RFC822.SIZE INTERNALDATE)')).toBe(
    (await imap.say('FETCH 1:3 (UID RFC822.SIZE INTERNALDATE EMAILID)')).replaceAll(/ EMAILID \(\w+\)/g, ''),
  );
  imap.drop();
});

test('subjects are compared in upper case and without [fwd: …]', async () => {
  const imap = await logIn(await freshBox());
  for (const subject of ['_', 'C', 'Re: [FWD: c]', 'b', '[xyz]'])
    await append(imap, `From: a@x\r\nSubject: ${subject}\r\n\r\nx\r\n`);
  await imap.say('SELECT INBOX');
  expect(await imap.say('SORT (SUBJECT) UTF-8 ALL')).toContain('* SORT 4 2 3 5 1\r\n');
  imap.drop();
});

test('a search finds the Bcc of a message that a program has added', async () => {
  const imap = await logIn(await freshBox());
  await append(imap, 'From: a@x.org\r\nBcc: Secret <hidden@y.org>\r\nSubject: x\r\n\r\nx\r\n', 'Drafts');
  await imap.say('SELECT Drafts');
  expect(await imap.say('SEARCH BCC hidden@y')).toContain('* SEARCH 1\r\n');
  imap.drop();
});

test('a client that begins to use change numbers is told the latest one', async () => {
  const imap = await logIn(await freshBox());
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

test('LIST and LSUB with patterns that are unusual', async () => {
  const imap = await logIn(await freshBox());
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
    const box = await freshBox();
    const imap = await logIn(box);
    const raw = rawOf(box.address, order);
    const add = () => append(imap, raw, 'Sent');
    if (order === 'before') await add();
    await Promise.all([send(box, raw), order === 'while' ? add() : null]);
    if (order === 'after') await add();
    expect(await imap.say('SELECT Sent')).toContain('* 1 EXISTS');
    expect(await imap.say('FETCH 1 (FLAGS BODY.PEEK[])')).toMatch(/\\Seen[\s\S]*Hello/);
    // Webmail knows that it was sent.
    const [thread] = await world.threads(box.id, '?folder=sent');
    expect(await world.thread(thread!.id)).toMatchObject({
      messages: [{ direction: 'out', folder: 'sent' }],
    });
    await expect
      .poll(async () => (await world.thread(thread!.id)).messages[0]!.status, { timeout: 20_000 })
      .toBe('sent');
    imap.drop();
  });

  test('two messages with the same Message-ID that were not sent through us are both kept', async () => {
    const box = await freshBox();
    const imap = await logIn(box);
    await append(imap, rawOf(box.address, 'old'), 'Sent');
    await append(imap, rawOf(box.address, 'old').replace('Hello', 'Goodbye'), 'Sent');
    expect(await imap.say('SELECT Sent')).toContain('* 2 EXISTS');
    imap.drop();
  });
});

test('searching and sorting know groups, further authors, addresses without a domain, and all header fields', async () => {
  const imap = await logIn(await freshBox());
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
  const imap = await logIn(await freshBox());
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
  const box = await freshBox();
  const imap = await logIn(box);
  const several = [1, 2, 3, 4].map((no) => literal(threadMail(no))).join('');
  expect(await imap.say(`APPEND INBOX${several} (\\Seen) {0+}\r\n`)).toMatch(/^NO \[CANNOT\]/);
  const long = `(${'k'.repeat(101)})`;
  expect(await imap.say(`APPEND INBOX${several} ${long}${literal(threadMail(5))}`)).toMatch(/^NO \[LIMIT\]/);
  expect(await imap.say('STATUS INBOX (MESSAGES UIDNEXT)')).toContain('MESSAGES 0 UIDNEXT 1');
  // What fails while the last one is stored takes the others back.
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
  const box = await freshBox();
  const sessions = await Promise.all(Array.from({ length: 4 }, () => logIn(box)));
  const answers = await Promise.all(sessions.map(addSix));
  expect(answers.filter((answer) => !/^OK \[APPENDUID \d+ \d+:\d+\]/.test(answer))).toEqual([]);
  expect((await world.threads(box.id)).map(({ message_count }) => message_count)).toEqual([4, 4, 4, 4, 4, 4]);
  for (const imap of sessions) imap.drop();
});

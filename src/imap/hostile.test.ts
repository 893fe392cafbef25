import { connect as connectTls } from 'node:tls';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openImapDialogue, type ImapDialogue } from '../testing/clients/imap-dialogue.ts';
import { startMailWorld, type MailWorld } from '../testing/mail-world.ts';

let world: MailWorld;
let box: { id: string; address: string };
let password: string;
let passwordId: string;

beforeAll(async () => {
  world = await startMailWorld({ doors: ['http', 'smtp', 'imap', 'worker'] });
  box = await world.freshMailbox();
  const { body } = await world.team.call('POST', `/mailboxes/${box.id}/app-passwords`, { name: 'Test' });
  ({ password, id: passwordId } = body);
  await world.receive(box, { subject: 'Mine' });
});
afterAll(() => world.close());

function open(): Promise<ImapDialogue> {
  return openImapDialogue(world.server.imapPort);
}

async function logIn(address = box.address, secret = password): Promise<ImapDialogue> {
  const imap = await open();
  expect(await imap.say(`LOGIN ${address} ${secret}`)).toMatch(/^OK/);
  return imap;
}

test('a literal of 4 GB is refused before it is sent, and ends the connection if the client does not wait', async () => {
  const imap = await open();
  expect(await imap.say('LOGIN {4294967296}')).toMatch(/^NO \[TOOBIG\]/);
  expect(await imap.say('NOOP')).toMatch(/^OK/);
  imap.write('a LOGIN {4294967296+}\r\n');
  expect(await imap.hear(/\* BYE [^\r]*/)).toContain('too large');
  await imap.closed();
  const known = await logIn();
  expect(await known.say('APPEND INBOX {4294967296}')).toMatch(/^NO \[TOOBIG\]/);
  expect(await known.say('APPEND INBOX {99999999999999999999}')).toMatch(/^NO \[TOOBIG\]/);
  known.drop();
});

test('many literals of one command are limited together', async () => {
  const imap = await open();
  imap.write(`a LOGIN${' {8000+}\r\n'.padEnd(8_010, 'x').repeat(4)}\r\n`);
  expect(await imap.hear(/\* BYE [^\r]*/)).toContain('too large');
  await imap.closed();
});

test('a line without an end, and NUL, end the connection', async () => {
  for (const bytes of ['x'.repeat(70_000), 'a NOOP\0\r\n']) {
    const imap = await open();
    imap.write(bytes);
    expect(await imap.hear(/\* BYE [^\r]*/)).toMatch(/too long|NUL/);
    await imap.closed();
  }
});

test('10,000 commands in one write are all answered, in order', async () => {
  const imap = await logIn();
  imap.write(Array.from({ length: 10_000 }, (_, at) => `n${at} NOOP\r\n`).join(''));
  const heard = await imap.hear(/n9999 OK/);
  expect(heard.match(/n\d+ OK/g)).toHaveLength(10_000);
  imap.drop();
});

test('what is sent together with STARTTLS is not run after it', async () => {
  const imap = await open();
  imap.write('a STARTTLS\r\nb NOOP\r\n');
  const heard = await imap.hear(/b [^\r]*\r\n/);
  expect(heard).toMatch(/a BAD/);
  imap.drop();
});

test('TLS works from the first byte, and plain text on that port ends the connection', async () => {
  const imap = await openImapDialogue(world.server.imapsPort, (port) =>
    connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false }),
  );
  expect(imap.greeting).not.toContain('STARTTLS');
  imap.drop();
  await expect(openImapDialogue(world.server.imapsPort, undefined, 500)).rejects.toThrow('No answer');
});

test('deep nesting and long lists are refused', async () => {
  const imap = await logIn();
  await imap.say('SELECT INBOX');
  expect(await imap.say(`SEARCH ${'('.repeat(5_000)}ALL${')'.repeat(5_000)}`)).toMatch(
    /^BAD The search is too complex/,
  );
  expect(await imap.say(`SEARCH ${'NOT '.repeat(5_000)}ALL`)).toMatch(/^BAD The search is too complex/);
  expect(await imap.say(`SEARCH ${'OR ALL '.repeat(2_000)}ALL`)).toMatch(/^BAD The search is too complex/);
  expect(await imap.say(`FETCH ${Array.from({ length: 9_000 }, (_, at) => at + 1).join(',')} FLAGS`)).toMatch(
    /^BAD/,
  );
  expect(await imap.say('UID FETCH 1:4294967295 FLAGS')).toContain('* 1 FETCH (UID 1 FLAGS (\\Recent))');
  expect(
    await imap.say(`UID FETCH ${Array.from({ length: 9_000 }, (_, at) => at + 1).join(',')} UID`),
  ).toMatch(/OK/);
  expect(await imap.say('UID FETCH 0 FLAGS')).toMatch(/^BAD/);
  expect(await imap.say('UID FETCH 4294967296 FLAGS')).toMatch(/^BAD/);
  expect(await imap.say(`FETCH 1 (${'BODY.PEEK[] '.repeat(500)}UID)`)).toMatch(/^BAD/);
  expect(await imap.say('FETCH 1 BODY.PEEK[1.1.1.1.1.1.1]')).toContain('NIL');
  imap.drop();
});

test('numbers that no database has, many keys that read every message, and long patterns are harmless', async () => {
  const imap = await logIn();
  await imap.say('ENABLE QRESYNC');
  const [, validity] = /UIDVALIDITY (\d+)/.exec(await imap.say('SELECT INBOX'))!;
  const huge = '9999999999999999999';
  for (const command of [
    `UID FETCH 1:* FLAGS (CHANGEDSINCE ${huge})`,
    `UID STORE 1 (UNCHANGEDSINCE ${huge}) +FLAGS (a)`,
    `SEARCH MODSEQ ${huge}`,
    `SEARCH LARGER ${huge}`,
    `SEARCH YOUNGER ${huge}`,
    `SEARCH NOT UID ${Array.from({ length: 8_000 }, (_, at) => 2 * at + 1).join(',')}`,
    `SELECT INBOX (QRESYNC (${validity} ${huge}))`,
    `SELECT INBOX (QRESYNC (${validity} 1 ${Array.from({ length: 8_000 }, (_, at) => 2 * at + 1).join(',')}))`,
    `SEARCH ${'TEXT x '.repeat(49)}TEXT x`,
    `LIST "" (${Array.from({ length: 50 }, () => `"${'*a'.repeat(15)}"`).join(' ')})`,
  ])
    expect(await imap.say(command)).toMatch(/(?:^|\r\n)OK[^\r]*$/);
  for (const command of [
    `SEARCH ${'TEXT x '.repeat(50)}TEXT x`,
    `SEARCH ${'NOT HEADER x y '.repeat(50)}TEXT x`,
    `LIST "" "${'*a'.repeat(1_100)}"`,
    `LSUB "" "${'*a'.repeat(1_100)}"`,
    `LIST "" (${Array.from({ length: 50 }, () => `"${'*a'.repeat(30)}"`).join(' ')})`,
  ])
    expect(await imap.say(command)).toMatch(/^BAD/);
  imap.drop();
});

test('NUL in a name, a keyword or a text, and dates of other ages are the mistake of the client', async () => {
  const imap = await logIn();
  await imap.say('SELECT INBOX');
  const name = '{3+}\r\na\0b';
  for (const command of [
    `STATUS ${name} (MESSAGES)`,
    'STATUS "&AAA-" (MESSAGES)',
    `SUBSCRIBE ${name}`,
    `UNSUBSCRIBE ${name}`,
    `RENAME ${name} x`,
    `UID COPY 1 ${name}`,
    `APPEND ${name} {1+}\r\nx`,
    `GETQUOTAROOT ${name}`,
    `EXAMINE ${name}`,
    'SEARCH HEADER Message-ID {1+}\r\n\0',
    'APPEND INBOX "31-Dec-9999 23:59:59 -1400" {4+}\r\nx: y',
    'APPEND INBOX "01-Jan-0000 00:00:00 +0000" {4+}\r\nx: y',
  ])
    expect(await imap.say(command)).toMatch(/^(?:BAD|NO \[CANNOT\])/);
  expect(await imap.say('SEARCH KEYWORD &AAA-')).toMatch(/OK/);
  expect(await imap.say('UID STORE 1 +FLAGS (&AAA-)')).toMatch(/OK/);
  expect(await imap.say('UID STORE 1 FLAGS ()')).toMatch(/OK/);
  await imap.say('CREATE Dates');
  expect(await imap.say('APPEND Dates "01-Jan-0033 00:00:00 +0000" {4+}\r\nx: y')).toMatch(/^OK/);
  await imap.say('EXAMINE Dates');
  expect(await imap.say('FETCH 1 INTERNALDATE')).toContain('" 1-Jan-0033 00:00:00 +0000"');
  expect(await imap.say('SEARCH BEFORE 1-Jan-0034')).toContain('* SEARCH 1');
  await imap.say('UNSELECT');
  await imap.say('DELETE Dates');
  imap.drop();
});

test.each([
  '',
  ' ',
  '* ',
  'NOOP NOOP',
  'LOGIN',
  'SELECT',
  'SELECT INBOX',
  'UID NOOP',
  'AUTHENTICATE CRAM-MD5',
  'constructor',
  '__proto__',
  'UID toString',
])('%j is refused', async (command) => {
  const imap = await open();
  expect(await imap.say(command)).toMatch(/^(?:BAD|NO)/);
  expect(await imap.say('NOOP')).toMatch(/^OK/);
  imap.drop();
});

test('a mailbox sees nothing of another one', async () => {
  const other = await world.freshMailbox();
  const { body } = await world.team.call('POST', `/mailboxes/${other.id}/app-passwords`, { name: 'Test' });
  const mine = await logIn();
  await mine.say('SELECT INBOX');
  const [, emailId] = /EMAILID \((\w+)\)/.exec(await mine.say('FETCH 1 (EMAILID)'))!;
  const imap = await logIn(other.address, body.password);
  expect(await imap.say('SELECT INBOX')).toContain('* 0 EXISTS');
  expect(await imap.say('UID FETCH 1:* (FLAGS BODY.PEEK[])')).toBe('OK UID FETCH completed');
  expect(await imap.say(`UID SEARCH EMAILID ${emailId}`)).toContain('* SEARCH\r\n');
  expect(await imap.say('UID STORE 1 +FLAGS (\\Deleted)')).not.toContain('FETCH (');
  expect(await imap.say('EXPUNGE')).not.toContain('* 1');
  expect(await mine.say('FETCH 1 FLAGS')).not.toContain('Deleted');
  imap.drop();
  mine.drop();
});

test('an account has a limited number of connections', async () => {
  const many = await Promise.all(Array.from({ length: 100 }, () => open()));
  const replies = await Promise.all(many.map((imap) => imap.say(`LOGIN ${box.address} ${password}`)));
  const more = await open();
  expect(await more.say(`LOGIN ${box.address} ${password}`)).toMatch(/^NO \[LIMIT\]/);
  expect(replies.filter((reply) => reply.startsWith('OK')).length).toBeGreaterThan(90);
  for (const imap of [...many, more]) imap.drop();
});

test('revoking the app password ends the sessions that use it within a second', async () => {
  await expect
    .poll(async () => (await (await open()).say(`LOGIN ${box.address} ${password}`)).slice(0, 2))
    .toBe('OK');
  const imap = await logIn();
  await imap.say('SELECT INBOX');
  imap.write('i IDLE\r\n');
  await imap.hear(/\+ idling\r\n/);
  await world.team.call('DELETE', `/mailboxes/${box.id}/app-passwords/${passwordId}`);
  expect(await imap.hear(/\* BYE [^\r]*/)).toContain('revoked');
  await imap.closed();
});

// This test is last, because later wrong passwords are throttled.
test('three wrong passwords end the connection, and more are throttled', async () => {
  const imap = await open();
  for (let at = 0; at < 2; at += 1)
    expect(await imap.say(`LOGIN ${box.address} wrong`)).toMatch(/^NO \[AUTHENTICATIONFAILED\]/);
  imap.write(`x LOGIN ${box.address} wrong\r\n`);
  await imap.hear(/x NO [^\r]*\r\n\* BYE/);
  await imap.closed();
  const replies: string[] = [];
  for (let at = 0; at < 10; at += 1) {
    const next = await open();
    replies.push(await next.say(`LOGIN ${box.address} wrong`));
    next.drop();
  }
  expect(replies.at(-1)).toMatch(/^NO \[LIMIT\] Too many failed attempts/);
});

/** Reading, sorting and moving many messages together gives the same results as for each of them. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ImapDialogue } from '../testing/clients/imap-dialogue.ts';
import { append, openInbox, startImapWorld, type ImapWorld } from '../testing/fixtures/imap-world.ts';

let world: ImapWorld;
beforeAll(async () => {
  world = await startImapWorld();
});
afterAll(() => world.close());

function fetchedLines(text: string): string[] {
  return text.match(/\* \d+ FETCH [^\r]*/g) ?? [];
}

test('flags of many messages are read together, and are those of each', async () => {
  const box = await world.freshBox();
  const [imap, other] = [await world.logIn(box), await world.logIn(box)];
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

  // The list of UIDs is kept in memory, and must follow each change.
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
    const imap = await world.logIn(await world.freshBox());
    await fillWith(imap, COUNT, bodyOf);
    // In IMAP4rev2 no message is \Recent.
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
    const box = await world.freshBox();
    const [imap, other] = [await world.logIn(box), await world.logIn(box)];
    await fillWith(imap, COUNT, bodyOf);
    // In IMAP4rev2 no message is \Recent.
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
  const imap = await world.logIn(await world.freshBox());
  const count = 90;
  // Two have the same subject. The subjects are in reverse order, and each message is longer than the one before.
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
  const box = await world.freshBox();
  const [imap, other] = [await world.logIn(box), await world.logIn(box)];
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
  const box = await world.freshBox();
  const [imap, other] = [await world.logIn(box), await world.logIn(box)];
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
  // More changes in both directions keep the counters right.
  await imap.say('STORE 4 +FLAGS (\\Seen)');
  await imap.say('STORE 2 -FLAGS (\\Seen)');
  expect(await summary()).toEqual(['work', '2']);
  await imap.say('MOVE 2:3 Archive');
  expect(await summary()).toEqual(['', undefined]);
  for (const client of [imap, other]) client.drop();
});

test('lists of messages are read together, and are those of each', async () => {
  const imap = await world.logIn(await world.freshBox());
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
  // Messages are listed together only if nothing else is requested, and once their structures have been stored.
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

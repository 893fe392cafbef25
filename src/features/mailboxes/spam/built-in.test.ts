import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startMailWorld, type MailWorld } from '../../../testing/mail-world.ts';
import { recordLines } from '../../../testing/record-lines.ts';

let world: MailWorld;
const lines: string[] = [];

beforeAll(async () => {
  world = await startMailWorld({
    env: { DNSBL_ZONES: 'bl.example, domain:dbl.example' },
    log: recordLines(lines),
  });
});
afterAll(() => world.close());

interface Shown {
  id: string;
  folder: string;
  spam: { score: number; reasons: string[] } | null;
}

let number = 0;

/** Words that no two kinds share, and some that both have. */
function textOf(kind: 'offer' | 'letter'): string {
  number += 1;
  const own =
    kind === 'offer'
      ? 'winner casino jackpot bonus rolex pills miracle cheap million inheritance lottery urgent'
      : 'meeting invoice project schedule harbour engine drawing committee minutes agenda report budget';
  const rotated = own.split(' ');
  return [
    ...rotated.slice(number % 5),
    ...rotated.slice(0, number % 5),
    'hello',
    'thanks',
    `n${number}`,
  ].join(' ');
}

async function arrive(
  box: { id: string; address: string },
  fields: { from?: string; text?: string; more?: string },
) {
  const subject = `Mail ${(number += 1)}`;
  await world.receive(box, { subject, ...fields });
  for (const folder of ['inbox', 'spam']) {
    const threads = await world.threads(box.id, `?folder=${folder}`);
    const thread = threads.find((each) => each.subject === subject);
    if (!thread) continue;
    const { messages } = await world.thread(thread.id);
    return { ...(messages[0] as unknown as Shown), threadId: thread.id };
  }
  throw new Error('The message did not arrive.');
}

async function learned(): Promise<{ spam: number; ham: number }> {
  const { rows } = await sql<{ spam: number; ham: number }>`select spam, ham from spam_learning`.execute(
    world.server.db,
  );
  return rows[0] ?? { spam: 0, ham: 0 };
}

async function move(threadId: string, folder: string): Promise<void> {
  expect((await world.team.call('PATCH', `/threads/${threadId}`, { folder })).status).toBe(200);
}

test('ordinary mail of a stranger gets a score with reasons, and goes to the inbox', async () => {
  const box = await world.freshMailbox();
  const { folder, spam } = await arrive(box, { from: 'new@stranger.example' });
  expect(folder).toBe('inbox');
  expect(spam!.score).toBeGreaterThan(0);
  expect(spam!.score).toBeLessThan(6);
  expect(spam!.reasons).toContain('Nothing proves who sent it: neither SPF nor DKIM has passed.');
  for (const reason of spam!.reasons) expect(reason).toMatch(/^[A-Z].*\.$/);
});

test('a server and a domain on blocklists make a message spam', async () => {
  const box = await world.freshMailbox();
  world.dns.zone['1.0.0.127.bl.example'] = { A: ['127.0.0.2'] };
  world.dns.zone['listed.example.dbl.example'] = { A: ['127.0.1.2'] };
  const { folder, spam } = await arrive(box, { from: 'x@listed.example' });
  expect(folder).toBe('spam');
  expect(spam!.reasons.join(' ')).toMatch(/\(bl\.example\).*\(dbl\.example\)/);
  // An error of a list is no listing.
  world.dns.zone['1.0.0.127.bl.example'] = { A: ['127.255.255.254'] };
  const other = await arrive(box, { from: 'y@listed.example' });
  expect(other.folder).toBe('inbox');
  delete world.dns.zone['1.0.0.127.bl.example'];
});

test('mail of someone to whom the mailbox has written is never spam', async () => {
  const box = await world.freshMailbox();
  world.dns.zone['1.0.0.127.bl.example'] = { A: ['127.0.0.2'] };
  world.dns.zone['friend.example.dbl.example'] = { A: ['127.0.1.2'] };
  const { status } = await world.team.call('POST', `/mailboxes/${box.id}/messages`, {
    to: ['pat@friend.example'],
    subject: 'Question',
    text: 'When?',
    undo_seconds: 0,
  });
  expect(status).toBe(200);
  const { folder, spam } = await arrive(box, { from: 'Pat <pat@friend.example>', text: textOf('offer') });
  expect(folder).toBe('inbox');
  expect(spam!.reasons).toContain('Someone here has written to this sender before.');
  delete world.dns.zone['1.0.0.127.bl.example'];
});

test('a sender whose mail was moved to spam twice goes there, until someone takes it out', async () => {
  const box = await world.freshMailbox();
  const from = 'news@pest.example';
  for (const count of [1, 2]) {
    const { threadId, folder } = await arrive(box, { from });
    expect(folder).toBe('inbox');
    const before = await learned();
    await move(threadId, 'spam');
    await expect.poll(async () => (await learned()).spam).toBe(before.spam + 1);
    expect(count).toBeLessThan(3);
  }
  const third = await arrive(box, { from });
  expect(third.folder).toBe('spam');
  expect(third.spam!.reasons).toContain('Mail of this sender was moved to spam before.');
  for (const { id } of await world.threads(box.id, '?folder=spam')) await move(id, 'inbox');
  await expect.poll(async () => (await arrive(box, { from })).folder).toBe('inbox');
});

test('what was learned about a sender goes when the person is erased', async () => {
  const box = await world.freshMailbox();
  const from = 'Gone@pest.example';
  const before = await learned();
  const { threadId } = await arrive(box, { from });
  await move(threadId, 'spam');
  await expect.poll(async () => (await learned()).spam).toBe(before.spam + 1);
  const reasons = async () => (await arrive(box, { from })).spam!.reasons;
  expect(await reasons()).toContain('Mail of this sender was moved to spam before.');
  expect((await world.team.call('DELETE', '/contacts?email=gone@pest.example')).status).toBe(200);
  await expect.poll(reasons).not.toContain('Mail of this sender was moved to spam before.');
});

test('the words of a team are learned from what its people move, and those of another team are not touched', async () => {
  const box = await world.freshMailbox();
  const start = await learned();
  // Once enough is learned, further offers go to spam by themselves, and moving them would say nothing new.
  for (let count = 0; (await learned()).spam < 6 && count < 12; count += 1) {
    const kept = await arrive(box, { from: `h${count}@good.example`, text: textOf('letter') });
    await world.team.call('PATCH', `/messages/${kept.id}`, { read: true });
    const { threadId, folder } = await arrive(box, { from: `s${count}@many.example`, text: textOf('offer') });
    if (folder === 'spam') break;
    const { spam } = await learned();
    await move(threadId, 'spam');
    await expect.poll(async () => (await learned()).spam).toBe(spam + 1);
  }
  expect((await learned()).spam).toBeGreaterThanOrEqual(start.spam + 3);
  const offer = await arrive(box, { from: 'fresh@unseen.example', text: textOf('offer') });
  expect(offer.spam!.reasons).toContain('Its words are like those of mail that was moved to spam.');
  expect(offer.folder).toBe('spam');
  const letter = await arrive(box, { from: 'fresh2@unseen.example', text: textOf('letter') });
  expect(letter.folder).toBe('inbox');
  expect(letter.spam!.reasons).toContain('Its words are like those of mail that is kept.');
  const short = await arrive(box, { from: 'fresh3@unseen.example', text: 'cheap casino' });
  expect(short.folder).toBe('inbox');

  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from spam_words where team_id <> ${world.team.teamId}
  `.execute(world.server.db);
  expect(rows[0]!.count).toBe(0);
}, 60_000);

test('moving a message there and back twice counts once, and moving to trash counts nothing', async () => {
  const box = await world.freshMailbox();
  const { threadId } = await arrive(box, { from: 'undecided@other.example', text: textOf('letter') });
  const before = await learned();
  await move(threadId, 'trash');
  await move(threadId, 'spam');
  await expect.poll(async () => (await learned()).spam).toBe(before.spam + 1);
  await move(threadId, 'inbox');
  await expect.poll(async () => (await learned()).spam).toBe(before.spam);
  const { ham } = await learned();
  await move(threadId, 'spam');
  await expect.poll(async () => (await learned()).spam).toBe(before.spam + 1);
  await move(threadId, 'trash');
  await move(threadId, 'inbox');
  expect((await learned()).ham).toBeLessThanOrEqual(ham);
});

test('a message that cannot be scored is delivered, and the reason is logged', async () => {
  const { db } = world.server;
  const box = await world.freshMailbox();
  await sql`alter table spam_learning rename to spam_learning_away`.execute(db);
  try {
    expect(await arrive(box, {})).toMatchObject({ folder: 'inbox', spam: null });
  } finally {
    await sql`alter table spam_learning_away rename to spam_learning`.execute(db);
  }
  expect(lines).toEqual(['receiving: a message is delivered without a spam score']);
});

/**
 * What the built-in spam score of a received message costs: CPU time of hashing its words, of PostgreSQL and of the score.
 * The team has taught 200 messages of both kinds, so the words of each message are looked up.
 */
import { sql } from 'kysely';
import { readHistory } from '../src/features/mailboxes/spam/read-history.ts';
import { readTaught } from '../src/features/mailboxes/spam/learned-words.ts';
import { scoreMessage } from '../src/features/mailboxes/spam/score-message.ts';
import { createWordHasher, type HashWords } from '../src/features/mailboxes/spam/words.ts';
import { parseAddress } from '../src/mail/mime/address.ts';
import { parseNow, type ParsedMessage } from '../src/mail/mime/parse/parse-message.ts';
import { loadInstanceSecret } from '../src/platform/crypto.ts';
import { cpuMsOf } from './cpu-time.ts';
import type { Posthorn } from './posthorn.ts';
import { receivedMessage } from './received-messages.ts';

const TAUGHT = 200;
const FIRST_TAUGHT = 1_000_000;
const WARM_UP = 500;
const MESSAGES = 3_000;
/** Messages that arrive at the same time share statements. The benchmark of receiving has 20 connections. */
const AT_ONCE = 10;

interface Mailbox {
  teamId: number;
  mailboxId: string;
  address: string;
}

/** Returns microseconds. */
export async function measureSpamScore(posthorn: Posthorn, postgresPid: number): Promise<number> {
  const { db } = posthorn.database;
  const { rows } = await sql<Mailbox>`
    select team_id as "teamId", id as "mailboxId", address from mailboxes limit 1
  `.execute(db);
  const mailbox = rows[0]!;
  const hashWords = createWordHasher(loadInstanceSecret(posthorn.dataDir));
  await teach(posthorn, mailbox, hashWords);
  const messages = Array.from({ length: WARM_UP + MESSAGES }, (_, no) => parse(no + 1, mailbox.address));
  const score = async (some: ParsedMessage[]) => {
    for (let at = 0; at < some.length; at += AT_ONCE)
      await Promise.all(
        some.slice(at, at + AT_ONCE).map((parsed) => scoreOne(posthorn, mailbox, hashWords, parsed)),
      );
  };
  await score(messages.slice(0, WARM_UP));
  const [own, theirs] = [process.cpuUsage(), cpuMsOf([postgresPid])];
  await score(messages.slice(WARM_UP));
  const { user, system } = process.cpuUsage(own);
  return (user + system + (cpuMsOf([postgresPid]) - theirs) * 1000) / MESSAGES;
}

function parse(no: number, address: string): ParsedMessage {
  return parseNow(Buffer.from(receivedMessage(no, address)));
}

async function scoreOne(
  { database: { db } }: Posthorn,
  { teamId, mailboxId }: Mailbox,
  hashWords: HashWords,
  parsed: ParsedMessage,
): Promise<void> {
  const senderKey = parseAddress(parsed.from?.address ?? '')?.key ?? null;
  scoreMessage({
    authentication: { spf: 'pass', dkim: 'pass', dmarc: 'pass' },
    isUnwanted: false,
    ip: '192.0.2.1',
    authorDomain: null,
    listings: { server: [], domain: [] },
    history: await readHistory(db, { teamId, mailboxId, senderKey, references: [] }),
    taught: await readTaught(db, teamId, hashWords(teamId, parsed)),
  });
}

/** As if people had moved every second of these messages to spam. */
async function teach(
  { database: { db } }: Posthorn,
  { teamId, address }: Mailbox,
  hashWords: HashWords,
): Promise<void> {
  const counts = new Map<number, [spam: number, ham: number]>();
  for (let no = 0; no < 2 * TAUGHT; no += 1)
    for (const word of hashWords(teamId, parse(FIRST_TAUGHT + no, address)).words) {
      const count = counts.get(word) ?? [0, 0];
      count[no % 2]! += 1;
      counts.set(word, count);
    }
  const of = (kind: 0 | 1) => [...counts.values()].map((count) => count[kind]);
  await sql`insert into spam_learning (team_id, spam, ham) values (${teamId}, ${TAUGHT}, ${TAUGHT})`.execute(
    db,
  );
  await sql`
    insert into spam_words (team_id, word, spam, ham)
    select ${teamId}, * from unnest(${[...counts.keys()].map(String)}::bigint[], ${of(0)}::integer[], ${of(1)}::integer[])
  `.execute(db);
  await sql`analyze spam_words`.execute(db);
}

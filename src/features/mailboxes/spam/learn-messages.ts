/**
 * The job that teaches the filter what people have moved: rspamd if there is one, and the words of the team otherwise.
 * People move much more into spam than out of it. So that the words of all mail do not look like those of spam, messages
 * that were read and kept are learned beside each one that was moved to spam (decision 55). Without them, rspamd would
 * never use what it has learned, because it wants 200 messages of both kinds first.
 */
import { sql } from 'kysely';
import { parseMessage } from '../../../mail/offload/parse-message.ts';
import { teachRspamd } from '../../../mail/spam/rspamd.ts';
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import type { Row } from '../../../platform/database/rows.ts';
import { readMessageSource } from '../reading/messages.ts';
import { createWordHasher, type HashWords } from './words.ts';

type Kind = Row<'spam_learned'>['kind'];

interface Learnable {
  id: Row<'messages'>['id'];
  kind: Kind;
  /** What it was learned as before. */
  before: Kind | null;
  mailboxId: Row<'messages'>['mailbox_id'];
}

/** How many kept messages are learned for each one in spam. More of them make false alarms rare (decision 55). */
export const KEPT_FOR_EACH = 6;

interface Teaching {
  teamId: number;
  kind: Kind;
  messageIds: string[];
}

export async function learnMessages(
  db: Db,
  { secret, rspamdUrl }: { secret: Buffer; rspamdUrl: string | null },
  { teamId, kind, messageIds }: Teaching,
): Promise<void> {
  const hashWords = createWordHasher(secret);
  const learn = (message: Learnable) =>
    rspamdUrl === null
      ? learnWords(db, teamId, message, hashWords)
      : learnByRspamd(db, teamId, message, rspamdUrl);
  const messages = await findLearnable(db, teamId, kind, messageIds);
  for (const message of messages) await learn(message);
  for (const { mailboxId } of kind === 'spam' ? messages : [])
    for (const id of await findKept(db, teamId, mailboxId))
      await learn({ id, kind: 'ham', before: null, mailboxId });
  if (messages.length > 0) await dropSurplus(db, teamId);
}

/** Messages that were written here, and those that are learned already, are left out. */
async function findLearnable(db: Db, teamId: number, kind: Kind, messageIds: string[]): Promise<Learnable[]> {
  const { rows } = await sql<Learnable>`
    select m.id, ${kind}::text as kind, l.kind as before, m.mailbox_id as "mailboxId" from messages m
    left join spam_learned l on l.team_id = m.team_id and l.message_id = m.id
    where m.team_id = ${teamId} and m.id = any(${messageIds}::uuid[]) and m.direction = 'in'
      and (m.folder = 'spam') = ${kind === 'spam'} and l.kind is distinct from ${kind}
    order by m.id
  `.execute(db);
  return rows;
}

/**
 * The newest messages that were read and kept, and that are not learned yet. None while enough are known. The counts of
 * words say nothing about what rspamd knows, so the list of learned messages decides.
 */
async function findKept(db: Db, teamId: number, mailboxId: string): Promise<string[]> {
  const { rows } = await sql<Row<'messages', 'id'>>`
    select m.id from messages m
    where m.team_id = ${teamId} and m.mailbox_id = ${mailboxId} and m.folder in ('inbox', 'archive')
      and m.read and m.direction = 'in'
      and not exists (select from spam_learned l where l.team_id = m.team_id and l.message_id = m.id)
      and (
        select count(*) filter (where l.kind = 'ham') < ${KEPT_FOR_EACH}::integer * count(*) filter (where l.kind = 'spam')
        from spam_learned l where l.team_id = ${teamId}
      )
    order by m.created_at desc, m.id desc limit ${KEPT_FOR_EACH}
  `.execute(db);
  return rows.map(({ id }) => id);
}

async function learnByRspamd(db: Db, teamId: number, { id, kind }: Learnable, url: string): Promise<void> {
  const raw = await readMessageSource(db, teamId, id);
  if (raw) await teachRspamd(url, raw, kind);
  await note(db, teamId, id, kind);
}

async function learnWords(
  db: Db,
  teamId: number,
  { id, kind, before }: Learnable,
  hashWords: HashWords,
): Promise<void> {
  const raw = await readMessageSource(db, teamId, id);
  if (!raw) return;
  const { sender, words } = hashWords(teamId, await parseMessage(raw));
  const hashes = sender === null ? words : [...words, sender];
  const change = (of: Kind) => Number(kind === of) - Number(before === of);
  await inTransaction(db, async (trx) => {
    await sql`
      insert into spam_learning as l (team_id, spam, ham)
      values (${teamId}, greatest(${change('spam')}::integer, 0), greatest(${change('ham')}::integer, 0))
      on conflict (team_id) do update set
        spam = greatest(l.spam + ${change('spam')}::integer, 0), ham = greatest(l.ham + ${change('ham')}::integer, 0)
    `.execute(trx);
    await sql`
      insert into spam_words as w (team_id, word, spam, ham)
      select ${teamId}, word, greatest(${change('spam')}::integer, 0), greatest(${change('ham')}::integer, 0)
      from unnest(${hashes.map(String)}::bigint[]) as word order by word
      on conflict (team_id, word) do update set seen_on = current_date,
        spam = greatest(w.spam + ${change('spam')}::integer, 0), ham = greatest(w.ham + ${change('ham')}::integer, 0)
    `.execute(trx);
    await note(trx, teamId, id, kind);
  });
}

async function note(db: Db, teamId: number, messageId: string, kind: Kind): Promise<void> {
  await sql`
    insert into spam_learned (team_id, message_id, kind) values (${teamId}, ${messageId}, ${kind})
    on conflict (team_id, message_id) do update set kind = excluded.kind, learned_at = now()
  `.execute(db);
}

/** A team keeps this many words. The rarest go first, of those the oldest. */
const MAX_WORDS = 50_000;
/** A message that was learned before cannot be taken back any more. */
const MAX_LEARNED = 10_000;

async function dropSurplus(db: Db, teamId: number): Promise<void> {
  await sql`
    delete from spam_words where team_id = ${teamId} and word in (
      select word from spam_words where team_id = ${teamId} order by spam + ham desc, seen_on desc offset ${MAX_WORDS}
    )
  `.execute(db);
  await sql`
    delete from spam_learned where team_id = ${teamId} and message_id in (
      select message_id from spam_learned where team_id = ${teamId} order by learned_at desc offset ${MAX_LEARNED}
    )
  `.execute(db);
}

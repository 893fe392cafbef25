/** Reads in one statement what is known of a sender and of the words of a message. */
import { sql } from 'kysely';
import { toJson, type Db } from '../../../platform/database/database.ts';
import { keyOfPerson } from '../storage/participants.ts';
import { mailOfPerson } from '../storage/of-person.ts';
import { learnedColumns, learningOf, toLearned, type LearnedRow } from './learned-words.ts';
import type { MessageWords } from './words.ts';
import type { Learned, WordCount } from './word-score.ts';

export interface SenderHistory {
  /** The mailbox has written to the sender, or the message answers one of the mailbox. */
  isCorrespondent: boolean;
  /** Earlier messages of the sender that were read and are neither in spam nor in trash. */
  kept: number;
  isFirst: boolean;
  /** How often mail of the sender was moved to spam, and out of it, in the team. */
  sender: WordCount;
  learned: Learned;
  words: WordCount[];
}

interface Asked {
  teamId: number;
  mailboxId: string;
  senderKey: string | null;
  /** The Message-IDs that the message refers to. */
  references: readonly string[];
  words: MessageWords;
}

const MAX_COMPARED = 50;
const MAX_REFERENCES = 50;

interface Correspondence {
  d: 'in' | 'out';
  s: string;
  t: string[];
  k: boolean;
}

interface HistoryRow extends LearnedRow {
  answers: boolean;
  mail: Correspondence[] | null;
}

export async function readHistory(db: Db, asked: Asked): Promise<SenderHistory> {
  const { teamId, mailboxId, senderKey, references } = asked;
  const { sender } = asked.words;
  const hashes = sender === null ? asked.words.words : [sender, ...asked.words.words];
  const { rows } = await sql<HistoryRow>`
    select ${learnedColumns(teamId, hashes)},
      exists (
        select from json_array_elements_text(${toJson(references.slice(-MAX_REFERENCES))}::json) as referred (id)
        cross join lateral (
          select from messages where team_id = ${teamId} and mailbox_id = ${mailboxId} and direction = 'out'
            and message_id = referred.id limit 1
        ) answered
      ) as answers,
      case when ${senderKey !== null} then (
        select json_agg(json_build_object('d', direction, 's', sender, 't', to_addresses || cc_addresses,
          'k', read and folder not in ('spam', 'trash')))
        from (
          select direction, sender, to_addresses, cc_addresses, read, folder
          from ${mailOfPerson({ teamId, mailboxId, addressKey: senderKey ?? '' })} m
          limit ${MAX_COMPARED}
        ) found
      ) end as mail
    from ${learningOf(teamId)}
  `.execute(db);
  return toHistory(rows[0]!, asked);
}

function toHistory({ answers, mail, ...row }: HistoryRow, { senderKey, words }: Asked): SenderHistory {
  const { learned, counts } = toLearned(row);
  const nothing = { spam: 0, ham: 0 };
  const letters = mail ?? [];
  const received = letters.filter(({ d, s }) => d === 'in' && keyOfPerson(s) === senderKey);
  const hasWritten = letters.some(
    ({ d, t }) => d === 'out' && t.some((person) => keyOfPerson(person) === senderKey),
  );
  return {
    isCorrespondent: answers || hasWritten,
    kept: received.filter(({ k }) => k).length,
    isFirst: received.length === 0,
    sender: (words.sender !== null && counts.get(words.sender)) || nothing,
    learned,
    words: words.words.flatMap((word) => counts.get(word) ?? []),
  };
}

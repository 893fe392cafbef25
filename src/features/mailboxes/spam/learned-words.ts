/** What a team has taught the filter about words. Messages that arrive at the same time share the statement. */
import { createBatcher } from '../../../platform/database/batcher.ts';
import { statement, type Db } from '../../../platform/database/database.ts';
import type { Row } from '../../../platform/database/rows.ts';
import type { MessageWords } from './words.ts';
import type { Learned, WordCount } from './word-score.ts';

export interface Taught {
  learned: Learned;
  /** How often mail of the sender was moved to spam, and out of it. */
  sender: WordCount;
  /** The words of the message that are known. */
  words: WordCount[];
}

interface LearnedWords {
  learned: Learned;
  counts: ReadonlyMap<number, WordCount>;
}

interface LearnedRow {
  spam: Row<'spam_learning'>['spam'];
  ham: Row<'spam_learning'>['ham'];
  words: [word: number, spam: number, ham: number][] | null;
}

const NEVER: WordCount = { spam: 0, ham: 0 };

export async function readTaught(db: Db, teamId: number, { sender, words }: MessageWords): Promise<Taught> {
  const hashes = sender === null ? words : [sender, ...words];
  const { learned, counts } = await readShared(db, { teamId, hashes });
  return {
    learned,
    sender: (sender !== null && counts.get(sender)) || NEVER,
    words: words.flatMap((word) => counts.get(word) ?? []),
  };
}

const readShared = createBatcher<{ teamId: number; hashes: readonly number[] }, LearnedWords>({
  keyOf: ({ teamId }) => String(teamId),
  async work(db, asked) {
    const all = await readLearned(db, asked[0].teamId, [...new Set(asked.flatMap(({ hashes }) => hashes))]);
    return asked.map(() => all);
  },
});

/** The words are JSON, because PostgreSQL would make a plan for each number of values of an array. */
async function readLearned(db: Db, teamId: number, hashes: number[]): Promise<LearnedWords> {
  const [row] = await statement<LearnedRow>(db)`
    select l.spam, l.ham, (
      select json_agg(json_build_array(known.word, known.spam, known.ham))
      from json_array_elements_text(${JSON.stringify(hashes)}::json) as asked (word)
      cross join lateral (
        select word, spam, ham from spam_words where team_id = l.team_id and word = asked.word::bigint limit 1
      ) known
    ) as words
    from spam_learning l where l.team_id = ${teamId}`;
  return {
    learned: row ? { spam: row.spam, ham: row.ham } : NEVER,
    counts: new Map((row?.words ?? []).map(([word, spam, ham]) => [word, { spam, ham }])),
  };
}

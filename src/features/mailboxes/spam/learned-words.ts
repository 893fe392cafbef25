/** What the filter of a team has learned about words. */
import { sql, type RawBuilder } from 'kysely';
import type { Row } from '../../../platform/database/rows.ts';
import type { Learned, WordCount } from './word-score.ts';

export interface LearnedRow {
  spam: Row<'spam_learning'>['spam'] | null;
  ham: Row<'spam_learning'>['ham'] | null;
  words: [word: number, spam: number, ham: number][] | null;
}

/**
 * The columns of a LearnedRow. Expects `learningOf` in `from`. The words are JSON, because PostgreSQL would make a plan
 * for each number of values of an array.
 */
export function learnedColumns(teamId: number, hashes: readonly number[]): RawBuilder<LearnedRow> {
  return sql`l.spam, l.ham,
    case when l.team_id is not null then (
      select json_agg(json_build_array(known.word, known.spam, known.ham))
      from json_array_elements_text(${JSON.stringify(hashes)}::json) as asked (word)
      cross join lateral (
        select word, spam, ham from spam_words where team_id = ${teamId} and word = asked.word::bigint limit 1
      ) known
    ) end as words`;
}

/** One row, also for a team that has taught nothing. */
export function learningOf(teamId: number): RawBuilder<unknown> {
  return sql`(select) as one left join spam_learning l on l.team_id = ${teamId}`;
}

export function toLearned({ spam, ham, words }: LearnedRow): {
  learned: Learned;
  counts: Map<number, WordCount>;
} {
  return {
    learned: { spam: spam ?? 0, ham: ham ?? 0 },
    counts: new Map((words ?? []).map(([word, inSpam, inHam]) => [word, { spam: inSpam, ham: inHam }])),
  };
}

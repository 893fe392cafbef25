/** The spam score of an email before it is sent: by rspamd if there is one, and by what the team has taught otherwise. */
import { parseMessage } from '../../../mail/offload/parse-message.ts';
import { createRspamd, round } from '../../../mail/spam/rspamd.ts';
import { sql } from 'kysely';
import type { Row } from '../../../platform/database/rows.ts';
import type { Db } from '../../../platform/database/database.ts';
import type { ScoreContent } from '../../instance/facts.ts';
import { weightyReasons, SPAM_ACTIONS } from './judge-arrival.ts';
import { judgeWords, SPAM_FROM } from './score-message.ts';
import type { WordCount } from './word-score.ts';
import { createWordHasher } from './words.ts';

interface ScoreTools {
  rspamdUrl: string | null;
  secret: Buffer;
  mailHost: string;
}

export function createContentScore({ rspamdUrl, secret, mailHost }: ScoreTools): ScoreContent {
  // A failure is no trouble of the server: the caller learns that there is no score.
  const rspamd = rspamdUrl === null ? null : createRspamd(rspamdUrl, () => {});
  const hashWords = createWordHasher(secret);
  return async (db, teamId, { raw, from, to }) => {
    if (rspamd) {
      const envelope = { ip: null, helo: '', mailFrom: from, recipients: [to], mta: mailHost, queueId: '' };
      const result = await rspamd.check(raw, envelope);
      if (!result) return null;
      const isSpam = result.score >= SPAM_FROM || SPAM_ACTIONS.has(result.action.toLowerCase());
      return {
        by: 'rspamd',
        score: result.score,
        spamFrom: SPAM_FROM,
        isSpam,
        reasons: weightyReasons(result.symbols),
      };
    }
    const { words } = hashWords(teamId, await parseMessage(raw));
    const reasons = judgeWords(await readWords(db, teamId, words));
    const score = round(reasons.reduce((sum, { points }) => sum + points, 0));
    return {
      by: 'built-in',
      score,
      spamFrom: SPAM_FROM,
      isSpam: score >= SPAM_FROM,
      reasons: reasons.map(({ sentence }) => sentence),
    };
  };
}

async function readWords(db: Db, teamId: number, hashes: number[]) {
  const { rows } = await sql<Row<'spam_learning', 'spam' | 'ham'> & { words: WordCount[] | null }>`
    select l.spam, l.ham, (
      select json_agg(json_build_object('spam', spam, 'ham', ham)) from spam_words
      where team_id = ${teamId} and word = any(${hashes.map(String)}::bigint[])
    ) as words
    from spam_learning l where l.team_id = ${teamId}
  `.execute(db);
  const { spam = 0, ham = 0, words = null } = rows[0] ?? {};
  return { learned: { spam, ham }, words: words ?? [] };
}

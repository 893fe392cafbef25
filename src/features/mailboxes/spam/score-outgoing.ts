/** The spam score of an email before it is sent: by rspamd if there is one, and by what the team has taught otherwise. */
import { parseMessage } from '../../../mail/offload/parse-message.ts';
import { createRspamd, round } from '../../../mail/spam/rspamd.ts';
import type { ScoreContent } from '../../instance/facts.ts';
import { toVerdict } from './judge-arrival.ts';
import { readTaught } from './learned-words.ts';
import { judgeWords, SPAM_FROM } from './score-message.ts';
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
      const { score, isSpam, reasons } = toVerdict(result, result.score >= SPAM_FROM);
      return { by: 'rspamd', score, spamFrom: SPAM_FROM, isSpam, reasons };
    }
    const { words } = hashWords(teamId, await parseMessage(raw));
    const reasons = judgeWords(await readTaught(db, teamId, { sender: null, words }));
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

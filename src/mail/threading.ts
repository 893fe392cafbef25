/** What makes messages a conversation: the ids that a message names, and what its subject is about. */
export interface Ancestry {
  inReplyTo: string | null;
  references: string[];
}

const MAX_IDS = 50;
const MESSAGE_ID = /<[^<>\s]{1,995}>/g;

/** Oldest ancestor first, the nearest last (RFC 5322 section 3.6.4). Where there are too many the nearest are kept. */
export function referencedIds(message: Ancestry): string[] {
  const ids = [...message.references, ...(message.inReplyTo?.match(MESSAGE_ID) ?? [])];
  // A Set keeps the first place of each; the nearest one counts, so it is filled from the end.
  const nearestFirst = new Set(ids.toReversed());
  return [...nearestFirst].slice(0, MAX_IDS).toReversed();
}

// Marks of replies and forwards, in the languages whose mail programs translate them, with a count as in `Re[2]:`.
const MARKS = (
  're aw sv vs antw odp ynt rif res ref atb bls vl ha yl r fw fwd wg tr rv enc pd doorst i vb továbbítás válasz ' +
  '回复 回覆 答复 转发 轉寄 转寄 返信 転送 답장 전달 отв пересл σχετ πρθ'
).split(' ');
// All three are read where every run of white space has become one blank.
const LEADING_MARK = new RegExp(
  `^(?:${MARKS.join('|')}) ?(?:(?:\\[\\d{1,4}\\]|\\(\\d{1,4}\\)) ?)?[:：] ?`,
  'iu',
);
const LEADING_TAG = /^\[[^[\]]{0,80}\]\s*/u;
const TRAILING_FORWARD = / ?\(fwd\)$/iu;
const MAX_LENGTH = 1_000;

/** An empty one tells nothing: messages without a subject are not about the same thing. */
export function baseSubject(subject: string): string {
  let rest = subject.slice(0, MAX_LENGTH).toWellFormed().replaceAll(/\s+/gu, ' ').trim();
  for (;;) {
    const bare = rest.replace(LEADING_MARK, '').replace(TRAILING_FORWARD, '');
    // RFC 5256 section 2.1: a tag is taken off only where something is left behind it.
    const untagged = bare.replace(LEADING_TAG, '');
    const next = untagged === '' ? bare : untagged;
    if (next === rest) return rest.toLowerCase();
    rest = next;
  }
}

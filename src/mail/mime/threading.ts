/** Reads the values that connect the messages of a thread: the referenced IDs and the base subject. */
export interface MessageIds {
  inReplyTo: string | null;
  references: string[];
}

const MAX_IDS = 50;
const MESSAGE_ID = /<[^<>\s]{1,995}>/g;

/** Oldest ancestor first (RFC 5322 section 3.6.4). If there are too many IDs, the nearest ancestors are kept. */
export function referencedIds(message: MessageIds): string[] {
  const ids = [...message.references, ...(message.inReplyTo?.match(MESSAGE_ID) ?? [])];
  // A Set keeps the first position of each ID. It is filled from the end, so that the nearest position counts.
  const nearestFirst = new Set(ids.toReversed());
  return [...nearestFirst].slice(0, MAX_IDS).toReversed();
}

// Reply and forward prefixes in the languages that email apps use, with an optional count as in `Re[2]:`.
const PREFIXES = (
  're aw sv vs antw odp ynt rif res ref atb bls vl ha yl r fw fwd wg tr rv enc pd doorst i vb továbbítás válasz ' +
  '回复 回覆 答复 转发 轉寄 转寄 返信 転送 답장 전달 отв пересл σχετ πρθ'
).split(' ');
// These patterns expect text in which white space is collapsed to single spaces.
const LEADING_PREFIX = new RegExp(
  `^(?:${PREFIXES.join('|')}) ?(?:(?:\\[\\d{1,4}\\]|\\(\\d{1,4}\\)) ?)?[:：] ?`,
  'iu',
);
const LEADING_TAG = /^\[[^[\]]{0,80}\]\s*/u;
const TRAILING_FORWARD = / ?\(fwd\)$/iu;
/** A forwarded message in the form of RFC 5256, `[fwd: Subject]`. */
const FORWARDED = /^\[fwd: ?(.*)\]$/iu;
const MAX_LENGTH = 1_000;

/** Messages without a subject are not related, so callers must ignore an empty result. */
export function baseSubject(subject: string): string {
  let rest = subject.slice(0, MAX_LENGTH).toWellFormed().replaceAll(/\s+/gu, ' ').trim();
  for (;;) {
    const bare = rest
      .replace(LEADING_PREFIX, '')
      .replace(TRAILING_FORWARD, '')
      .replace(FORWARDED, '$1')
      .trim();
    // RFC 5256 section 2.1: a tag is removed only if text remains after it.
    const untagged = bare.replace(LEADING_TAG, '');
    const next = untagged === '' ? bare : untagged;
    if (next === rest) return rest.toLowerCase();
    rest = next;
  }
}

/** True if the subject marks a reply or a forwarded message. */
export function isReplySubject(subject: string): boolean {
  const plain = subject.slice(0, MAX_LENGTH).toWellFormed().replaceAll(/\s+/gu, ' ').trim();
  const untagged = plain.replace(LEADING_TAG, '');
  return [plain, untagged].some((text) =>
    [LEADING_PREFIX, TRAILING_FORWARD, FORWARDED].some((pattern) => pattern.test(text)),
  );
}

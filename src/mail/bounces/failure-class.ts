/**
 * Puts every failed attempt into one class of a closed list, from the text of the reply, its enhanced code (RFC 3463) and
 * its basic code. Words come before codes, because large providers use a few codes for everything: 5.7.1 may be a spam
 * filter, a blocklist or a missing mailbox. Each rule is a list of texts that are looked for, so it takes linear time.
 */
import type { FailureClass } from './failure-classes.ts';
import { REPLY_RULES } from './failure-rules.ts';

export interface FailedAttempt {
  /** Null if there was no reply. */
  code: number | null;
  enhanced: string | null;
  /** The text of the reply, or our own description if there was none. */
  text: string;
}

const MAX_TEXT_LENGTH = 1_000;

/** The detail of RFC 3463 after the class, such as `1.1`. */
const BY_ENHANCED: readonly (readonly [RegExp, FailureClass])[] = [
  [/^1\.2$/, 'bad_domain'],
  [/^1\.(?:1|3|4|6)$/, 'invalid_recipient'],
  [/^1\.10$/, 'bad_domain'],
  [/^1\.(?:7|8)$/, 'invalid_sender'],
  [/^2\.1$/, 'inactive_mailbox'],
  [/^2\.2$/, 'quota'],
  [/^(?:2\.3|3\.4)$/, 'too_large'],
  [/^3\.1$/, 'quota'],
  [/^3\./, 'server'],
  [/^4\.(?:1|2)$/, 'network'],
  [/^4\.3$/, 'dns'],
  [/^4\.(?:4|6)$/, 'routing'],
  [/^4\.7$/, 'expired'],
  [/^5\.3$/, 'rate_limit'],
  [/^5\./, 'protocol'],
  [/^6\./, 'content'],
  [/^7\.(?:7|8|9|20|21|22|23|24|25|26|27|30|32)$/, 'authentication'],
  [/^7\.(?:10|11)$/, 'tls'],
  [/^7\.(?:17|18)$/, 'invalid_recipient'],
  [/^7\.28$/, 'rate_limit'],
  [/^7\./, 'policy'],
];

const BY_CODE = new Map<number, FailureClass>([
  [421, 'server'],
  [432, 'server'],
  [451, 'server'],
  [452, 'server'],
  [500, 'protocol'],
  [501, 'protocol'],
  [502, 'protocol'],
  [503, 'protocol'],
  [504, 'protocol'],
  [511, 'invalid_recipient'],
  [523, 'too_large'],
  [530, 'authentication'],
  [534, 'authentication'],
  [535, 'authentication'],
  [538, 'tls'],
  [541, 'policy'],
  [551, 'invalid_recipient'],
  [552, 'quota'],
  [553, 'invalid_recipient'],
  [556, 'bad_domain'],
  [571, 'policy'],
]);

export function failureClass({ code, enhanced, text }: FailedAttempt): FailureClass {
  const words = normalize(text);
  const byText = REPLY_RULES.find(([, texts]) => texts.some((part) => words.includes(part)));
  if (byText) return byText[0];
  if (code === null && enhanced === null) return 'other';
  const detail = enhanced?.slice(2) ?? '';
  const byEnhanced = BY_ENHANCED.find(([pattern]) => pattern.test(detail));
  return byEnhanced?.[1] ?? (code === null ? 'other' : (BY_CODE.get(code) ?? 'other'));
}

/** Lower case, with single spaces and without accents, so that the rules need one spelling. */
function normalize(text: string): string {
  const plain = text.slice(0, MAX_TEXT_LENGTH).normalize('NFKD').toLowerCase();
  return ` ${plain.split(/\s+/).join(' ')} `;
}

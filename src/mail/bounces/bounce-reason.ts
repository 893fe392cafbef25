/**
 * Classifies bounces into the reasons that a report shows. The replies themselves stay with the events of each email.
 */

export const BOUNCE_REASONS = [
  'unknown_address',
  'unknown_domain',
  'mailbox_full',
  'mailbox_disabled',
  'blocked',
  'too_large',
  'content',
  'unreachable',
  'other',
] as const;

export type BounceReason = (typeof BOUNCE_REASONS)[number];

export interface BouncedMessage {
  /** RFC 3463, such as `5.1.1`. */
  enhanced: string | null;
  /** The reply of the server, or our own description if there was none. */
  text: string;
  /** True if the server said that the address does not exist. */
  isBadAddress: boolean;
  /** True if the retries ended without a permanent rejection. */
  gaveUp: boolean;
}

/** RFC 3463 section 3, without the class. */
const BY_CODE: readonly (readonly [RegExp, BounceReason])[] = [
  [/^1\.2$/, 'unknown_domain'],
  [/^1\.(?:1|3|6|10)$/, 'unknown_address'],
  [/^2\.1$/, 'mailbox_disabled'],
  [/^2\.2$/, 'mailbox_full'],
  [/^(?:2\.3|3\.4)$/, 'too_large'],
  [/^4\.[1-7]$/, 'unreachable'],
  [/^6\./, 'content'],
  [/^7\./, 'blocked'],
];

const BY_TEXT: readonly (readonly [RegExp, BounceReason])[] = [
  [/quota|(?:mailbox|inbox|storage) (?:is )?full|insufficient (?:system )?storage/i, 'mailbox_full'],
  [/spam|block|black ?list|denied|policy|reputation|spf|dkim|dmarc|greylist|rate limit|rbl/i, 'blocked'],
  [/(?:domain|host) (?:unknown|not found|does not exist)|no mail server/i, 'unknown_domain'],
  [/disabled|suspended|inactive/i, 'mailbox_disabled'],
  [/too large|size limit|exceeds/i, 'too_large'],
];

export function bounceReason({ enhanced, text, isBadAddress, gaveUp }: BouncedMessage): BounceReason {
  const code = enhanced?.slice(2) ?? '';
  const byCode = BY_CODE.find(([pattern]) => pattern.test(code));
  if (byCode) return byCode[1];
  if (isBadAddress) return 'unknown_address';
  const byText = BY_TEXT.find(([pattern]) => pattern.test(text));
  if (byText) return byText[1];
  return gaveUp ? 'unreachable' : 'other';
}

/**
 * Which header fields a customer may set, for the HTTP API and SMTP submission. Over HTTP a caller cannot set the
 * fields in this table: fields that we write ourselves (duplicates would be ambiguous), fields that record the
 * message's path (trace, check results, loop detection), fields that mail software treats like an envelope (Resent-*,
 * Apparently-To), and all of Content-*, which changes how the body is interpreted. All other fields are allowed: X-*,
 * List-*, In-Reply-To, References, Precedence, Feedback-ID, Auto-Submitted, Importance and so on.
 *
 * Over SMTP the client composes the message, so the table has a rule for each field:
 * - `kept`: part of every message, written by a relaying server (Received), or verifiable by itself (DKIM-Signature,
 *   ARC-*).
 * - `own-domain`: names someone who is responsible for the message. The team must be allowed to send from that
 *   address, as for From.
 * - `removed`: only the receiving side can know it, so a customer's version would be a false claim; or it must not be
 *   visible (Bcc).
 */

export type SubmissionRule = 'kept' | 'own-domain' | 'removed';

const MAX_NAME_LENGTH = 76;
const MAX_VALUE_LENGTH = 8_000;

// RFC 5322 section 2.2: printable ASCII without the colon.
const FIELD_NAME = /^[!-9;-~]+$/;
const CONTROL = /[\p{Cc}\u2028\u2029]/u;
const RULES = new Map<string, SubmissionRule>([
  ['from', 'kept'], // Checked separately, because it decides which domain signs.
  ['sender', 'own-domain'],
  ['reply-to', 'kept'],
  ['to', 'kept'],
  ['cc', 'kept'],
  ['bcc', 'removed'],
  ['subject', 'kept'],
  ['date', 'kept'],
  ['message-id', 'kept'],
  ['mime-version', 'kept'],
  ['resent-from', 'own-domain'],
  ['resent-sender', 'own-domain'],
  ['resent-bcc', 'removed'],
  ['return-path', 'removed'],
  ['received', 'kept'],
  ['received-spf', 'removed'],
  ['authentication-results', 'removed'],
  ['dkim-signature', 'kept'],
  ['domainkey-signature', 'kept'],
  ['delivered-to', 'kept'],
  ['original-recipient', 'removed'],
  ['apparently-to', 'removed'],
  ['errors-to', 'removed'],
]);
/** Other fields with these prefixes are kept in submissions and rejected over HTTP. */
const PREFIXES = ['content-', 'resent-', 'arc-'];
// The grammars of these fields do not allow encoded words.
const ASCII_ONLY = new Set([
  'in-reply-to',
  'references',
  'auto-submitted',
  'precedence',
  'list-unsubscribe',
  'list-unsubscribe-post',
]);

/** True when a caller of the HTTP API may add `name: value`. */
export function isSafeHeader(name: string, value: string): boolean {
  if (name.length > MAX_NAME_LENGTH || !FIELD_NAME.test(name)) return false;
  const lower = name.toLowerCase();
  if (RULES.has(lower) || PREFIXES.some((prefix) => lower.startsWith(prefix))) return false;
  if (value.length > MAX_VALUE_LENGTH || CONTROL.test(value.replaceAll('\t', ' '))) return false;
  return !ASCII_ONLY.has(lower) || !/[^ -~\t]/.test(value);
}

/** Returns the rule for a field of a submitted message. */
export function ruleForSubmission(name: string): SubmissionRule {
  return RULES.get(name.toLowerCase()) ?? 'kept';
}

/** Fields with a known grammar are folded only at spaces and never use encoded words. */
export function isStructured(lowerName: string): boolean {
  return ASCII_ONLY.has(lowerName) || lowerName.startsWith('list-');
}

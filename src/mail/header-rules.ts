/**
 * Which header fields a customer may write, in one table for both doors.
 *
 * Through the HTTP door a caller may not set any field in the table: those that the composer writes itself (two of
 * them would make two readers see two messages), those that record what happened on the way (trace, results of checks,
 * loop detection), those that other programs act on as if they were an envelope (Resent-*, Apparently-To), and all of
 * Content-*, which would change how the body is read. Everything else is allowed: X-*, List-*, In-Reply-To,
 * References, Precedence, Feedback-ID, Auto-Submitted, Importance …
 *
 * Through the submission door the client composes the message, so the table says what happens to each field there:
 * - `kept`: it is part of every message, or a relaying server has written it (Received), or it can be verified by
 *   itself (DKIM-Signature, ARC-*).
 * - `own-domain`: it names somebody who is responsible for the message. The address must be one that the team may
 *   send from, as in From.
 * - `removed`: only the recipient's side can know it, so a customer's own version would be a false claim; or it
 *   must not be seen (Bcc).
 */

export type SubmissionRule = 'kept' | 'own-domain' | 'removed';

const MAX_NAME_LENGTH = 76;
const MAX_VALUE_LENGTH = 8_000;

// RFC 5322 section 2.2: printable ASCII without the colon.
const FIELD_NAME = /^[!-9;-~]+$/;
const CONTROL = /[\p{Cc}\u2028\u2029]/u;
const RULES = new Map<string, SubmissionRule>([
  ['from', 'kept'], // Checked apart: it decides which domain signs.
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
/** Fields of these families that are not in the table are kept in submission and refused over HTTP. */
const FAMILIES = ['content-', 'resent-', 'arc-'];
// Their grammars have no place for encoded words.
const ASCII_ONLY = new Set([
  'in-reply-to',
  'references',
  'auto-submitted',
  'precedence',
  'list-unsubscribe',
  'list-unsubscribe-post',
]);

/** Whether `name: value` may stand in a message beside what the composer writes. */
export function isSafeHeader(name: string, value: string): boolean {
  if (name.length > MAX_NAME_LENGTH || !FIELD_NAME.test(name)) return false;
  const lower = name.toLowerCase();
  if (RULES.has(lower) || FAMILIES.some((prefix) => lower.startsWith(prefix))) return false;
  if (value.length > MAX_VALUE_LENGTH || CONTROL.test(value.replaceAll('\t', ' '))) return false;
  return !ASCII_ONLY.has(lower) || !/[^ -~\t]/.test(value);
}

/** What the submission door does with a field of this name. */
export function ruleForSubmission(name: string): SubmissionRule {
  return RULES.get(name.toLowerCase()) ?? 'kept';
}

/** Headers of a known grammar, folded only at spaces and never written as encoded words. */
export function isStructured(lowerName: string): boolean {
  return ASCII_ONLY.has(lowerName) || lowerName.startsWith('list-');
}

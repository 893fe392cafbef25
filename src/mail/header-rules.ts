/**
 * Which headers a caller may add to a message of his own.
 *
 * Refused are those that the composer writes itself (two of them would make two readers see two messages), those
 * that tell what happened on the way (trace, results of checks, loop detection: only servers write these), those
 * that other programs act on as if they were an envelope (Resent-*, Apparently-To), and all of Content-*, which
 * would change how the body is read. Everything else goes: X-*, List-*, In-Reply-To, References, Precedence,
 * Feedback-ID, Auto-Submitted, Importance …
 */

const MAX_NAME_LENGTH = 76;
const MAX_VALUE_LENGTH = 8_000;

// RFC 5322 section 2.2: printable ASCII without the colon.
const FIELD_NAME = /^[!-9;-~]+$/;
const CONTROL = /[\p{Cc}\u2028\u2029]/u;
const REFUSED = new Set([
  'from',
  'sender',
  'reply-to',
  'to',
  'cc',
  'bcc',
  'subject',
  'date',
  'message-id',
  'mime-version',
  'return-path',
  'received',
  'received-spf',
  'authentication-results',
  'dkim-signature',
  'domainkey-signature',
  'delivered-to',
  'original-recipient',
  'apparently-to',
  'errors-to',
]);
const REFUSED_PREFIXES = ['content-', 'resent-', 'arc-'];
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
  if (REFUSED.has(lower) || REFUSED_PREFIXES.some((prefix) => lower.startsWith(prefix))) return false;
  if (value.length > MAX_VALUE_LENGTH || CONTROL.test(value.replaceAll('\t', ' '))) return false;
  return !ASCII_ONLY.has(lower) || !/[^ -~\t]/.test(value);
}

/** Headers of a known grammar, folded only at spaces and never written as encoded words. */
export function isStructured(lowerName: string): boolean {
  return ASCII_ONLY.has(lowerName) || lowerName.startsWith('list-');
}

/**
 * How a merge tag is written and which names it may have. The web app imports this file too, so that its editors mark
 * exactly what the server refuses: it must not import anything.
 */

// Each part ends where the next begins, so the time grows with the length of the text alone.
export const TAG = /\{\{\s*([A-Za-z_][\w.-]{0,63})\s*(?:,\s*fallback\s*=([^{}]*))?\}\}/g;

/** Fields that every contact has. */
export const CONTACT_TAGS = ['firstName', 'lastName', 'email'] as const;

/** In saved replies. */
export const MAILBOX_TAGS = ['mailbox.name', 'mailbox.address'] as const;

export const UNSUBSCRIBE_TAGS: ReadonlySet<string> = new Set([
  'unsubscribeUrl',
  'unsubscribe_url',
  // What the editors of peers write.
  'usesend_unsubscribe_url',
  'unsend_unsubscribe_url',
]);
export const PREFERENCES_TAG = 'preferencesUrl';

/** A tag that is a link of ours in every letter of a campaign. */
export function isLinkTag(name: string): boolean {
  return UNSUBSCRIBE_TAGS.has(name) || name === PREFERENCES_TAG;
}

/** Whether a tag names a field of every contact or one of these variables. */
export function isContactTag(written: string, variables: readonly string[]): boolean {
  const names = [plainName(written).toLowerCase(), written.toLowerCase()];
  return [...CONTACT_TAGS, ...variables].some((known) => names.includes(known.toLowerCase()));
}

/** `firstName` for both spellings of it. */
export function plainName(name: string): string {
  return name.replace(/^contact\./i, '');
}

/**
 * The syntax and names of merge tags. The web app imports this file too, so that its editors mark exactly what
 * the server rejects. It must not import anything.
 */

// Each part ends where the next begins, so matching takes linear time.
export const TAG = /\{\{\s*([A-Za-z_][\w.-]{0,63})\s*(?:,\s*fallback\s*=([^{}]*))?\}\}/g;

/** The tags of saved replies. */
export const MAILBOX_TAGS = ['mailbox.name', 'mailbox.address'] as const;

export const UNSUBSCRIBE_TAGS: ReadonlySet<string> = new Set([
  'unsubscribeUrl',
  'unsubscribe_url',
  // Names that the editors of other products use.
  'usesend_unsubscribe_url',
  'unsend_unsubscribe_url',
]);
export const PREFERENCES_TAG = 'preferencesUrl';
/** The page of the archive that a recipient can share. Who signs up there was brought by that contact. */
export const REFERRAL_TAG = 'referralUrl';

/** True for a tag that is replaced by one of our links in campaigns. */
export function isLinkTag(name: string): boolean {
  return UNSUBSCRIBE_TAGS.has(name) || name === PREFERENCES_TAG || name === REFERRAL_TAG;
}

/** The names of properties, variables and merge tags compare without regard to case, by this key. */
export function propertyKey(name: string): string {
  return name.toLowerCase();
}

/** Returns the name in the list that means the same property. */
export function findName(names: readonly string[], wanted: string): string | undefined {
  if (names.includes(wanted)) return wanted;
  const key = propertyKey(wanted);
  return names.find((name) => propertyKey(name) === key);
}

/** Returns `firstName` for both `firstName` and `contact.firstName`. */
export function plainName(name: string): string {
  return name.replace(/^contact\./i, '');
}

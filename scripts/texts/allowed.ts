/** Words in components that need no translation, such as names. */
export const ALLOWED_WORDS = new Set(['https://', 'mail.example.com', 'links', 'HTTP']);

/** Texts that are the same in every language: names, and what is typed into a terminal. */
export const ALLOWED_COPIES = new Set([
  'Amazon Route 53',
  'Apple Mail',
  'Reverse DNS',
  'Squarespace (Google Domains)',
  'npx posthorn team link --team 1',
]);

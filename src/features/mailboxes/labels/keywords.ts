/** Makes the IMAP keyword of a label from its name. Names are free; keywords are atoms of ASCII. */

const MAX_KEYWORD = 60;
/** Words that email apps and servers use with a meaning of their own, in lower case and without a leading dollar sign. */
const TAKEN = new Set([
  'seen',
  'answered',
  'flagged',
  'deleted',
  'draft',
  'recent',
  'forwarded',
  'mdnsent',
  'submitpending',
  'submitted',
  'junk',
  'notjunk',
  'nonjunk',
  'phishing',
  'important',
  'snoozed',
]);

/** `isFree` tells whether no other label has the keyword. */
export function makeKeyword(name: string, isFree: (keyword: string) => boolean): string {
  const atom = name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^A-Za-z0-9.-]+/g, '_')
    .replace(/^_/, '')
    .slice(0, MAX_KEYWORD)
    .replace(/_$/, '');
  const base = atom === '' ? 'label' : TAKEN.has(atom.toLowerCase()) ? `${atom}_label` : atom;
  for (let no = 1; ; no++) {
    const keyword = no === 1 ? base : `${base}_${no}`;
    if (isFree(keyword)) return keyword;
  }
}

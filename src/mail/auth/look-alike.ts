/**
 * Whether the domain of an unknown sender looks like one that people trust: the same letters after those that look alike
 * are made the same, one letter more, less or changed, or the name as one of several words. Pure.
 */
import { domainToUnicode } from 'node:url';

/** Domains that are often imitated. */
const KNOWN = [
  'paypal.com',
  'google.com',
  'gmail.com',
  'microsoft.com',
  'office365.com',
  'outlook.com',
  'apple.com',
  'icloud.com',
  'amazon.com',
  'facebook.com',
  'instagram.com',
  'whatsapp.com',
  'linkedin.com',
  'netflix.com',
  'spotify.com',
  'dropbox.com',
  'docusign.com',
  'adobe.com',
  'github.com',
  'stripe.com',
  'klarna.com',
  'wise.com',
  'revolut.com',
  'coinbase.com',
  'binance.com',
  'americanexpress.com',
  'mastercard.com',
  'chase.com',
  'wellsfargo.com',
  'fedex.com',
  'deutschepost.de',
  'sparkasse.de',
  'commerzbank.de',
  'booking.com',
  'airbnb.com',
];

/** Letters that look like ASCII letters. */
const LOOKS: Record<string, string> = {
  а: 'a',
  е: 'e',
  о: 'o',
  р: 'p',
  с: 'c',
  у: 'y',
  х: 'x',
  ѕ: 's',
  і: 'i',
  ј: 'j',
  ԁ: 'd',
  ո: 'n',
  к: 'k',
  м: 'm',
  т: 't',
  в: 'b',
  н: 'h',
  ɡ: 'g',
  ı: 'i',
  ο: 'o',
  α: 'a',
  ρ: 'p',
  ν: 'v',
  υ: 'u',
  ι: 'i',
  κ: 'k',
  τ: 't',
  '0': 'o',
  '1': 'l',
  '3': 'e',
  '5': 's',
  '8': 'b',
  $: 's',
  '|': 'l',
};
const SHORTEST_COMPARED = 6;

/** Returns the domain that it looks like, or null. `own` are domains of the team. */
export function looksLike(domain: string, own: readonly string[] = []): string | null {
  const shown = domainToUnicode(domain).toLowerCase() || domain.toLowerCase();
  const label = labelOf(shown);
  for (const known of [...own, ...KNOWN]) {
    if (isWithin(domain, known)) return null;
  }
  for (const known of [...own, ...KNOWN]) {
    const wanted = labelOf(known);
    // The same name below another top-level domain is usually the same company.
    if (label === wanted) continue;
    if (skeletonOf(label) === skeletonOf(wanted)) return known;
    if (wanted.length >= SHORTEST_COMPARED && isOneEditApart(label, wanted)) return known;
    if (
      wanted.length >= SHORTEST_COMPARED &&
      label.split('-').some((word) => skeletonOf(word) === skeletonOf(wanted))
    )
      return known;
  }
  return null;
}

function isWithin(domain: string, known: string): boolean {
  return domain === known || domain.endsWith(`.${known}`);
}

/** The part before the public suffix, roughly: `co.uk` and the like have two labels. */
function labelOf(domain: string): string {
  const labels = domain.split('.');
  const isSecondLevel = labels.length > 2 && /^(?:com?|org|net|gov|ac|edu)$/.test(labels.at(-2)!);
  return labels.at(isSecondLevel ? -3 : -2) ?? domain;
}

function skeletonOf(label: string): string {
  const plain = [...label.normalize('NFKD').replaceAll(/\p{M}/gu, '')]
    .map((each) => LOOKS[each] ?? each)
    .join('');
  return plain.replaceAll('rn', 'm').replaceAll('vv', 'w').replaceAll('cl', 'd').replaceAll('i', 'l');
}

function isOneEditApart(one: string, other: string): boolean {
  if (Math.abs(one.length - other.length) > 1 || one === other) return false;
  let start = 0;
  while (start < one.length && one[start] === other[start]) start += 1;
  let [a, b] = [one.length, other.length];
  while (a > start && b > start && one[a - 1] === other[b - 1]) {
    a -= 1;
    b -= 1;
  }
  const [left, right] = [one.slice(start, a), other.slice(start, b)];
  const isSwapped = left.length === 2 && right.length === 2 && left[0] === right[1] && left[1] === right[0];
  return isSwapped || (left.length <= 1 && right.length <= 1);
}

/**
 * A person of a received message as everybody is shown them. The checks of a sender (SPF, DKIM, DMARC) are about the
 * domain of the address, so nothing else may look like an address of another domain.
 *
 * - The local part of an address can hold anything in quotes, also `ceo@bank.example,`. What makes such a local part
 *   look like an address of its own is shown as `_`.
 * - A name that holds an address of another domain is left out; the address is shown in its place.
 * - Characters that cannot be seen, or that turn text around, are removed from both.
 */
export interface MailPerson {
  name: string | null;
  address: string;
}

// Marks of direction, zero-width characters, soft hyphens and tags. Joiners stay: emoji and several scripts need them.
const UNSEEN =
  /[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu;
const JOINERS = /[\u200c\u200d]/g;
const LOOKS_LIKE_ANOTHER = /[@\uff20\ufe6b,;<>]/g;
/** The at signs, and behind them something with a dot. */
const ADDRESS_DOMAIN =
  /[@\uff20\ufe6b]\s*([^\s@\uff20\ufe6b<>()[\]"',;:]+[.\u3002\uff0e\uff61][^\s@<>()[\]"',;:]+)/gu;

export function toShownPerson({ name, address }: MailPerson): MailPerson {
  const shown = showAddress(address);
  const seen = name?.replaceAll(UNSEEN, '').trim() ?? '';
  return { name: seen === '' || namesAnotherDomain(seen, shown) ? null : seen, address: shown };
}

function showAddress(address: string): string {
  const seen = address.replaceAll(UNSEEN, '').trim();
  const at = seen.lastIndexOf('@');
  if (at === -1) return seen;
  return `${seen.slice(0, at).replaceAll(LOOKS_LIKE_ANOTHER, '_')}${seen.slice(at)}`;
}

function namesAnotherDomain(name: string, address: string): boolean {
  const own = address.slice(address.lastIndexOf('@') + 1).toLowerCase();
  const named = name.replaceAll(JOINERS, '').normalize('NFKC').matchAll(ADDRESS_DOMAIN);
  return [...named].some(([, domain = '']) => domain.toLowerCase().replace(/\.$/, '') !== own);
}

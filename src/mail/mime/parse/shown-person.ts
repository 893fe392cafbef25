/**
 * Makes the name and address of a person safe to display. SPF, DKIM and DMARC verify the domain of the address,
 * so nothing else may look like an address of another domain.
 * - A quoted local part can contain anything, such as `ceo@bank.example,`. Characters that make it look like an
 *   address are shown as `_`.
 * - A name that contains an address of another domain is dropped, and the address is shown instead.
 * - Invisible characters and direction marks are removed from both.
 */
export interface MailPerson {
  name: string | null;
  address: string;
}

// Direction marks, zero-width characters, soft hyphens and tags. Joiners stay, because emoji and several
// scripts need them.
const INVISIBLE =
  /[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu;
const JOINERS = /[\u200c\u200d]/g;
const ADDRESS_LIKE = /[@\uff20\ufe6b,;<>]/g;
/** Matches an at sign followed by something with a dot. */
const ADDRESS_DOMAIN =
  /[@\uff20\ufe6b]\s*([^\s@\uff20\ufe6b<>()[\]"',;:]+[.\u3002\uff0e\uff61][^\s@<>()[\]"',;:]+)/gu;

export function toShownPerson({ name, address }: MailPerson): MailPerson {
  const shown = showAddress(address);
  const visible = name?.replaceAll(INVISIBLE, '').trim() ?? '';
  return { name: visible === '' || namesAnotherDomain(visible, shown) ? null : visible, address: shown };
}

function showAddress(address: string): string {
  const visible = address.replaceAll(INVISIBLE, '').trim();
  const at = visible.lastIndexOf('@');
  if (at === -1) return visible;
  return `${visible.slice(0, at).replaceAll(ADDRESS_LIKE, '_')}${visible.slice(at)}`;
}

function namesAnotherDomain(name: string, address: string): boolean {
  const own = address.slice(address.lastIndexOf('@') + 1).toLowerCase();
  const named = name.replaceAll(JOINERS, '').normalize('NFKC').matchAll(ADDRESS_DOMAIN);
  return [...named].some(([, domain = '']) => domain.toLowerCase().replace(/\.$/, '') !== own);
}

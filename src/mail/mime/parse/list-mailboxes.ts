import { quote } from '../header-encoding.ts';
import { toUtf8Words } from './encoded-words.ts';
import { parseAddressList } from './parse-address-list.ts';

/** RFC 5322 section 3.2.3, except for the dot. */
const SPECIAL = /[()<>[\]:;@\\,"]/;

/**
 * Returns the people of a list in a request as `Name <address>`, including the members of groups. The addresses are not
 * checked. An entry without an address, or with a second one, is returned as text that is not a mailbox, so that the
 * check rejects it. So is a list with control characters, except for line breaks after a separator.
 */
export function listMailboxes(list: string): string[] {
  const line = list.replaceAll(/(?<=[,;:])[ \t\r\n]+/g, ' ').trim();
  if (/\p{Cc}/u.test(line)) return [line];
  return parseAddressList(toUtf8Words(line)).map(({ name, address, isAmbiguous }) => {
    if (isAmbiguous || address === '') return `${name} ${address}`.trim();
    if (name === '') return address;
    return `${SPECIAL.test(name) ? quote(name) : name} <${address}>`;
  });
}

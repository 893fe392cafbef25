/** Parses and formats addresses for display. */
export interface Person {
  name: string | null;
  address: string;
}

export function readPerson(text: string): Person {
  const whole = text.trim();
  const open = whole.lastIndexOf('<');
  const before = whole.slice(0, Math.max(open, 0)).trim();
  const quoted = /^"((?:[^"\\]|\\.)*)"$/s.exec(before)?.[1];
  if (open === -1 || !whole.endsWith('>') || (quoted === undefined && before.includes('<')))
    return { name: null, address: whole };
  const name = quoted?.replaceAll(/\\(.)/g, '$1') ?? before;
  return { name: name || null, address: whole.slice(open + 1, -1).trim() };
}

export function writePerson({ name, address }: Person): string {
  if (!name) return address;
  return /^[^<>"@,;:\\]+$/.test(name)
    ? `${name} <${address}>`
    : `"${name.replaceAll(/["\\]/g, '\\$&')}" <${address}>`;
}

export function nameOf(text: string): string {
  const { name, address } = readPerson(text);
  return name ?? address;
}

/** The people of a conversation in a line of a list. Empty if nobody has a name or an address. */
export function listNames(people: readonly string[]): string {
  const names = people.map(nameOf).filter((name) => name !== '');
  if (names.length < 3) return names.join(', ');
  const short = names.map((name) => name.split(' ')[0]);
  return `${short.slice(0, 3).join(', ')}${names.length > 3 ? ' …' : ''}`;
}

export function keyOf(text: string): string {
  return readPerson(text).address.toLowerCase();
}

export function domainOf(text: string): string {
  return readPerson(text).address.split('@').at(-1)?.toLowerCase() ?? '';
}

/** Splits a pasted list at commas, semicolons and line ends, but not inside quotes. */
export function splitPeople(text: string): string[] {
  const people: string[] = [];
  let half = '';
  for (const { piece, end } of splitList(text)) {
    // Some email apps write Shelley, Mary <mary@example.org>: join the two halves of the name.
    const isOther = half !== '' && piece.includes('<');
    if (!isOther) people.push(half);
    const isHalf = !isOther && end === ',' && !piece.includes('@');
    if (!isHalf) people.push(isOther ? `${half}, ${piece}` : piece);
    half = isHalf ? piece : '';
  }
  return people.filter((each) => each !== '').map((each) => writePerson(readPerson(each)));
}

const QUOTED = /"(?:[^"\\]|\\.)*"/sy;

/** Returns the pieces between separators outside of quotes, each with its separator. */
function splitList(text: string): { piece: string; end: string }[] {
  const pieces: { piece: string; end: string }[] = [];
  let start = 0;
  // After an unclosed quote, no later quote can be closed.
  let isClosed = true;
  for (let at = 0; at <= text.length; at += 1) {
    const character = text.charAt(at);
    if (character === '"' && isClosed) {
      QUOTED.lastIndex = at;
      isClosed = QUOTED.test(text);
      if (isClosed) at = QUOTED.lastIndex - 1;
    } else if (character === '' || ',;\n'.includes(character)) {
      pieces.push({ piece: text.slice(start, at).trim(), end: character });
      start = at + 1;
    }
  }
  return pieces;
}

/** Rejects only text that is certainly not an address. The server decides. */
export function isAddress(text: string): boolean {
  const { address } = readPerson(text);
  return /^[^\s@<>]+@[^\s@<>]+$/.test(address) && address.slice(address.indexOf('@') + 2, -1).includes('.');
}

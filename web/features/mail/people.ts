/** Addresses as people read them. */
export interface Person {
  name: string | null;
  address: string;
}

export function readPerson(text: string): Person {
  const [, quoted, plain, address] = /^\s*(?:"((?:[^"\\]|\\.)*)"|([^<]*?))\s*<([^<>]*)>\s*$/.exec(text) ?? [];
  const name = quoted?.replaceAll(/\\(.)/g, '$1') ?? plain ?? '';
  return { name: name || null, address: (address ?? text).trim() };
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

export function keyOf(text: string): string {
  return readPerson(text).address.toLowerCase();
}

export function domainOf(text: string): string {
  return readPerson(text).address.split('@').at(-1)?.toLowerCase() ?? '';
}

/** As they stand in a list somebody pasted, parted by commas, semicolons or lines; quotes hold a name together. */
export function splitPeople(text: string): string[] {
  const people: string[] = [];
  let half = '';
  for (const [, written = '', end] of text.matchAll(/((?:"(?:[^"\\]|\\.)*"|[^,;\n])*)([,;\n]|$)/g)) {
    const piece = written.trim();
    // Some programs write Shelley, Mary <mary@example.org>: half a name waits for the other half.
    const isOther = half !== '' && piece.includes('<');
    if (!isOther) people.push(half);
    const isHalf = !isOther && end === ',' && !piece.includes('@');
    if (!isHalf) people.push(isOther ? `${half}, ${piece}` : piece);
    half = isHalf ? piece : '';
  }
  return people.filter((each) => each !== '').map((each) => writePerson(readPerson(each)));
}

/** Only what is surely none: the server has the last word. */
export function isAddress(text: string): boolean {
  return /^[^\s@<>]+@[^\s@<>]+\.[^\s@<>]+$/.test(readPerson(text).address);
}

/** Writes ENVELOPE (RFC 9051 section 7.5.2) from the fields of a message. Encoded words stay encoded. */
import { fieldOf, type HeaderField } from '../mime/parse/mime-tree.ts';
import { writeNstring } from './write-values.ts';

const MAX_LIST_LENGTH = 64 * 1024;
const MAX_ADDRESSES = 1_000;

export function writeEnvelope(fields: HeaderField[]): string {
  const from = readAddressList(fieldOf(fields, 'from'));
  const orFrom = (name: string) => {
    const own = readAddressList(fieldOf(fields, name));
    return own.length > 0 ? own : from;
  };
  const of = (name: string) => readAddressList(fieldOf(fields, name));
  const lists = [from, orFrom('sender'), orFrom('reply-to'), of('to'), of('cc'), of('bcc')].map(
    writeAddresses,
  );
  const text = (name: string) => writeNstring(fieldOf(fields, name));
  return `(${[text('date'), text('subject'), ...lists, text('in-reply-to'), text('message-id')].join(' ')})`;
}

/** One entry of an address list. A group begins with a name without a host and ends with one without a name. */
export interface EnvelopeAddress {
  name: string | null;
  /** A source route, which is obsolete. */
  route?: string | null;
  mailbox: string | null;
  host: string | null;
}

function writeAddresses(addresses: EnvelopeAddress[]): string {
  if (addresses.length === 0) return 'NIL';
  const written = addresses.map(({ name, route = null, mailbox, host }) => {
    return `(${writeNstring(name)} ${writeNstring(route)} ${writeNstring(mailbox)} ${writeNstring(host)})`;
  });
  return `(${written.join('')})`;
}

/** Reads a header value from left to right in linear time. Invalid syntax gives some address, never an error. */
export function readAddressList(value: string | null): EnvelopeAddress[] {
  const text = (value ?? '').slice(0, MAX_LIST_LENGTH);
  const found: EnvelopeAddress[] = [];
  let words = '';
  let comment = '';
  let angle: string | null = null;
  let isInGroup = false;

  function flush(): void {
    const phrase = words.replaceAll(/\s+/g, ' ').trim();
    const address = angle ?? phrase.replaceAll(' ', '');
    const name = (angle === null ? '' : phrase) || comment.trim();
    // A comment alone, as in an empty group, is not an address.
    if (address !== '' || (name !== '' && angle !== null)) found.push(toAddress(name, address));
    words = '';
    comment = '';
    angle = null;
  }

  for (let at = 0; at < text.length && found.length < MAX_ADDRESSES;) {
    const character = text[at]!;
    if (character === '"') {
      const [content, next] = readQuoted(text, at);
      words += angle === null && text[next] === '@' ? text.slice(at, next) : content;
      at = next;
    } else if (character === '(') {
      const [content, next] = readComment(text, at);
      comment = content;
      at = next;
    } else if (character === '<') {
      const close = text.indexOf('>', at);
      const stop = close === -1 ? text.length : close;
      angle = text.slice(at + 1, stop).replaceAll(/\s/g, '');
      at = stop + 1;
    } else if (character === ',') {
      flush();
      at += 1;
    } else if (character === ':' && !isInGroup && angle === null) {
      found.push({ name: null, mailbox: words.trim(), host: null });
      words = '';
      isInGroup = true;
      at += 1;
    } else if (character === ';' && isInGroup) {
      flush();
      found.push({ name: null, mailbox: null, host: null });
      isInGroup = false;
      at += 1;
    } else {
      words += character;
      at += 1;
    }
  }
  flush();
  if (isInGroup) found.push({ name: null, mailbox: null, host: null });
  return found;
}

function toAddress(name: string, address: string): EnvelopeAddress {
  const route = /^(@[^:]*):/.exec(address)?.[1] ?? null;
  const bare = route === null ? address : address.slice(route.length + 1);
  const at = bare.lastIndexOf('@');
  const [mailbox, host] = at === -1 ? [bare, ''] : [bare.slice(0, at), bare.slice(at + 1)];
  return { name: name || null, route, mailbox, host };
}

/** Returns the content and the offset after it. */
function readQuoted(text: string, start: number): [string, number] {
  let content = '';
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] === '"') return [content, at + 1];
    if (text[at] === '\\') at += 1;
    content += text[at] ?? '';
  }
  return [content, text.length];
}

function readComment(text: string, start: number): [string, number] {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '(') depth += 1;
    else if (text[at] === ')' && --depth === 0) return [text.slice(start + 1, at), at + 1];
  }
  return [text.slice(start + 1), text.length];
}

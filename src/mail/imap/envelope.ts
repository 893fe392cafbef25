/** Writes ENVELOPE (RFC 9051 section 7.5.2) from the fields of a message. */
import { encodeWords } from '../mime/header-encoding.ts';
import { readEntries } from '../mime/parse/read-people.ts';
import { valueOf, valuesOf, type WithHeaders } from '../mime/parse/raw-headers.ts';
import { readMessageIds } from '../mime/parse/read-values.ts';
import { toBytes, writeNstring } from './write-values.ts';

const NEEDS_ENCODING = /[^ -~]|=\?/;

export function writeEnvelope(message: WithHeaders): string {
  const from = writeAddresses(message, 'from');
  const orFrom = (name: string) => {
    const own = writeAddresses(message, name);
    return own === 'NIL' ? from : own;
  };
  const text = (name: string, read = (value: string) => value) => {
    const value = valueOf(message, name);
    return writeNstring(value === null ? null : toBytes(read(value)));
  };
  // The same ID as in the API and JMAP, with its brackets.
  const [messageId] = readMessageIds(valueOf(message, 'message-id'));
  return `(${[
    text('date'),
    text('subject'),
    from,
    orFrom('sender'),
    orFrom('reply-to'),
    writeAddresses(message, 'to'),
    writeAddresses(message, 'cc'),
    writeAddresses(message, 'bcc'),
    // Brackets are added if they are missing, as in the API and JMAP. Other text stays.
    text('in-reply-to', (value) => (value.includes('<') ? value : (readMessageIds(value)[0] ?? value))),
    writeNstring(messageId === undefined ? null : toBytes(messageId)),
  ].join(' ')})`;
}

/** A group begins with an entry that has a mailbox and no host, and ends with one that has neither. */
function writeAddresses(message: WithHeaders, name: string): string {
  const values = valuesOf(message, name);
  // Email apps may show the name of a group as an author.
  const entries = readEntries(values).filter((entry) => name !== 'from' || 'address' in entry);
  if (entries.length === 0) return 'NIL';
  const written = entries.map((entry) => {
    if ('group' in entry)
      return `(NIL NIL ${writeNstring(entry.group === null ? null : toWords(entry.group))} NIL)`;
    const at = entry.address.lastIndexOf('@');
    const mailbox = at === -1 ? entry.address : entry.address.slice(0, at);
    const host = at === -1 ? '' : entry.address.slice(at + 1);
    const shown = entry.name === null ? null : toWords(entry.name);
    return `(${writeNstring(shown)} NIL ${writeNstring(toBytes(mailbox))} ${writeNstring(toBytes(host))})`;
  });
  return `(${written.join('')})`;
}

/** Email apps expect encoded words in names. */
function toWords(name: string): string {
  return NEEDS_ENCODING.test(name) ? encodeWords(name) : name;
}

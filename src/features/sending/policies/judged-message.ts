/** Reads what a policy is about from the bytes of a message: addresses, links and files. */
import { sha256 } from '../../../platform/crypto.ts';
import { parseAddress, parseDomain } from '../../../mail/mime/address.ts';
import { decodeAttribute, decodeEntities } from '../../../mail/html/entities.ts';
import { readUnshownText } from '../../../mail/mime/parse/unshown-text.ts';
import { readAnyHeaders, valuesOf, type HeaderSection } from '../../../mail/mime/parse/raw-headers.ts';
import { parseMessage } from '../../../mail/offload/parse-message.ts';
import type { JudgedMessage } from './decide-policy.ts';
import { addressKeysIn } from './named-addresses.ts';

/** Fields whose addresses get the email, a reply to it, or a notice about it. */
const PEOPLE =
  /^(?:to|cc|bcc|reply-to|resent-(?:to|cc|bcc|reply-to|from|sender)|apparently-to|mail-(?:followup|reply)-to|disposition-notification-to|return-receipt-to|x-confirm-reading-to|errors-to|return-path|list-(?:post|unsubscribe|help|subscribe|owner))$/i;
const VISIBLE = /^(?:to|cc)$/i;
const LINK = /(?:https?|ftps?|wss?):[^\s"'<>`]*|[\\/]{2}[^\s"'<>`]+|\bwww\.[^\s"'<>`]+/gi;
const MAILTO = /\b(?:mailto|smsto|tel|sms):[^\s"'<>`]*/gi;
/** The value of any attribute, as new ones that load something keep coming. */
const ATTRIBUTE = /=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+))/g;
const ESCAPE = /\\([0-9a-f]{1,6})\s?/gi;
/** Fields with links that mail software offers, or that relative links begin with. */
const LINKING =
  /^(?:list-(?:unsubscribe|subscribe|help|post|owner|archive)|archived-at|content-(?:base|location)|x-image-url)$/i;
const MAX_LINKS = 10_000;

export interface MessageToJudge {
  raw: Buffer;
  recipients: readonly { key: string }[];
  /** The HTML and text before our own tracking links were put in. Missing: those of the bytes. */
  html?: string | null;
  text?: string | null;
}

export interface ReadMessage extends JudgedMessage {
  /** Message-IDs of In-Reply-To and References, the closest first. */
  references: string[];
  html: string | null;
  text: string | null;
}

export async function readJudged({ raw, recipients, html, text }: MessageToJudge): Promise<ReadMessage> {
  const section = readAnyHeaders(raw);
  const parsed = await parseMessage(raw);
  const keys = [...new Set(recipients.map(({ key }) => key))];
  const visible = new Set(addressesOf(section, VISIBLE));
  const bodies = {
    html: (html === undefined ? parsed.html : html) ?? null,
    text: (text === undefined ? parsed.text : text) ?? null,
  };
  const unshown = html === undefined ? readUnshownText(raw, section) : null;
  const inHeader = section.headers.filter(({ name }) => LINKING.test(name)).map(({ value }) => value);
  const urls = [
    ...[bodies.html, bodies.text, parsed.subject, ...(unshown?.texts ?? [])].flatMap((body) =>
      linksOf(body ?? ''),
    ),
    ...[...inHeader, ...(unshown?.bases ?? [])].flatMap(linksOf).filter((url) => /^https?:/i.test(url)),
    // What is not read may have any links.
    ...(unshown?.isCut ? [''] : []),
  ];
  return {
    recipients: keys,
    named: addressesOf(section, PEOPLE),
    hidden: keys.filter((key) => !visible.has(key)),
    links: [...new Set(urls)].slice(0, MAX_LINKS).map((url) => ({ url, host: hostOf(url) })),
    files: parsed.attachments.map(({ content }) => sha256(content).toString('hex')),
    references: referencesOf(section),
    ...bodies,
  };
}

function addressesOf({ headers }: HeaderSection, fields: RegExp): string[] {
  return [
    ...new Set(headers.filter(({ name }) => fields.test(name)).flatMap(({ value }) => addressKeysIn(value))),
  ];
}

/** Browsers ignore line breaks and tabs in a URL, and read a backslash as a slash. */
export function linksOf(body: string): string[] {
  const text = decodeEntities(body);
  const values = [...body.matchAll(ATTRIBUTE)].map(([, one, two, three]) =>
    decodeAttribute(one ?? two ?? three ?? '').replaceAll(/[\t\r\n]/g, ''),
  );
  const found = [text, ...values]
    .flatMap((each) => (each.includes('\\') ? [each, withoutEscapes(each)] : each))
    .flatMap((each) => [...each.matchAll(LINK), ...each.matchAll(MAILTO)]);
  return [...new Set(found.map(([url]) => url))];
}

/** A style sheet can write any character as its number: `url(\2f\2f example.net)`. */
function withoutEscapes(text: string): string {
  return text.replaceAll(ESCAPE, (_all, hex: string) => {
    const code = Number.parseInt(hex, 16);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : ' ';
  });
}

/** The host that a link leads to, or the domain of an address. Empty if it cannot be read. */
function hostOf(url: string): string {
  const colon = url.indexOf(':');
  const scheme = url.slice(0, colon).toLowerCase();
  if (['mailto', 'smsto', 'tel', 'sms'].includes(scheme))
    return parseAddress(url.slice(colon + 1).split('?', 1)[0]!)?.domain ?? '';
  const rest = /^[a-z]+$/.test(scheme) ? url.slice(colon + 1) : url;
  const [authority = ''] = withoutStart(rest).split(/[\\/?#]/, 1);
  const [host = ''] = authority.slice(authority.lastIndexOf('@') + 1).split(':', 1);
  return parseDomain(withoutEnd(host, ').,;!*]')) ?? '';
}

function withoutStart(url: string): string {
  let at = 0;
  while (url[at] === '/' || url[at] === '\\') at++;
  return url.slice(at);
}

function withoutEnd(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text[end - 1]!)) end--;
  return text.slice(0, end);
}

const MESSAGE_ID = /<[^<>\s]{1,998}>/g;

function referencesOf(section: HeaderSection): string[] {
  const replied = valuesOf(section, 'in-reply-to').join(' ').match(MESSAGE_ID) ?? [];
  const referred = valuesOf(section, 'references').join(' ').match(MESSAGE_ID) ?? [];
  return [...new Set([...replied, ...referred.toReversed()])].slice(0, 50);
}

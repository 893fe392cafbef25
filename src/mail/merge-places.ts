/**
 * Where in an HTML text a merge tag stands, and how a value is written there so that it stays a value: escaped
 * between tags and in attributes, percent-encoded inside a URL, and left out where no text can be made safe. A value
 * that is a whole URL must be one that people can be sent to.
 *
 * The reader follows the tokenizer of browsers (HTML, section 13.2.5) as far as places need it. It looks at each
 * character of the fixed text once.
 */
import { decodeEntities, escapeHtml } from './html-entities.ts';

export type Encode = (value: string) => string;

const LINKS = new Set(
  'href xlink:href action formaction cite longdesc data codebase manifest ping profile'.split(' '),
);
const IMAGES = new Set('src srcset background poster lowsrc dynsrc'.split(' '));
/** Between their tags "<" starts no tag. In the first two a browser still resolves character references. */
const RAW_TEXT = new Set('title textarea style script xmp iframe noembed noframes plaintext'.split(' '));
const MAX_PREFIX = 200;
const SPACE = ' \t\n\f\r';
const ENDS_TAG_NAME = `${SPACE}/>`;
const ENDS_NAME = `${SPACE}/>=`;
const ENDS_UNQUOTED = `${SPACE}>`;

const leaveOut: Encode = () => '';
// Nothing in here can end a declaration, load something or call a function.
const asStyleValue: Encode = (value) => (/^[#\w .,%-]{1,200}$/.test(value) ? value : '');
const asUnquoted: Encode = (value) =>
  escapeHtml(value).replaceAll(/[\s=`]/g, (character) => `&#${character.charCodeAt(0)};`);

export const asUrlPart: Encode = (value) =>
  encodeURIComponent(value.toWellFormed()).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
const asMailtoPart: Encode = (value) => asUrlPart(value).replaceAll('%40', '@');

const LINK = /^(?:https?:\/\/|mailto:)/i;
const IMAGE = /^(?:https?:\/\/|cid:|data:image\/(?:png|jpe?g|gif|webp);base64,)/i;
const asLink: Encode = (value) => writeUrl(value, LINK);
const asImage: Encode = (value) => writeUrl(value, IMAGE);

function writeUrl(value: string, allowed: RegExp): string {
  const url = value.trim().toWellFormed();
  if (!allowed.test(url)) return '';
  // oxlint-disable-next-line no-control-regex
  return escapeHtml(url.replaceAll(/[\s\0-\x1f\x7f"'<>`\\^{|}]/g, encodeURIComponent));
}

type State =
  'text' | 'tagName' | 'between' | 'name' | 'afterName' | 'beforeValue' | 'value' | 'comment' | 'raw';

export interface PlaceReader {
  /** Goes on behind this piece of fixed text. */
  read(fixed: string): void;
  /** How a value is written here. The reader then stands behind that value. */
  place(): Encode;
}

export function createPlaceReader(): PlaceReader {
  let state: State = 'text';
  let element = '';
  let isClosing = false;
  let attribute = '';
  /** Of the value of an attribute: its quote, what of it is fixed so far, and whether a tag stood in it already. */
  let quote = '';
  let prefix = '';
  let hadTag = false;
  /** The end of a comment, or of an element whose content is raw text. */
  let end = '';

  function read(fixed: string): void {
    let at = 0;
    while (at < fixed.length) at = step(fixed, at);
  }

  /** Returns where the next step begins, always further on. */
  function step(text: string, at: number): number {
    const character = text[at]!;
    switch (state) {
      case 'text':
        return readText(text, at);
      case 'comment':
      case 'raw':
        return readToEnd(text, at);
      case 'tagName': {
        // A "<" before a tag of ours that was left out.
        if (element === '' && !isLetter(character)) {
          state = 'text';
          return at;
        }
        const end = spanEnd(text, at, ENDS_TAG_NAME);
        element += text.slice(at, end).toLowerCase();
        if (end < text.length) state = 'between';
        return end;
      }
      case 'between':
        if (character === '>') endTag();
        else if (character !== '/' && !SPACE.includes(character)) {
          state = 'name';
          attribute = character.toLowerCase();
        }
        return at + 1;
      case 'name': {
        const end = spanEnd(text, at, ENDS_NAME);
        if (attribute.length < MAX_PREFIX) attribute += text.slice(at, end).toLowerCase();
        if (end < text.length) state = 'afterName';
        return end;
      }
      case 'afterName':
        if (SPACE.includes(character)) return at + 1;
        state = character === '=' ? 'beforeValue' : 'between';
        return character === '=' ? at + 1 : at;
      case 'beforeValue':
        if (SPACE.includes(character)) return at + 1;
        beginValue(character === '"' || character === "'" ? character : '');
        // An unquoted value may be missing: then this ends the tag.
        return quote === '' ? at : at + 1;
      case 'value':
        return readValue(text, at);
    }
  }

  function readText(text: string, from: number): number {
    const open = text.indexOf('<', from);
    if (open === -1) return text.length;
    const rest = text.slice(open + 1, open + 6);
    // Browsers end these at once: `<!--[if !mso]><!-->`, as most letters for Outlook have it.
    if (/^!---?>/.test(rest)) return text.indexOf('>', open) + 1;
    const isComment = rest.startsWith('!--');
    // What stands in a conditional comment is HTML for the mail programs that read it.
    if (isComment && rest.startsWith('!--[')) return open + 5;
    if (isComment || /^[!?]/.test(rest)) {
      state = 'comment';
      end = isComment ? '-->' : '>';
      return open + (isComment ? 4 : 2);
    }
    isClosing = rest.startsWith('/');
    const name = open + (isClosing ? 2 : 1);
    // At the end of the piece a value would become the name.
    if (name < text.length && !isLetter(text[name]!)) return open + 1;
    state = 'tagName';
    element = '';
    return name;
  }

  function readToEnd(text: string, from: number): number {
    const found = state === 'raw' ? findIgnoringCase(text, end, from) : text.indexOf(end, from);
    if (found === -1) return text.length;
    const isRaw = state === 'raw';
    state = 'text';
    return isRaw ? found : found + end.length;
  }

  function endTag(): void {
    const isRaw = !isClosing && RAW_TEXT.has(element);
    state = isRaw ? 'raw' : 'text';
    if (isRaw) end = `</${element}`;
  }

  function beginValue(opening: string): void {
    state = 'value';
    quote = opening;
    prefix = '';
    hadTag = false;
  }

  function readValue(text: string, from: number): number {
    let close = quote === '' ? spanEnd(text, from, ENDS_UNQUOTED) : text.indexOf(quote, from);
    if (close === -1) close = text.length;
    if (prefix.length < MAX_PREFIX) prefix += text.slice(from, Math.min(close, from + MAX_PREFIX));
    if (close === text.length) return close;
    state = 'between';
    return quote === '' ? close : close + 1;
  }

  function place(): Encode {
    if (state === 'text') return escapeHtml;
    if (state === 'raw') return inRawText();
    if (state === 'beforeValue') beginValue('');
    if (state !== 'value') return leaveOut;
    const encode = inAttribute();
    hadTag = true;
    return encode;
  }

  function inRawText(): Encode {
    if (element === 'style') return asStyleValue;
    return element === 'title' || element === 'textarea' ? escapeHtml : leaveOut;
  }

  function inAttribute(): Encode {
    if (LINKS.has(attribute) || IMAGES.has(attribute)) return inUrl();
    if (attribute === 'style') return asStyleValue;
    if (attribute.startsWith('on') || attribute === 'srcdoc') return leaveOut;
    return quote === '' ? asUnquoted : escapeHtml;
  }

  function inUrl(): Encode {
    const before = decodeEntities(prefix).replaceAll(/[\s\0]/g, '');
    if (before === '' && !hadTag) return IMAGES.has(attribute) ? asImage : asLink;
    const beginning = /^[^/?#]*/.exec(before)![0].toLowerCase();
    // A reference that is not resolved here may be the colon of a scheme.
    if (beginning.includes('&')) return leaveOut;
    const colon = beginning.indexOf(':');
    if (colon === -1) return asUrlPart;
    const scheme = beginning.slice(0, colon);
    if (scheme === 'mailto') return asMailtoPart;
    return ['http', 'https', 'tel', 'sms', 'cid'].includes(scheme) ? asUrlPart : leaveOut;
  }

  return { read, place };
}

function isLetter(character: string): boolean {
  return /[a-z]/i.test(character);
}

function spanEnd(text: string, from: number, stops: string): number {
  let at = from;
  while (at < text.length && !stops.includes(text[at]!)) at += 1;
  return at;
}

function findIgnoringCase(text: string, wanted: string, from: number): number {
  const pattern = new RegExp(wanted, 'gi');
  pattern.lastIndex = from;
  return pattern.exec(text)?.index ?? -1;
}

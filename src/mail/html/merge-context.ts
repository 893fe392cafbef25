/**
 * Finds the HTML context of a merge tag and the encoding for its value: escaped between tags and in attributes,
 * percent-encoded inside a URL, and omitted where no text is safe. A value that is a whole URL must be a safe link.
 * The code follows the tokenizer of browsers (HTML, section 13.2.5) as far as necessary, and reads each character of
 * the fixed text once.
 */
import { findClosing } from './tag.ts';
import { decodeEntities, escapeHtml } from './entities.ts';

export type Encode = (value: string) => string;

const LINKS = new Set(
  'href xlink:href action formaction cite longdesc data codebase manifest ping profile'.split(' '),
);
const IMAGES = new Set('src srcset background poster lowsrc dynsrc'.split(' '));
/** Inside these elements "<" starts no tag. In the first two, browsers still resolve character references. */
const RAW_TEXT = new Set('title textarea style script xmp iframe noembed noframes plaintext'.split(' '));
const MAX_PREFIX = 200;
const SPACE = ' \t\n\f\r';
const ENDS_TAG_NAME = `${SPACE}/>`;
const ENDS_NAME = `${SPACE}/>=`;
const ENDS_UNQUOTED = `${SPACE}>`;

const omit: Encode = () => '';
// These characters cannot end a declaration, load anything or call a function.
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

export interface ContextReader {
  /** Advances over a piece of fixed text. */
  read(fixed: string): void;
  /** Returns the encoding for a value at the current position, and advances past it. */
  encodeHere(): Encode;
  copy(): ContextReader;
  /**
   * Continues where this reader and another of its kind may both be. Returns false if they are in different places, such
   * as inside and outside of a tag.
   */
  join(other: ContextReader): boolean;
}

export function createContextReader(): ContextReader {
  return new HtmlReader();
}

class HtmlReader implements ContextReader {
  #state: State = 'text';
  #element = '';
  #isClosing = false;
  #attribute = '';
  /** For an attribute value: its quote, the fixed text so far, and whether it already contains a tag. */
  #quote = '';
  #prefix = '';
  #hadTag = false;
  /** The end of a comment or of a raw text element. */
  #end = '';

  read(fixed: string): void {
    let at = 0;
    while (at < fixed.length) at = this.#step(fixed, at);
  }

  /** Returns the position of the next step, which is always later. */
  #step(text: string, at: number): number {
    const character = text[at]!;
    switch (this.#state) {
      case 'text':
        return this.#readText(text, at);
      case 'comment':
      case 'raw':
        return this.#readToEnd(text, at);
      case 'tagName': {
        // The "<" comes directly before one of our tags, whose value is omitted.
        if (this.#element === '' && !isLetter(character)) {
          this.#state = 'text';
          return at;
        }
        const stop = spanEnd(text, at, ENDS_TAG_NAME);
        this.#element += text.slice(at, stop).toLowerCase();
        if (stop < text.length) this.#state = 'between';
        return stop;
      }
      case 'between':
        if (character === '>') this.#endTag();
        else if (character !== '/' && !SPACE.includes(character)) {
          this.#state = 'name';
          this.#attribute = character.toLowerCase();
        }
        return at + 1;
      case 'name': {
        const stop = spanEnd(text, at, ENDS_NAME);
        if (this.#attribute.length < MAX_PREFIX) this.#attribute += text.slice(at, stop).toLowerCase();
        if (stop < text.length) this.#state = 'afterName';
        return stop;
      }
      case 'afterName':
        if (SPACE.includes(character)) return at + 1;
        this.#state = character === '=' ? 'beforeValue' : 'between';
        return character === '=' ? at + 1 : at;
      case 'beforeValue':
        if (SPACE.includes(character)) return at + 1;
        this.#beginValue(character === '"' || character === "'" ? character : '');
        // An unquoted value may be missing. The character then ends the tag.
        return this.#quote === '' ? at : at + 1;
      case 'value':
        return this.#readValue(text, at);
    }
  }

  #readText(text: string, from: number): number {
    const open = text.indexOf('<', from);
    if (open === -1) return text.length;
    const rest = text.slice(open + 1, open + 6);
    // Browsers end these comments immediately. Most mail for Outlook contains `<!--[if !mso]><!-->`.
    if (/^!---?>/.test(rest)) return text.indexOf('>', open) + 1;
    const isComment = rest.startsWith('!--');
    // Conditional comments contain HTML for the email apps that read them.
    if (isComment && rest.startsWith('!--[')) return open + 5;
    if (isComment || /^[!?]/.test(rest)) {
      this.#state = 'comment';
      this.#end = isComment ? '-->' : '>';
      return open + (isComment ? 4 : 2);
    }
    this.#isClosing = rest.startsWith('/');
    const name = open + (this.#isClosing ? 2 : 1);
    // At the end of the piece, a value would become the tag name.
    if (name < text.length && !isLetter(text[name]!)) return open + 1;
    this.#state = 'tagName';
    this.#element = '';
    return name;
  }

  #readToEnd(text: string, from: number): number {
    const found = this.#state === 'raw' ? findClosing(text, from, this.#end) : text.indexOf(this.#end, from);
    if (found === -1) return text.length;
    const isRaw = this.#state === 'raw';
    this.#state = 'text';
    return isRaw ? found : found + this.#end.length;
  }

  #endTag(): void {
    const isRaw = !this.#isClosing && RAW_TEXT.has(this.#element);
    this.#state = isRaw ? 'raw' : 'text';
    if (isRaw) this.#end = `</${this.#element}`;
  }

  #beginValue(opening: string): void {
    this.#state = 'value';
    this.#quote = opening;
    this.#prefix = '';
    this.#hadTag = false;
  }

  #readValue(text: string, from: number): number {
    let close = this.#quote === '' ? spanEnd(text, from, ENDS_UNQUOTED) : text.indexOf(this.#quote, from);
    if (close === -1) close = text.length;
    if (this.#prefix.length < MAX_PREFIX)
      this.#prefix += text.slice(from, Math.min(close, from + MAX_PREFIX));
    if (close === text.length) return close;
    this.#state = 'between';
    return this.#quote === '' ? close : close + 1;
  }

  copy(): ContextReader {
    const copy = new HtmlReader();
    copy.#state = this.#state;
    copy.#element = this.#element;
    copy.#isClosing = this.#isClosing;
    copy.#attribute = this.#attribute;
    copy.#quote = this.#quote;
    copy.#prefix = this.#prefix;
    copy.#hadTag = this.#hadTag;
    copy.#end = this.#end;
    return copy;
  }

  join(other: ContextReader): boolean {
    if (!(other instanceof HtmlReader) || this.#place() !== other.#place()) return false;
    // The values after two beginnings of a URL are encoded the same way only if both beginnings decide it.
    if (this.#prefix !== other.#prefix && this.#kindOfPrefix() !== other.#kindOfPrefix()) this.#prefix = '&';
    this.#hadTag ||= other.#hadTag;
    return true;
  }

  /** What decides how the following text is read. */
  #place(): string {
    const inTag = [this.#element, String(this.#isClosing)];
    switch (this.#state) {
      case 'text':
        return this.#state;
      case 'comment':
      case 'raw':
        return [this.#state, this.#element, this.#end].join(' ');
      case 'tagName':
      case 'between':
        return [this.#state, ...inTag].join(' ');
      case 'value':
        return [this.#state, ...inTag, this.#attribute, this.#quote].join(' ');
      default:
        return [this.#state, ...inTag, this.#attribute].join(' ');
    }
  }

  /** Unique for a beginning that does not decide the encoding yet. */
  #kindOfPrefix(): unknown {
    const decoded = decodeEntities(this.#prefix);
    if (this.#state !== 'value') return '';
    return /[/?#:]/.test(decoded) && !decoded.includes('&') ? this.#inUrl() : decoded;
  }

  encodeHere(): Encode {
    if (this.#state === 'text') return escapeHtml;
    if (this.#state === 'raw') return this.#inRawText();
    if (this.#state === 'beforeValue') this.#beginValue('');
    if (this.#state !== 'value') return omit;
    const encode = this.#inAttribute();
    this.#hadTag = true;
    return encode;
  }

  #inRawText(): Encode {
    if (this.#element === 'style') return asStyleValue;
    return this.#element === 'title' || this.#element === 'textarea' ? escapeHtml : omit;
  }

  #inAttribute(): Encode {
    if (LINKS.has(this.#attribute) || IMAGES.has(this.#attribute)) return this.#inUrl();
    if (this.#attribute === 'style') return asStyleValue;
    if (this.#attribute.startsWith('on') || this.#attribute === 'srcdoc') return omit;
    return this.#quote === '' ? asUnquoted : escapeHtml;
  }

  #inUrl(): Encode {
    const before = decodeEntities(this.#prefix).replaceAll(/[\s\0]/g, '');
    if (before === '' && !this.#hadTag) return IMAGES.has(this.#attribute) ? asImage : asLink;
    const beginning = /^[^/?#]*/.exec(before)![0].toLowerCase();
    // An unresolved reference may be the colon of a scheme.
    if (beginning.includes('&')) return omit;
    const colon = beginning.indexOf(':');
    if (colon === -1) return asUrlPart;
    const scheme = beginning.slice(0, colon);
    if (scheme === 'mailto') return asMailtoPart;
    return ['http', 'https', 'tel', 'sms', 'cid'].includes(scheme) ? asUrlPart : omit;
  }
}

function isLetter(character: string): boolean {
  return /[a-z]/i.test(character);
}

function spanEnd(text: string, from: number, stops: string): number {
  let at = from;
  while (at < text.length && !stops.includes(text[at]!)) at += 1;
  return at;
}

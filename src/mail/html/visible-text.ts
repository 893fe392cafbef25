/**
 * Removes what a person who reads a message does not see: elements that their style hides, text in the colour of its
 * background, and characters without a shape. Software that reads the rest reads what people read.
 */
import { decodeEntities } from './entities.ts';
import { readTag, skipElement } from './tag.ts';
import { htmlToPlainText } from './text.ts';

export interface VisibleText {
  text: string;
  /** How many characters were left out. */
  hidden: number;
}

interface Open {
  name: string;
  /** With all that is in it. */
  isHidden: boolean;
  background: Colour;
  colour: Colour;
}

type Colour = readonly [number, number, number];

const WHITE: Colour = [255, 255, 255];
const BLACK: Colour = [0, 0, 0];
/** Deeper elements are read as parts of the one above them. */
const MAX_DEPTH = 500;
const VOID = new Set('area base br col embed hr img input link meta source track wbr'.split(' '));
const UNREAD = new Set('script style title template noscript textarea select'.split(' '));
/** Two colours with a smaller difference in each part look the same. */
const SAME = 24;
const NAMED: Record<string, Colour> = { white: WHITE, black: BLACK, snow: [255, 250, 250] };

/**
 * Zero-width characters, marks of direction, fillers, variation selectors and tags (Default_Ignorable_Code_Point), and
 * controls. Line breaks and tabs stay.
 */
const INVISIBLE = /[\p{DI}\p{Cc}\p{Cs}\p{Co}\u2800\ufff9-\ufffb](?<![\n\t])/gu;

export function dropInvisible(source: string): VisibleText {
  let hidden = 0;
  const text = source.replaceAll(/\r\n?/g, '\n').replaceAll(INVISIBLE, () => {
    hidden += 1;
    return '';
  });
  return { text, hidden };
}

/** The text of HTML that was cleaned (clean-html.ts). */
export function visibleText(html: string): VisibleText {
  const shown: string[] = [];
  const stack: Open[] = [];
  let hidden = 0;
  let at = 0;
  const isHidden = () => stack.at(-1)?.isHidden === true;
  while (at < html.length) {
    const open = html.indexOf('<', at);
    const textEnd = open === -1 ? html.length : open;
    if (isUnseen(stack.at(-1))) hidden += decodeEntities(html.slice(at, textEnd)).trim().length;
    else shown.push(html.slice(at, textEnd));
    if (open === -1) break;
    const { name, isClosing, isText, end } = readTag(html, open);
    at = end;
    if (isText) {
      if (!isUnseen(stack.at(-1))) shown.push('&lt;');
    } else if (UNREAD.has(name) && !isClosing) at = skipElement(html, end, name);
    else {
      const tag = html.slice(open, end);
      if (isClosing) close(stack, name);
      else if (name !== '' && !VOID.has(name) && stack.length < MAX_DEPTH)
        stack.push(enter(stack.at(-1), name, tag));
      if (!isHidden()) shown.push(tag);
    }
  }
  const { text, hidden: characters } = dropInvisible(htmlToPlainText(shown.join('')));
  return { text, hidden: hidden + characters };
}

/** Text in it may be in another colour. */
function isUnseen(open: Open | undefined): boolean {
  return open !== undefined && (open.isHidden || looksAlike(open.colour, open.background));
}

function close(stack: Open[], name: string): void {
  const index = stack.findLastIndex((open) => open.name === name);
  if (index !== -1) stack.length = index;
}

const STYLE = /\sstyle\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/i;
const BACKGROUND = /\sbgcolor\s*=\s*["']?([^\s"'>]+)/i;
const COLOUR = /\scolor\s*=\s*["']?([^\s"'>]+)/i;

function enter(parent: Open | undefined, name: string, tag: string): Open {
  const match = STYLE.exec(tag);
  const style = readStyle(decodeEntities(match?.[1] ?? match?.[2] ?? match?.[3] ?? ''));
  const background =
    readColour(style.get('background-color') ?? style.get('background') ?? BACKGROUND.exec(tag)?.[1]) ??
    parent?.background ??
    WHITE;
  const own = style.get('color') ?? COLOUR.exec(tag)?.[1];
  const colour = readColour(own) ?? parent?.colour ?? BLACK;
  const isHidden =
    parent?.isHidden === true || /\shidden(?:[\s=>]|$)/i.test(tag) || hides(style) || own === 'transparent';
  return { name, isHidden, background, colour };
}

function readStyle(style: string): Map<string, string> {
  const declarations = style
    .toLowerCase()
    .split(';')
    .map((declaration) => {
      const colon = declaration.indexOf(':');
      return [
        declaration.slice(0, colon).trim(),
        declaration
          .slice(colon + 1)
          .replace('!important', '')
          .trim(),
      ] as const;
    });
  return new Map(declarations);
}

function hides(style: Map<string, string>): boolean {
  const isTiny = (property: string, below: number) => {
    const value = style.get(property);
    return value !== undefined && /^[\d.]/.test(value) && Number.parseFloat(value) < below;
  };
  const isClipped = style.get('overflow') === 'hidden';
  return (
    style.get('display') === 'none' ||
    /^(?:hidden|collapse)$/.test(style.get('visibility') ?? '') ||
    isTiny('opacity', 0.1) ||
    isTinyFont(style.get('font-size')) ||
    /(?:^|\s)0(?:px|pt|em|%)?(?:\/|\s)/.test(style.get('font') ?? '') ||
    (isClipped && ['max-height', 'height', 'max-width', 'width'].some((property) => isTiny(property, 1)))
  );
}

/** Below 2 px, or a small part of the text around it. */
function isTinyFont(value: string | undefined): boolean {
  const [, number, unit] = /^(\d{1,9}|\d{0,9}\.\d{1,9})(px|pt|em|rem|%)?$/.exec(value ?? '') ?? [];
  if (number === undefined) return false;
  const least: Record<string, number> = { em: 0.15, rem: 0.15, '%': 15 };
  return Number(number) < (least[unit ?? 'px'] ?? 2);
}

function readColour(text: string | undefined): Colour | null {
  const value = text?.trim().toLowerCase() ?? '';
  const hex = /^#?([0-9a-f]{3}|[0-9a-f]{6})$/.exec(value)?.[1];
  if (hex !== undefined) {
    const long = hex.length === 3 ? [...hex].map((digit) => digit + digit).join('') : hex;
    return [0, 2, 4].map((start) => Number.parseInt(long.slice(start, start + 2), 16)) as unknown as Colour;
  }
  const parts = /^rgba?\(\s*(\d{1,3})[\s,]+(\d{1,3})[\s,]+(\d{1,3})/.exec(value);
  if (parts) return [Number(parts[1]), Number(parts[2]), Number(parts[3])];
  return Object.hasOwn(NAMED, value) ? NAMED[value]! : null;
}

function looksAlike(one: Colour, other: Colour): boolean {
  return one.every((part, index) => Math.abs(part - other[index]!) < SAME);
}

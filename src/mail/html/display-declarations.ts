/**
 * Cleans the declarations of a style sheet for display in a frame. Each value is checked and written again in one form,
 * so that a browser cannot read it differently. More is allowed than in the style attribute of stored HTML, because the
 * frame limits what a message can cover. Images are allowed in backgrounds, as `url('https://…')`; the display holds
 * them back together with other images.
 */
import { PROPERTIES } from './clean-style.ts';
import { splitAt, withoutComments } from './style-sheet.ts';

const ONLY_FOR_DISPLAY = new Set(
  (
    'background-size background-position background-repeat background-origin background-clip box-shadow text-shadow ' +
    'visibility content overflow-x overflow-y outline object-fit object-position aspect-ratio order gap row-gap ' +
    'column-gap flex flex-basis flex-direction flex-flow flex-grow flex-shrink flex-wrap align-items align-self ' +
    'align-content justify-content text-decoration-color text-decoration-line text-decoration-style ' +
    'text-decoration-thickness text-underline-offset font-stretch hyphens cursor'
  ).split(' '),
);
const TAKES_IMAGES = new Set(['background', 'background-image']);
const MAX_DECLARATIONS_LENGTH = 100_000;
const MAX_VALUE_LENGTH = 8_000;
const DECLARATION = /^([a-z-]{3,40})\s*:\s*(\S.*)$/is;
const IMPORTANT = / ?! ?important$/i;
/** A line break stays, because it ends a string that is not closed. */
const BLANKS = /[ \t\f]+/g;

const STRING = String.raw`"[^"'\\<>{}\n\r\f]*"|'[^"'\\<>{}\n\r\f]*'`;
const COLOUR = String.raw`(?:rgb|hsl)a?\([\d\s,.%/deg]*\)`;
const GRADIENT = String.raw`(?:linear|radial)-gradient\((?:[\w\s#.,%+-]|${COLOUR})*\)`;
const CALCULATION = String.raw`(?:calc|min|max|clamp)\((?:[\w\s.,%+*/-]|\([\w\s.,%+*/-]*\))*\)`;
/** Stands for an image in the value. */
const IMAGE_MARK = '\u0001';
const VALUE = new RegExp(
  String.raw`^(?:[\p{L}\p{N}\s_#.,%+/\u0001-]|${STRING}|${COLOUR}|${GRADIENT}|${CALCULATION})+$`,
  'iu',
);
/** The frame is as high as the message, so a size relative to the frame would grow without end. */
const OF_FRAME_HEIGHT = /[\d.][sld]?v(?:h|b|min|max)\b/i;
const URL_START = /url\(/gi;
const URL_VALUE = / ?(?:"([^"\\\n]*)"|'([^'\\\n]*)'|([^"'()\\\s]*)) ?\)/y;
const DATA_IMAGE = /^data:image\/(?:png|jpe?g|gif|webp);base64,[a-z0-9+/]*={0,2}$/i;

interface DisplayOptions {
  /** False where loading an image would tell more than that the message was opened. */
  images: boolean;
}

/** Returns the declarations without braces. Empty if none is allowed. */
export function cleanDeclarations(text: string, options: DisplayOptions): string {
  if (text.length > MAX_DECLARATIONS_LENGTH) return '';
  return splitAt(withoutComments(text), ';')
    .map((declaration) => cleanDeclaration(declaration, options))
    .filter((declaration) => declaration !== null)
    .join(';');
}

function cleanDeclaration(declaration: string, { images }: DisplayOptions): string | null {
  const [, written = '', whole = ''] = DECLARATION.exec(declaration.replaceAll(BLANKS, ' ')) ?? [];
  const property = written.toLowerCase();
  const important = IMPORTANT.test(whole) ? ' !important' : '';
  const value = whole.replace(IMPORTANT, '');
  if (property === 'position') return value === 'relative' || value === 'static' ? `position:${value}` : null;
  if (!PROPERTIES.has(property) && !ONLY_FOR_DISPLAY.has(property)) return null;
  const read = readImages(value, TAKES_IMAGES.has(property));
  if (!read || read.text.length > MAX_VALUE_LENGTH) return null;
  if (!VALUE.test(read.text) || OF_FRAME_HEIGHT.test(read.text)) return null;
  let next = 0;
  const shown = read.text.replaceAll(IMAGE_MARK, () => {
    const url = read.urls[next++]!;
    return images ? `url('${url}')` : 'none';
  });
  return `${property}:${shown.replaceAll(/\s+/g, ' ').trim()}${important}`;
}

/** Replaces each image by a mark. Returns null if one of them must not be loaded. */
function readImages(value: string, isAllowed: boolean): { text: string; urls: string[] } | null {
  if (value.includes(IMAGE_MARK)) return null;
  const urls: string[] = [];
  let text = '';
  let copied = 0;
  for (const { index } of value.matchAll(URL_START)) {
    if (index < copied) return null;
    URL_VALUE.lastIndex = index + 'url('.length;
    const found = isAllowed ? URL_VALUE.exec(value) : null;
    const url = found && toImageUrl(found[1] ?? found[2] ?? found[3]!);
    // An image that cannot be shown must not take the colour with it.
    if (found && !url) text += `${value.slice(copied, index)}none`;
    else if (url) {
      urls.push(url);
      text += value.slice(copied, index) + IMAGE_MARK;
    } else return null;
    copied = URL_VALUE.lastIndex;
    if (value[copied] !== undefined && !/[\s,]/.test(value[copied]!)) text += ' ';
  }
  return { text: text + value.slice(copied), urls };
}

/** Returns a URL without quotes, brackets, backslashes and spaces. */
function toImageUrl(written: string): string | null {
  const bare = written.trim();
  if (DATA_IMAGE.test(bare)) return bare;
  const address = bare.startsWith('//') ? `https:${bare}` : bare;
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address)) return null;
  return new URL(address).href.replaceAll(
    /[\s"'()<>\\{};]/g,
    (character) => `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );
}

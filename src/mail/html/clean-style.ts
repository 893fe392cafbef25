/**
 * Cleans the style attribute: colours, fonts, boxes and tables. The allowed characters exclude everything that loads
 * (`url()`, `image-set()`), computes (`expression()`), leaves its container (`position`, negative margins) or is
 * ambiguous (escapes, braces). A declaration is kept or dropped as a whole, except that a shorthand keeps the parts that
 * are allowed: a background its colour, a list its marker, and margins those that are not negative.
 */
import { splitAt, withoutComments } from './style-sheet.ts';

const SIDES = ['', '-top', '-right', '-bottom', '-left'];
export const PROPERTIES: ReadonlySet<string> = new Set([
  ...'color background background-color background-image opacity'.split(' '),
  ...'font font-family font-size font-style font-variant font-weight'.split(' '),
  ...'text-align text-decoration text-indent text-transform text-overflow text-align-last'.split(' '),
  ...'line-height letter-spacing word-spacing white-space word-break word-wrap overflow-wrap'.split(' '),
  ...'direction unicode-bidi vertical-align float clear display overflow box-sizing'.split(' '),
  ...'width min-width max-width height min-height max-height'.split(' '),
  ...'list-style list-style-type list-style-position'.split(' '),
  ...'table-layout border-collapse border-spacing caption-side empty-cells'.split(' '),
  ...'border-width border-style border-color border-radius'.split(' '),
  ...SIDES.flatMap((side) => [`margin${side}`, `padding${side}`, `border${side}`]),
  ...SIDES.slice(1).flatMap((side) => ['width', 'style', 'color'].map((part) => `border${side}-${part}`)),
  ...['top-left', 'top-right', 'bottom-right', 'bottom-left'].map((corner) => `border-${corner}-radius`),
]);
const MAX_STYLE_LENGTH = 100_000;
const MAX_DECLARATION_LENGTH = 4_000;
const DECLARATION = /^([a-z-]{3,40})\s*:\s*(\S.*)$/is;
/** The arguments are numbers and units. */
const COLOUR_FUNCTION = String.raw`(?:rgb|hsl)a?\([\d\s,.%/deg]*\)`;
const GRADIENT = String.raw`(?:linear|radial)-gradient\((?:[\w\s#.,%+-]|${COLOUR_FUNCTION})*\)`;
const VALUE = new RegExp(String.raw`^(?:[\p{L}\p{N}\s_#.,%+/!'"-]|${COLOUR_FUNCTION}|${GRADIENT})+$`, 'iu');
const NEGATIVE = /(?:^|[\s,/])-[\d.]/;
const COLOUR = new RegExp(`^(?:#[0-9a-f]{3,8}|[a-z]{3,24}|${COLOUR_FUNCTION})$`, 'i');
/** Words in a background that are not its colour. */
const PLACING = new Set(
  (
    'none inherit initial unset revert repeat repeat-x repeat-y no-repeat space round scroll fixed local left right ' +
    'top bottom center cover contain auto border-box padding-box content-box important url'
  ).split(' '),
);

export function cleanStyle(style: string): string {
  if (style.length > MAX_STYLE_LENGTH) return '';
  const declarations = splitAt(withoutComments(style), ';');
  const kept = declarations.map(keepAllowed);
  // Unchanged if nothing has to be removed.
  const isClean = !style.includes('/*') && kept.every((declaration, at) => declaration === declarations[at]);
  return isClean ? style.trim() : kept.filter((declaration) => declaration !== null).join(';');
}

function keepAllowed(declaration: string): string | null {
  const [, written = '', value = ''] = DECLARATION.exec(declaration) ?? [];
  const property = written.toLowerCase();
  if (!PROPERTIES.has(property)) return null;
  if (isHarmless(declaration, value)) return declaration;
  const repaired = repair(property, value);
  return repaired !== null && isHarmless(repaired, repaired) ? `${written}: ${repaired}` : null;
}

function isHarmless(declaration: string, value: string): boolean {
  return (
    declaration.length <= MAX_DECLARATION_LENGTH &&
    VALUE.test(value) &&
    !NEGATIVE.test(value) &&
    isEven(value, '"') &&
    isEven(value, "'")
  );
}

/** Keeps the allowed parts of a shorthand. Returns null if there are none. */
function repair(property: string, value: string): string | null {
  if (property === 'margin') return value.replaceAll(/(^|\s)-[\d.]+[a-z%]*/gi, '$10');
  if (property !== 'background' && property !== 'list-style') return null;
  const important = /!\s*important\s*$/i.test(value) ? ' !important' : '';
  // The image may touch its neighbours: `url(a.png)no-repeat`.
  const words = splitAt(splitAt(value.replaceAll(')', ') '), ',').join(' '), ' ');
  const kept =
    property === 'background'
      ? words.find((word) => COLOUR.test(word) && !PLACING.has(word.toLowerCase()))
      : words.find((word) => /^[a-z-]+$/i.test(word));
  return kept === undefined ? null : kept + important;
}

function isEven(text: string, mark: string): boolean {
  return text.split(mark).length % 2 === 1;
}

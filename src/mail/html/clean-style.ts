/**
 * Cleans the style attribute: colours, fonts, boxes and tables. A declaration is kept or dropped as a whole.
 * The allowed characters exclude everything that loads (`url()`, `image-set()`), computes (`expression()`),
 * leaves its container (`position`, negative margins) or is ambiguous (escapes, comments, braces).
 */
const SIDES = ['', '-top', '-right', '-bottom', '-left'];
const PROPERTIES = new Set([
  ...'color background background-color opacity'.split(' '),
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
const MAX_STYLE_LENGTH = 4_000;
const DECLARATION = /^([a-z-]{3,40})\s*:\s*(\S.*)$/is;
const VALUE = /^(?:[\p{L}\p{N}\s_#.,%+/!'"-]|(?:rgb|hsl)a?\([\d\s,.%/]*\))+$/iu;
const NEGATIVE = /(?:^|[\s,/])-[\d.]/;

export function cleanStyle(style: string): string {
  if (style.length > MAX_STYLE_LENGTH) return '';
  const declarations = style.split(';').map((declaration) => declaration.trim());
  const kept = declarations.filter(isHarmless);
  // Unchanged if nothing has to be removed.
  return kept.length === declarations.filter(Boolean).length ? style.trim() : kept.join(';');
}

function isHarmless(declaration: string): boolean {
  const [, property = '', value = ''] = DECLARATION.exec(declaration) ?? [];
  return (
    PROPERTIES.has(property.toLowerCase()) &&
    VALUE.test(value) &&
    !NEGATIVE.test(value) &&
    isEven(value, '"') &&
    isEven(value, "'")
  );
}

function isEven(text: string, mark: string): boolean {
  return text.split(mark).length % 2 === 1;
}

/**
 * The page around the content of an editor document: a column of 600 pixels, in the colours of the email. Outlook for
 * Windows supports neither max-width nor the padding of a div, and uses its own font in tables, so it gets a table and
 * a style sheet of its own in conditional comments, and the pixels of a screen with 96 dpi. An email without colours
 * of its own follows the dark mode of the email app; one with colours stays as designed.
 */
import { readColour, styled, type Fields } from './editor-attributes.ts';

const LETTER_WIDTH = 600;
const PAPER_PADDING = 32;
const TEXT = '#1f2328';

export const FONTS = new Map<unknown, string>([
  ['sans', 'Helvetica,Arial,sans-serif'],
  ['system', "-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,Helvetica,Arial,sans-serif"],
  ['verdana', 'Verdana,Geneva,sans-serif'],
  ['trebuchet', "'Trebuchet MS',Helvetica,sans-serif"],
  ['serif', "Georgia,'Times New Roman',serif"],
  ['mono', "'Courier New',Courier,monospace"],
]);

export interface EditorTheme {
  /** The colour around the column. */
  background: string | null;
  /** The colour of the column. */
  paper: string | null;
  text: string | null;
  link: string | null;
  button: string | null;
  font: string;
}

export function readTheme(attrs: Fields): EditorTheme {
  return {
    background: readColour(attrs.backgroundColor),
    paper: readColour(attrs.contentColor),
    text: readColour(attrs.textColor),
    link: readColour(attrs.linkColor),
    button: readColour(attrs.buttonColor),
    font: FONTS.get(attrs.fontFamily) ?? FONTS.get('sans')!,
  };
}

/** The width of the content. A column with a colour has padding. */
export function contentWidth({ paper }: EditorTheme): number {
  return paper === null ? LETTER_WIDTH : LETTER_WIDTH - 2 * PAPER_PADDING;
}

const PHONE =
  '@media (max-width:600px){' +
  '.ph-column{display:block!important;width:100%!important}' +
  '.ph-gutter,.ph-hide{display:none!important}' +
  '.ph-wide{width:100%!important;height:auto!important}}';
const DARK =
  '@media (prefers-color-scheme:dark){' +
  '.ph-page{background-color:#17181b!important}' +
  '.ph-letter{color:#e8e5de!important}' +
  '.ph-letter a{color:#8ab4f8}' +
  '.ph-soft{background-color:#24262b!important;color:#e8e5de!important}' +
  '.ph-face{background-color:#e8e5de!important}' +
  '.ph-face a{color:#17181b!important}' +
  '.ph-footer,.ph-footer a{color:#a6a39b!important}' +
  '.ph-line{border-color:#44474d!important}}';

/** `isTurned` is true for an email that is right to left. */
export function frameLetter(content: string, theme: EditorTheme, isTurned = false): string {
  const isOwn = theme.background !== null || theme.paper !== null || theme.text !== null;
  const scheme = isOwn ? 'light' : 'light dark';
  const page = { margin: '0', padding: '0', 'background-color': theme.background };
  const padding = theme.paper === null ? null : `${PAPER_PADDING}px`;
  const letter = styled({
    'max-width': `${LETTER_WIDTH}px`,
    margin: '0 auto',
    padding,
    'text-align': isTurned ? 'right' : 'left',
    'background-color': theme.paper,
    color: theme.text ?? TEXT,
    'font-family': theme.font,
    'font-size': '16px',
    'line-height': '1.5',
    'word-break': 'break-word',
  });
  const dir = isTurned ? ' dir="rtl"' : '';
  const bgcolor = bgcolorOf(theme.background);
  const outlookCell = `<td${bgcolorOf(theme.paper)}${styled({ padding })}>`;
  return [
    '<!doctype html><html xmlns:o="urn:schemas-microsoft-com:office:office"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width,initial-scale=1">',
    '<meta name="x-apple-disable-message-reformatting">',
    `<meta name="color-scheme" content="${scheme}"><meta name="supported-color-schemes" content="${scheme}">`,
    `<style>${PHONE}${isOwn ? '' : DARK}</style>${outlookHead(theme.font)}</head>`,
    `<body class="ph-page"${styled(page)}>`,
    `<table ${LAYOUT} width="100%" class="ph-page"${bgcolor}${styled({ 'background-color': theme.background })}>`,
    '<tr><td align="center" style="padding:24px 16px">',
    `<!--[if mso]><table ${LAYOUT}${dir} width="${LETTER_WIDTH}"><tr>${outlookCell}<![endif]-->`,
    `<div class="ph-letter"${dir}${letter}>`,
    content,
    '</div><!--[if mso]></td></tr></table><![endif]--></td></tr></table></body></html>',
  ].join('');
}

function bgcolorOf(colour: string | null): string {
  return colour === null ? '' : ` bgcolor="${colour}"`;
}

function outlookHead(font: string): string {
  const settings =
    '<o:OfficeDocumentSettings><o:PixelsPerInch>96</o:PixelsPerInch></o:OfficeDocumentSettings>';
  return `<!--[if mso]><xml>${settings}</xml><style>td,th,p,li,h1,h2,h3{font-family:${font}}</style><![endif]-->`;
}

/** The attributes of a table that is only used for layout. */
export const LAYOUT = 'role="presentation" cellpadding="0" cellspacing="0" border="0"';

/** Returns dark or light text, whichever is readable on this colour. */
export function textOn(background: string): string {
  return (brightnessOf(background) ?? 255) > 150 ? TEXT : '#ffffff';
}

/** True for colours that are nearly white. */
export function isPale(colour: string): boolean {
  return (brightnessOf(colour) ?? 0) > 220;
}

/** Returns the brightness from 0 to 255; null for colours that are not hexadecimal. */
function brightnessOf(colour: string): number | null {
  const hex = /^#([0-9a-f]{3}|[0-9a-f]{6})$/i.exec(colour)?.[1];
  if (!hex) return null;
  const full = hex.length === 3 ? hex.replaceAll(/./g, '$&$&') : hex;
  const [red, green, blue] = [0, 2, 4].map((at) => Number.parseInt(full.slice(at, at + 2), 16));
  return 0.299 * red! + 0.587 * green! + 0.114 * blue!;
}

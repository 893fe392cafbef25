/**
 * The HTML and CSS that email apps support, as rules for our output. Outlook for Windows renders with Word: no
 * flexbox, grid, positions, floats or background images, no max-width, and padding only in table cells. Gmail removes
 * a style sheet that is long or contains a URL, and everything that is not in `style` elements of the head or in
 * attributes. The rules are for HTML that we render, so patterns are enough to parse it.
 */
const TAGS = new Set(
  'html head meta style body table thead tbody tr td th div p h1 h2 h3 a img span strong em u s sub sup code pre blockquote ul ol li br hr'.split(
    ' ',
  ),
);
const PROPERTIES =
  /^(?:margin|padding|width|max-width|height|line-height|color|background-color|border(?:-[a-z]+)*|font-(?:size|weight|family|style)|text-(?:align|decoration|transform)|letter-spacing|vertical-align|white-space|word-break|display|mso-[a-z-]+)$/;
const CAN_HAVE_PADDING = new Set(['body', 'td', 'th']);
/** These elements are readable without padding. */
const MAY_LOSE_PADDING = new Set(['ul', 'ol', 'blockquote', 'code', 'pre']);
/** https://www.caniemail.com/features/html-style/ */
const MAX_STYLE_SHEET = 8192;
const MAX_WIDTH = 600;

interface Tag {
  name: string;
  attributes: Map<string, string>;
  styles: Map<string, string>;
}

export function findBrokenRules(html: string): string[] {
  const shown = html.replaceAll(/<!--[\s\S]*?-->/g, '');
  const tags = readTags(shown);
  return [
    ...checkStyleSheets(shown),
    ...checkColumn(html),
    ...tags.flatMap((tag, at) => checkTag(tag, tags[at - 1])),
  ];
}

function readTags(html: string): Tag[] {
  return [...html.matchAll(/<([a-z][a-z0-9:]*)((?:\s+[a-z:-]+(?:="[^"]*")?)*)\s*\/?>/g)].map(
    ([, name, rest]) => {
      const attributes = new Map(
        [...rest!.matchAll(/([a-z:-]+)(?:="([^"]*)")?/g)].map(([, key, value]) => [key!, value ?? '']),
      );
      const declarations = (attributes.get('style') ?? '').split(';').filter(Boolean);
      const styles = new Map(
        declarations.map((each): [string, string] => {
          const colon = each.indexOf(':');
          return [each.slice(0, colon).trim(), each.slice(colon + 1).trim()];
        }),
      );
      return { name: name!, attributes, styles };
    },
  );
}

function checkStyleSheets(html: string): string[] {
  const sheets = [...html.matchAll(/<style>([\s\S]*?)<\/style>/g)].map(([, sheet]) => sheet!);
  const [head = ''] = html.split('</head>');
  return [
    ...(sheets.join('').length > MAX_STYLE_SHEET ? ['The style sheet is too long for Gmail.'] : []),
    ...(sheets.some((sheet) => /url\(|@import|<!--/.test(sheet)) ? ['Gmail removes this style sheet.'] : []),
    ...(head.split('<style').length - 1 === sheets.length ? [] : ['Gmail drops a style sheet in the body.']),
    ...(head.includes('name="color-scheme"') ? [] : ['Apple Mail does not know about the dark mode.']),
  ];
}

/** Outlook does not support max-width. */
function checkColumn(html: string): string[] {
  const hasTable = /<!--\[if mso\]><table [^>]*width="600"[^>]*><tr><td[^>]*><!\[endif\]-->/.test(html);
  const opened = html.split('<!--[if mso]>').length;
  return [
    ...(hasTable ? [] : ['Outlook gets no table of 600 pixels.']),
    ...(opened === html.split('<![endif]-->').length ? [] : ['A conditional comment is not closed.']),
  ];
}

function checkTag(tag: Tag, before: Tag | undefined): string[] {
  const { name, attributes, styles } = tag;
  const broken: string[] = [];
  const fail = (rule: string) => broken.push(`<${name}> ${rule}`);
  if (!TAGS.has(name)) fail('is not for emails');
  for (const [property, value] of styles) {
    if (!PROPERTIES.test(property)) fail(`has the property ${property}`);
    if (/url\(|calc\(|var\(|expression\(|!important/.test(value)) fail(`has the value ${value}`);
  }
  if (/flex|grid/.test(styles.get('display') ?? '')) fail('uses flexbox or a grid');
  if (styles.has('padding') && !keepsPadding(tag, before)) fail('loses its padding in Outlook');
  if (styles.has('max-width') && name !== 'img' && attributes.get('class') !== 'ph-letter')
    fail('has a max-width that Outlook ignores');
  if (name === 'img') for (const rule of checkImage(tag)) fail(rule);
  if (name === 'table' && attributes.get('role') === 'presentation')
    for (const zero of ['cellpadding', 'cellspacing', 'border'])
      if (attributes.get(zero) !== '0') fail(`has no ${zero}="0"`);
  if (attributes.get('class')?.includes('ph-column') && !attributes.has('width'))
    fail('is a column without a width for Outlook');
  if (styles.has('background-color') && name === 'td' && !attributes.has('bgcolor'))
    fail('has no bgcolor for Outlook');
  return broken;
}

/** The cell around a button has the padding for Outlook. For the email as a whole, the table for Outlook has it. */
function keepsPadding({ name, attributes }: Tag, before: Tag | undefined): boolean {
  if (CAN_HAVE_PADDING.has(name) || MAY_LOSE_PADDING.has(name)) return true;
  if (name === 'a') return before?.styles.has('mso-padding-alt') ?? false;
  return attributes.get('class') === 'ph-letter';
}

function checkImage({ attributes }: Tag): string[] {
  const width = Number(attributes.get('width'));
  return [
    ...(attributes.has('alt') ? [] : ['has no alternative text']),
    // Outlook shows an image at its natural size unless the attribute sets another.
    ...(width > 0 && width <= MAX_WIDTH ? [] : [`has the width ${attributes.get('width')}`]),
    ...(/^(?:https?:\/\/|\{\{)/.test(attributes.get('src') ?? '') ? [] : ['is not on the web']),
  ];
}

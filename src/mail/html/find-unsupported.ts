/**
 * Finds HTML and CSS that large email apps ignore or remove, in one pass, without building a tree. Comments are
 * skipped, because their content is meant for Outlook alone.
 */
import { readTag, skipElement } from './tag.ts';
import { readAttributes } from './tag-attributes.ts';

/** Gmail uses only this much of all style sheets of an email. */
export const GMAIL_STYLE_BYTES = 16 * 1024;

interface UnsupportedParts {
  /** Elements, such as `<form>`, that email apps remove. */
  elements: string[];
  /** CSS, with the email apps that ignore it. */
  styles: string[];
  /** The total size of all style sheets. */
  styleBytes: number;
  /** Gmail drops a style sheet that contains a URL, and with it the rules for phones. */
  losesPhoneRules: boolean;
}

const ELEMENTS = new Set(
  'script form input select textarea button iframe frameset object embed applet video audio svg math canvas'.split(
    ' ',
  ),
);
/** If such a font is not loaded, the email is shown in the next font of its list. */
const FONTS = /^(?:https?:)?\/\/(?:[^/?#]*font|use\.typekit\.net\/)/i;
/** Real tags are shorter. */
const MAX_TAG = 100_000;
const RAW_TEXT = new Set(['script', 'style', 'title', 'textarea', 'xmp', 'template']);

interface Rule {
  property: RegExp;
  value: RegExp;
  /** The name that the author sees. */
  name: string;
}

const ANY = /(?:)/;
/** Each rule needs one of these words. Most CSS contains none of them and is skipped. */
const SUSPECT = /flex|grid|position|url\(|transform|animation|clip-path|mask|--/i;
const BACKGROUND = rule(/^background(?:-image)?$/, /url\(/, 'background-image (Outlook)');
const RULES: readonly Rule[] = [
  rule(/^display$/, /^(?:inline-)?flex\b/, 'display: flex (Outlook)'),
  rule(/^display$/, /^(?:inline-)?grid\b/, 'display: grid (Outlook, some apps of Gmail)'),
  rule(/^position$/, /^(?:absolute|fixed|sticky)\b/, 'position (Gmail, Outlook)'),
  BACKGROUND,
  rule(
    /^(?:transform|animation(?:-name)?|clip-path|mask(?:-image)?)$/,
    ANY,
    'animation and transform (Gmail, Outlook)',
  ),
  rule(/^--/, ANY, 'custom properties (Gmail, Outlook)'),
  rule(ANY, /\bvar\(/, 'custom properties (Gmail, Outlook)'),
];

function rule(property: RegExp, value: RegExp, name: string): Rule {
  return { property, value, name };
}

export function findUnsupported(html: string): UnsupportedParts {
  const elements = new Set<string>();
  const styles = new Set<string>();
  // Outlook shows a background image if the HTML also has it as VML.
  const hasVml = /<v:(?:rect|fill|image)\b/i.test(html);
  let styleBytes = 0;
  let losesPhoneRules = false;
  for (let at = html.indexOf('<'); at !== -1; at = html.indexOf('<', at)) {
    const open = at;
    const { name, isClosing, end } = readTag(html, open);
    at = end;
    if (isClosing || name === '') continue;
    if (ELEMENTS.has(name)) elements.add(`<${name}>`);
    if (RAW_TEXT.has(name)) {
      at = skipElement(html, end, name);
      if (name !== 'style') continue;
      const sheet = html.slice(end, at);
      styleBytes += Buffer.byteLength(sheet);
      losesPhoneRules ||= /url\(|@import/i.test(sheet) && /@media/i.test(sheet);
      addRules(styles, sheet, hasVml);
      continue;
    }
    if (end - open > MAX_TAG || !/style|rel/i.test(html.slice(open, end))) continue;
    const { attributes } = readAttributes(html, open + 1 + name.length);
    const valueOf = (wanted: string) => attributes.find((each) => each.name === wanted)?.value ?? '';
    addRules(styles, valueOf('style'), hasVml);
    if (name === 'link' && /stylesheet/i.test(valueOf('rel')) && !FONTS.test(valueOf('href')))
      elements.add('<link>');
  }
  return { elements: [...elements], styles: [...styles], styleBytes, losesPhoneRules };
}

function addRules(found: Set<string>, css: string, hasVml: boolean): void {
  if (!SUSPECT.test(css)) return;
  for (const piece of withoutComments(css).split(/[;{}]/)) {
    if (!SUSPECT.test(piece)) continue;
    const colon = piece.indexOf(':');
    const property = piece.slice(0, Math.max(colon, 0)).trim().toLowerCase();
    const value = piece
      .slice(colon + 1)
      .trim()
      .toLowerCase();
    for (const each of RULES) {
      if (hasVml && each === BACKGROUND) continue;
      if (each.property.test(property) && each.value.test(value)) found.add(each.name);
    }
  }
}

function withoutComments(css: string): string {
  let kept = '';
  let from = 0;
  for (let open = css.indexOf('/*'); open !== -1; open = css.indexOf('/*', from)) {
    kept += css.slice(from, open);
    const end = css.indexOf('*/', open + 2);
    if (end === -1) return kept;
    from = end + 2;
  }
  return kept + css.slice(from);
}

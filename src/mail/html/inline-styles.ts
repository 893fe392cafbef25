/**
 * Moves styles from style sheets into the elements, for email apps without style sheets. Rules that cannot be moved
 * stay in the style sheets as written: those for phones, for dark mode and for single email apps.
 */
import juice from 'juice';
import { IMPORTANT, raiseRules, type Node, type Tree } from './raise-rules.ts';
import { splitAt, splitSheet, type SheetPart } from './style-sheet.ts';

/** A short style sheet can produce a very long document. Beyond this size the document stays unchanged. */
const MAX_LENGTH = 2_000_000;
const BRACKETS = [
  { open: '<%', close: '%>' },
  { open: '{{', close: '}}' },
  { open: '{%', close: '%}' },
];
const PLACEHOLDER = /JUICE_CODE_BLOCK_(\d+)_(?:="")?/gi;
/** Style sheets for other media, such as print or phones, stay as they are. */
const EVERYWHERE = /^(?:all|screen)?$/i;

// Juice would protect tags itself, but scans the whole document once for each of them.
for (const name of Object.keys(juice.codeBlocks)) delete juice.codeBlocks[name];
// These depend on user actions, or do not match elements.
juice.ignoredPseudos.push('checked', 'target', 'focus-within', 'focus-visible', 'before', 'after');
// `align` moves a table itself, not its text. `background` cannot be "none".
delete juice.styleToAttribute['text-align'];
delete juice.styleToAttribute['background-image'];
juice.juiceDocument = inlineDocument;

/**
 * Returns null when the result would be too long. The time grows with rules times elements and may be unlimited (a
 * variable that refers to itself), so this must run in a worker thread (offload/thread-pool.ts).
 */
export function inlineStyles(html: string): string | null {
  const tags: string[] = [];
  const protect = (found: string) => `JUICE_CODE_BLOCK_${tags.push(restore(found, tags)) - 1}_`;
  const protectedHtml = BRACKETS.reduce((text, brackets) => replaceBetween(text, brackets, protect), html);
  const restored = restore(juice(protectedHtml), tags);
  return restored.length > MAX_LENGTH ? null : restored;
}

function restore(text: string, tags: string[]): string {
  return text.replaceAll(PLACEHOLDER, (found, number: string) => tags[Number(number)] ?? found);
}

interface Sheet {
  node: Node;
  parts: SheetPart[];
}

/** Nothing is fetched, so linked style sheets stay linked. */
function inlineDocument(tree: Tree): Tree {
  const sheets = tree('style')
    .toArray()
    .filter(
      ({ attribs }) => EVERYWHERE.test(attribs['media']?.trim() ?? '') && attribs['data-embed'] === undefined,
    )
    .map((node): Sheet => ({
      node,
      parts: splitSheet(node.children.map(({ data }) => data ?? '').join('')),
    }));
  const lines = new Map<SheetPart, number>();
  let css = '';
  let line = 1;
  for (const part of sheets.flatMap(({ parts }) => parts)) {
    lines.set(part, line);
    if ('other' in part) continue;
    const rule = `${part.selectors.join(',')}${part.block}\n`;
    css += rule;
    line += rule.split('\n').length - 1;
  }
  const outlook = readOutlookParts(tree.html());
  const forced = tree('[style*="!"]').toArray().map(readForced);
  const sized = tree('img,table,td,th')
    .toArray()
    .map((node): Sized => ({ node, ...pickSizes(node) }));
  const inlined = juice.inlineDocument(tree, css, {
    applyWidthAttributes: true,
    applyHeightAttributes: true,
    applyAttributesTableElements: true,
    resolveCSSVariables: true,
    decodeStyleAttributes: true,
    removeInlinedSelectors: true,
  }) as Set<string>;
  for (const each of forced) restoreForced(each);
  for (const each of sized) restoreSizes(each);
  const isDone = (selector: string) => inlined.has(selector) && !isForOutlook(selector, outlook);
  for (const sheet of sheets) keepRest(tree, sheet, isDone, lines);
  return tree;
}

interface Forced {
  node: Node;
  written: string;
  /** The declarations without "!important". */
  declarations: string[];
}

function readForced(node: Node): Forced {
  const written = node.attribs['style']!;
  const declarations = splitAt(written, ';').filter((declaration) => IMPORTANT.test(declaration));
  return { node, written, declarations: declarations.map((each) => each.replace(IMPORTANT, '').trimEnd()) };
}

/**
 * Removes the "!important" that a rule of a style sheet would bring into the element, because it would override the
 * rules for phones. Declarations that the author wrote into the element keep it.
 */
function restoreForced({ node, written, declarations }: Forced): void {
  if (node.attribs['style'] === written) return;
  const added = declarations.map((declaration) => ` ${declaration} !important;`);
  node.attribs['style'] += added.join('').replaceAll('"', "'");
}

interface Sized {
  node: Node;
  width: string | undefined;
  height: string | undefined;
}

function pickSizes({ attribs }: Node): Omit<Sized, 'node'> {
  return { width: attribs['width'], height: attribs['height'] };
}

/**
 * Juice writes a size of "auto" into the attribute, and so overwrites the size that Outlook and images that are not
 * loaded need.
 */
function restoreSizes({ node: { attribs }, ...written }: Sized): void {
  for (const name of ['width', 'height'] as const) {
    if (attribs[name] !== 'auto') continue;
    if (written[name] === undefined) delete attribs[name];
    else attribs[name] = written[name];
  }
}

/**
 * Gmail drops a style sheet that loads something. These rules go into a sheet of their own, so that no other rules are
 * dropped with them.
 */
const LOADS = /^@(?:charset|import|namespace|font-face)/i;

function keepRest(
  tree: Tree,
  { node, parts }: Sheet,
  isDone: (selector: string) => boolean,
  lines: ReadonlyMap<SheetPart, number>,
): void {
  const rest = parts.flatMap((part) => {
    const line = lines.get(part)!;
    if ('other' in part) return raiseRules(tree, part, line);
    const selectors = part.selectors.filter((selector) => !isDone(selector));
    return selectors.length === 0 ? [] : raiseRules(tree, { selectors, block: part.block }, line);
  });
  const loading = rest.filter((text) => LOADS.test(text));
  const others = rest.filter((text) => !LOADS.test(text));
  if (loading.length > 0) tree(node).before(`<style>\n${loading.join('\n')}\n</style>`);
  if (others.length === 0) tree(node).remove();
  else node.children[0]!.data = `\n${others.join('\n')}\n`;
}

/** Content for Outlook alone is inside comments and has no elements in the tree. Its styles stay in the sheets. */
function readOutlookParts(html: string): string {
  const parts: string[] = [];
  for (let open = html.indexOf('<!--[if'); open !== -1; open = html.indexOf('<!--[if', open + 1)) {
    const end = html.indexOf('-->', open);
    if (end === -1) break;
    parts.push(html.slice(open, end));
    open = end;
  }
  return parts.join('').toLowerCase();
}

const SIMPLE_SELECTOR = /[.#]?[\w-]+/g;

/** True if the parts contain the tag, the classes and the ID of the last element of a selector. */
function isForOutlook(selector: string, outlook: string): boolean {
  const last = selector
    .toLowerCase()
    .split(/[\s>+~]/)
    .at(-1)!;
  const names = last.match(SIMPLE_SELECTOR) ?? [];
  return (
    names.length > 0 &&
    names.every((name) => outlook.includes(/^[.#]/.test(name) ? name.slice(1) : `<${name}`))
  );
}

/** A regular expression would scan to the end of the document from every unclosed bracket. */
function replaceBetween(
  text: string,
  { open, close }: (typeof BRACKETS)[number],
  replace: (found: string) => string,
): string {
  let replaced = '';
  let copied = 0;
  for (let start = text.indexOf(open); start !== -1; start = text.indexOf(open, copied)) {
    const end = text.indexOf(close, start + open.length);
    if (end === -1) break;
    replaced += text.slice(copied, start) + replace(text.slice(start, end + close.length));
    copied = end + close.length;
  }
  return replaced + text.slice(copied);
}

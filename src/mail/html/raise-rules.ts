/**
 * Adds "!important" to rules that stay in a style sheet, such as those for phones. The other rules move into the
 * elements, where they would override these. A rule that did not apply before must not apply afterwards.
 */
import juice from 'juice';
import { splitAt, splitSheet, type SheetPart } from './style-sheet.ts';

/** A part of juice that is missing from its types. */
interface Property {
  /** Positive if this one wins. */
  compareFunc(other: Property): number;
}
interface Internals {
  Selector: new (selector: string) => object;
  Property: new (
    name: string,
    value: string,
    selector: object,
    priority: number,
    place: number[],
  ) => Property;
}
const { Selector, Property } = juice as unknown as Internals;

/** A node of the tree that juice builds. */
export interface Node {
  attribs: Record<string, string>;
  children: { data?: string }[];
  /** The styles that juice has written into the element, by the name of the property. */
  styleProps?: Record<string, Property>;
}

export interface Tree {
  (selector: string): { toArray(): Node[] };
  (node: Node): { remove(): void; before(html: string): void };
  html(): string;
}

export const IMPORTANT = /!\s*important$/i;
/** States of an element. The selector is matched without them. */
const STATE = /:(?:hover|active|focus|visited|link|focus-within|focus-visible)\b/g;
const CONDITIONAL = /^@(?:media|supports)\b/i;
const MAX_DEPTH = 5;

/** `line` is the position of the rule among those that were moved. Later ones win if everything else is equal. */
export function raiseRules(tree: Tree, part: SheetPart, line: number): string {
  if ('other' in part) return raiseConditional(tree, part.other, line, 0);
  const isState = part.selectors.some((selector) => selector.search(STATE) !== -1);
  return isState ? raiseRule(tree, part, line) : part.selectors.join(',') + part.block;
}

function raiseConditional(tree: Tree, text: string, line: number, depth: number): string {
  const open = text.indexOf('{');
  if (!CONDITIONAL.test(text) || open === -1 || !text.endsWith('}') || depth > MAX_DEPTH) return text;
  const parts = splitSheet(text.slice(open + 1, -1)).map((part) =>
    'other' in part ? raiseConditional(tree, part.other, line, depth + 1) : raiseRule(tree, part, line),
  );
  return `${text.slice(0, open)}{${parts.join('')}}`;
}

function raiseRule(
  tree: Tree,
  { selectors, block }: Extract<SheetPart, { block: string }>,
  line: number,
): string {
  const found = selectors.map((selector) => ({
    selector,
    nodes: find(tree, selector.replaceAll(STATE, '')),
  }));
  const declarations = splitAt(block.slice(1, -1), ';').map((declaration) => {
    const name = nameOf(declaration);
    const isMoved = found.some(({ nodes }) => nodes.some((node) => overlapping(node, name).length > 0));
    const wins = found.every(({ selector, nodes }) => {
      const property = new Property(name, '', new Selector(selector), 0, [line, 0]);
      return nodes.every((node) => overlapping(node, name).every((moved) => property.compareFunc(moved) > 0));
    });
    return isMoved && wins && !IMPORTANT.test(declaration) ? `${declaration} !important` : declaration;
  });
  return `${selectors.join(',')}{${declarations.join(';')}}`;
}

function find(tree: Tree, selector: string): Node[] {
  try {
    return tree(selector).toArray();
  } catch {
    // The text is not a selector, or uses a later version of CSS.
    return [];
  }
}

/** `padding` and `padding-left` overlap, `font-size` and `font-family` do not. */
function overlapping({ styleProps = {} }: Node, name: string): Property[] {
  return Object.entries(styleProps)
    .filter(([other]) => other === name || other.startsWith(`${name}-`) || name.startsWith(`${other}-`))
    .map(([, property]) => property);
}

function nameOf(declaration: string): string {
  return declaration
    .slice(0, Math.max(declaration.indexOf(':'), 0))
    .trim()
    .toLowerCase();
}

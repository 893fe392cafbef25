/**
 * Finds words in components that a reader sees or hears but that are not from the texts in web/texts: text between tags,
 * and the values of attributes such as `aria-label`. Values that are chosen by a condition count too.
 */
import { parseSync, Visitor } from 'oxc-parser';

export interface VisibleText {
  line: number;
  text: string;
}

// oxlint-disable-next-line typescript/no-explicit-any -- the fields depend on the type of the node
type Node = { type: string; start: number; end: number } & Record<string, any>;

const SPOKEN = new Set([
  'alt',
  'aria-description',
  'aria-label',
  'aria-placeholder',
  'aria-roledescription',
  'aria-valuetext',
  'description',
  'heading',
  'hint',
  'label',
  'lead',
  'placeholder',
  'title',
]);
const WORD = /\p{L}{2,}/u;

export function findVisibleText(file: string, code: string): VisibleText[] {
  const found: VisibleText[] = [];
  const note = (node: Node, text: string) => {
    const words = text.replaceAll(/\s+/g, ' ').trim();
    if (WORD.test(words)) found.push({ line: code.slice(0, node.start).split('\n').length, text: words });
  };
  /** Notes the texts that an expression can result in. */
  const look = (node: Node | null): void => {
    if (node?.type === 'Literal' && typeof node.value === 'string') note(node, node.value);
    else if (node?.type === 'TemplateLiteral')
      note(node, node.quasis.map((part: Node) => part.value.cooked).join(' '));
    else if (node?.type === 'ConditionalExpression') [node.consequent, node.alternate].forEach(look);
    else if (node?.type === 'LogicalExpression') [node.left, node.right].forEach(look);
    else if (node?.type === 'JSXExpressionContainer') look(node.expression);
  };
  new Visitor({
    JSXText: (node) => note(node, decode(node.value)),
    JSXElement: (node) => node.children.filter(isExpression).forEach(look),
    JSXFragment: (node) => node.children.filter(isExpression).forEach(look),
    JSXAttribute: (node: Node) => SPOKEN.has(node.name.name) && look(node.value),
  }).visit(parseSync(file, code).program);
  return found;
}

function isExpression({ type }: Node): boolean {
  return type === 'JSXExpressionContainer';
}

/** A character reference such as &nbsp; is no word. */
function decode(text: string): string {
  return text.replaceAll(/&#?\w+;/g, ' ');
}

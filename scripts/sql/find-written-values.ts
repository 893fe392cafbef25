/**
 * Finds values of SQL statements that the code writes from text: an array literal, a LIKE pattern, a tsquery, a piece
 * of SQL. Such a value has a syntax of its own, in which a brace, a quote or a percent sign of a customer's text means
 * something.
 *
 * It looks at what is inserted into sql`…` and statement(db)`…`, and at the arguments of sql.raw, sql.lit, new Fragment
 * and runText. A value is written when it is a joined list, or a template or concatenation with a sign that has a
 * meaning in such a syntax (SIGN), directly or as a constant of the same file. It is fine when everything inserted is
 * a literal, an UPPER_CASE constant, or a call of a function that escapes (SAFE_CALLS), and outside of functions, where
 * there is no customer's text.
 */
import { parseSync } from 'oxc-parser';

export interface WrittenValue {
  line: number;
  /** The expression that writes the value, on one line. */
  text: string;
}

// oxlint-disable-next-line typescript/no-explicit-any -- the fields depend on the type of the node
type Node = { type: string; start: number; end: number } & Record<string, any>;

/** Functions whose result contains no character with a meaning in a pattern, a literal or SQL. */
const SAFE_CALLS = new Set(['escapeLike', 'encodeId', 'toSearchTerm', 'quote']);
const SIGN = /[{}[\]()%'"\\,&|!*<>]/;
const CONSTANT = /^[A-Z][A-Z0-9_]+$/;

export function findWrittenValues(file: string, code: string): WrittenValue[] {
  const program = parseSync(file, code).program as unknown as Node;
  const constants = new Map<string, Node[]>();
  const functions: Node[] = [];
  visit(program, (node) => {
    if (/Function/.test(node.type)) functions.push(node);
    if (node.type === 'VariableDeclarator' && node.id.type === 'Identifier' && node.init)
      constants.set(node.id.name, [...(constants.get(node.id.name) ?? []), node.init]);
  });
  const found = new Map<number, WrittenValue>();
  visit(program, (node) => {
    for (const value of valuesIn(node)) {
      for (const written of writtenIn(value, constants)) {
        if (!functions.some(({ start, end }) => start < written.start && written.end <= end)) continue;
        const text = code.slice(written.start, written.end).replaceAll(/\s+/g, ' ');
        found.set(written.start, { line: code.slice(0, written.start).split('\n').length, text });
      }
    }
  });
  return [...found.values()];
}

/** The expressions that become a parameter or a part of a statement at this node. */
function valuesIn(node: Node): Node[] {
  if (node.type === 'TaggedTemplateExpression') return isStatementTag(node.tag) ? node.quasi.expressions : [];
  if (node.type === 'NewExpression') return node.callee.name === 'Fragment' ? node.arguments : [];
  if (node.type !== 'CallExpression') return [];
  if (node.callee.name === 'runText') return node.arguments.slice(1, 2);
  const { object, property } = node.callee;
  return object?.name === 'sql' && /^(raw|lit)$/.test(property?.name) ? node.arguments.slice(0, 1) : [];
}

function isStatementTag(tag: Node): boolean {
  return tag.name === 'sql' || (tag.type === 'CallExpression' && tag.callee.name === 'statement');
}

function writtenIn(value: Node, constants: Map<string, Node[]>): Node[] {
  switch (value.type) {
    case 'Identifier':
      return (constants.get(value.name) ?? []).flatMap((init) =>
        init.type === 'Identifier' ? [] : writtenIn(init, constants),
      );
    case 'ConditionalExpression':
      return [value.consequent, value.alternate].flatMap((part) => writtenIn(part, constants));
    case 'LogicalExpression':
      return [value.left, value.right].flatMap((part) => writtenIn(part, constants));
    case 'TemplateLiteral':
      return hasSign(value) && !value.expressions.every(isSafe) ? [value] : [];
    case 'BinaryExpression':
      return value.operator === '+' && hasSign(value) ? [value] : [];
    case 'CallExpression':
      return isJoin(value) ? [value] : [];
    default:
      return [];
  }
}

function isSafe(node: Node): boolean {
  if (node.type === 'Identifier') return CONSTANT.test(node.name);
  if (node.type === 'MemberExpression') return isSafe(node.object);
  if (node.type === 'CallExpression') return SAFE_CALLS.has(node.callee.name);
  return node.type === 'Literal';
}

/** True if the text that stands in the code has a sign of the syntax. */
function hasSign(node: Node): boolean {
  if (node.type === 'TemplateLiteral') return node.quasis.some(({ value }: Node) => SIGN.test(value.raw));
  if (node.type === 'BinaryExpression') return hasSign(node.left) || hasSign(node.right);
  return node.type === 'Literal' && typeof node.value === 'string' && SIGN.test(node.value);
}

/** `list.join(…)`, but not sql.join, which inserts parameters. */
function isJoin({ callee }: Node): boolean {
  return (
    callee.type === 'MemberExpression' && callee.property.name === 'join' && callee.object.name !== 'sql'
  );
}

function visit(node: unknown, see: (node: Node) => void): void {
  if (Array.isArray(node)) return node.forEach((each) => visit(each, see));
  if (typeof node !== 'object' || node === null) return;
  if ('type' in node && typeof node.type === 'string') see(node as Node);
  for (const value of Object.values(node)) if (typeof value === 'object') visit(value, see);
}

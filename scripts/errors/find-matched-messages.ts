/**
 * Finds code that tells errors apart by their words: a search in a message (`error.message.startsWith('…')`,
 * `PATTERN.test(message)`), or a comparison with a text. A better sentence would change what such code does. Errors have
 * a code and a reason for that (src/platform/errors.ts).
 */
import { parseSync, Visitor } from 'oxc-parser';

export interface MatchedMessage {
  line: number;
  /** The expression, on one line. */
  text: string;
}

// oxlint-disable-next-line typescript/no-explicit-any -- the fields depend on the type of the node
type Node = { type: string; start: number; end: number } & Record<string, any>;

const SEARCHES = new Set([
  'startsWith',
  'endsWith',
  'includes',
  'indexOf',
  'search',
  'match',
  'matchAll',
  'localeCompare',
]);
const PATTERN_CALLS = new Set(['test', 'exec']);
const EQUALS = new Set(['===', '!==', '==', '!=']);

export function findMatchedMessages(file: string, code: string): MatchedMessage[] {
  const found: MatchedMessage[] = [];
  const note = (node: Node) =>
    void found.push({
      line: code.slice(0, node.start).split('\n').length,
      text: code.slice(node.start, node.end).replaceAll(/\s+/g, ' '),
    });
  new Visitor({
    CallExpression: (node) => isSearch(node) && note(node),
    BinaryExpression: (node) => isComparison(node) && note(node),
    SwitchStatement: (node) => isMessage(node.discriminant) && note(node),
  }).visit(parseSync(file, code).program);
  return found;
}

function isSearch({ callee, arguments: given }: Node): boolean {
  if (callee.type !== 'MemberExpression') return false;
  if (SEARCHES.has(callee.property.name)) return isMessage(callee.object);
  return PATTERN_CALLS.has(callee.property.name) && given.some(isMessage);
}

function isComparison({ operator, left, right }: Node): boolean {
  if (!EQUALS.has(operator)) return false;
  return (isMessage(left) && isText(right)) || (isMessage(right) && isText(left));
}

/** A constant with a text, or the text itself. Null, undefined and other variables are none. */
function isText(node: Node): boolean {
  if (node.type === 'Literal') return typeof node.value === 'string';
  return (
    node.type === 'TemplateLiteral' || (node.type === 'Identifier' && /^[A-Z][A-Z0-9_]+$/.test(node.name))
  );
}

function isMessage(node: Node): boolean {
  switch (node.type) {
    case 'Identifier':
      return node.name === 'message' || node.name === 'fault';
    case 'MemberExpression':
      return !node.computed && node.property.name === 'message';
    case 'CallExpression':
      // `message.toLowerCase()`, `String(error.message)`
      return node.callee.type === 'MemberExpression' && /^(?:to|trim|replace)/.test(node.callee.property.name)
        ? isMessage(node.callee.object)
        : node.callee.name === 'String' && node.arguments.some(isMessage);
    case 'ChainExpression':
    case 'ParenthesizedExpression':
    case 'TSNonNullExpression':
    case 'TSAsExpression':
      return isMessage(node.expression);
    case 'LogicalExpression':
      return isMessage(node.left);
    default:
      return false;
  }
}

/** Finds the regular expressions of a source file: literals, and the constant parts of arguments of `new RegExp`. */
import { parseSync } from 'oxc-parser';

export interface FoundPattern {
  source: string;
  flags: string;
  line: number;
  /** Whether parts of it are only known at run time. They could be text from a customer. */
  isMade: boolean;
}

type Node = { type: string; start: number } & Record<string, unknown>;

export function findPatterns(fileName: string, code: string): FoundPattern[] {
  const { program } = parseSync(fileName, code);
  const constants = new Map<string, Node>();
  const found: FoundPattern[] = [];
  let isMade = false;

  function unknown(): string {
    isMade = true;
    return 'x';
  }

  /** Returns the text of an expression. A letter replaces parts that are only known at run time. */
  function textOf(node: Node | undefined): string {
    switch (node?.type) {
      case 'Literal':
        return typeof node.value === 'string' ? node.value : patternOf(node).source || String(node.value);
      case 'Identifier':
        return textOf(constants.get(node.name as string));
      case 'TaggedTemplateExpression':
        return textOf({ ...(node.quasi as Node), isRaw: true });
      case 'TemplateLiteral': {
        const parts = (node.quasis as { value: { raw: string; cooked: string } }[]).map(({ value }) =>
          node.isRaw ? value.raw : value.cooked,
        );
        const inner = (node.expressions as Node[]).map(textOf);
        return parts.map((part, at) => part + (inner[at] ?? '')).join('');
      }
      case 'BinaryExpression':
        return textOf(node.left as Node) + textOf(node.right as Node);
      case 'ArrayExpression':
        return (node.elements as Node[]).map(textOf).join('|');
      case 'CallExpression': {
        const { object, property } = node.callee as { object?: Node; property?: { name: string } };
        if (property?.name === 'join') return textOf(object);
        return unknown();
      }
      case 'MemberExpression':
        return (node.property as Node).name === 'source' ? textOf(node.object as Node) : unknown();
      case 'NewExpression':
        return textOf((node.arguments as Node[])[0]);
      default:
        return unknown();
    }
  }

  function patternOf(node: Node): { source: string; flags: string } {
    const { pattern = '', flags = '' } = (node.regex ?? {}) as { pattern?: string; flags?: string };
    return { source: pattern, flags };
  }

  // Only constants of the module: those of a function may depend on its arguments.
  for (const statement of program.body as unknown as Node[]) {
    const declared = ((statement.declaration ?? statement) as Node).declarations as Node[] | undefined;
    for (const { id, init } of (declared ?? []) as { id?: { name?: string }; init?: Node }[])
      if (id?.name && init) constants.set(id.name, init);
  }
  visit(program, (node) => {
    if (node.type === 'Literal' && node.regex)
      found.push({ ...patternOf(node), line: lineOf(code, node), isMade: false });
    const isCall = node.type === 'NewExpression' || node.type === 'CallExpression';
    if (!isCall || (node.callee as Node).name !== 'RegExp') return;
    const [source, flags] = node.arguments as Node[];
    isMade = false;
    const text = textOf(source);
    found.push({ source: text, flags: flags ? textOf(flags) : '', line: lineOf(code, node), isMade });
  });
  return found;
}

function lineOf(code: string, { start }: Node): number {
  return code.slice(0, start).split('\n').length;
}

function visit(node: unknown, look: (node: Node) => void): void {
  if (typeof node !== 'object' || node === null) return;
  if (!Array.isArray(node) && typeof (node as Node).type === 'string') look(node as Node);
  for (const inner of Object.values(node)) visit(inner, look);
}

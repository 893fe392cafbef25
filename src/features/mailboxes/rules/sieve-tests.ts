/** Reads the tests of a Sieve script as conditions of rules. */
import type { SieveCursor } from './sieve-cursor.ts';
import { SieveFault } from './sieve-tokens.ts';
import type { RuleCondition, RuleOp } from './rules.schema.ts';

export type SieveTest =
  | { kind: 'constant'; value: boolean }
  | { kind: 'all' | 'any'; tests: SieveTest[] }
  /** Several conditions are alternatives. */
  | { kind: 'condition'; conditions: RuleCondition[] };

const MOST_DEPTH = 10;
const NEGATED: Partial<Record<RuleOp, RuleOp>> = { is: 'is_not', contains: 'not_contains' };
const FIELDS: Record<string, string> = {
  from: 'from',
  to: 'to',
  cc: 'cc',
  subject: 'subject',
  'list-id': 'list_id',
};

export function readTest(cursor: SieveCursor, depth: number): SieveTest {
  const { line } = cursor;
  if (depth > MOST_DEPTH) throw new SieveFault(line, 'the tests are nested too deeply');
  const name = String(cursor.expect('name').value);
  switch (name) {
    case 'true':
    case 'false':
      return { kind: 'constant', value: name === 'true' };
    case 'not':
      return negate(readTest(cursor, depth + 1), line);
    case 'allof':
    case 'anyof': {
      cursor.expect('mark', '(');
      const tests: SieveTest[] = [];
      do tests.push(readTest(cursor, depth + 1));
      while (cursor.takeIf('mark', ','));
      cursor.expect('mark', ')');
      return { kind: name === 'allof' ? 'all' : 'any', tests };
    }
    case 'size': {
      const how = cursor.expect('tag').value;
      const value = Number(cursor.expect('number').value);
      return condition([{ field: 'size', op: how === 'over' ? 'greater' : 'less', value }]);
    }
    case 'exists': {
      const names = cursor.strings();
      if (names.length > 1) throw new SieveFault(line, 'exists with several fields is not supported');
      return condition([{ field: fieldOf(names[0]!), op: 'exists', value: true }]);
    }
    case 'header':
    case 'address':
    case 'envelope':
    case 'body':
      return readComparison(cursor, name, line);
    default:
      throw new SieveFault(line, `the test ${name} is not supported`);
  }
}

function readComparison(
  cursor: SieveCursor,
  test: 'header' | 'address' | 'envelope' | 'body',
  line: number,
): SieveTest {
  let op: RuleOp = 'is';
  for (let tag = cursor.takeIf('tag'); tag; tag = cursor.takeIf('tag')) {
    switch (tag.value) {
      case 'is':
      case 'contains':
      case 'matches':
        op = tag.value;
        break;
      case 'comparator':
        if (String(cursor.expect('text').value).toLowerCase() !== 'i;ascii-casemap')
          throw new SieveFault(line, 'only the comparator i;ascii-casemap is supported');
        break;
      case 'all':
      case 'text':
        break;
      default:
        throw new SieveFault(line, `:${String(tag.value)} is not supported`);
    }
  }
  const fields = test === 'body' ? ['body'] : cursor.strings();
  const values = cursor.strings();
  if (test === 'envelope' && fields.some((field) => field.toLowerCase() !== 'to'))
    throw new SieveFault(line, 'envelope is supported only for "to"');
  return condition(
    fields.flatMap((field) =>
      values.map((value) => {
        const own = test === 'envelope' ? 'delivered_to' : test === 'body' ? 'body' : fieldOf(field);
        return { field: own, ...withoutEscapes(op, value, line) };
      }),
    ),
  );
}

function condition(conditions: RuleCondition[]): SieveTest {
  return { kind: 'condition', conditions };
}

function fieldOf(header: string): string {
  const lower = header.toLowerCase();
  return FIELDS[lower] ?? `header:${header}`;
}

/** Rules have no escape for wildcards: `abc*` without others is starts_with, `*abc` is ends_with. */
function withoutEscapes(op: RuleOp, value: string, line: number): Pick<RuleCondition, 'op' | 'value'> {
  if (op !== 'matches' || !value.includes('\\')) {
    if (op !== 'matches') return { op, value };
    const inner = value.replaceAll(/^\*|\*$/g, '');
    if (/[*?]/.test(inner)) return { op, value };
    if (value === `${inner}*` && inner) return { op: 'starts_with', value: inner };
    if (value === `*${inner}` && inner) return { op: 'ends_with', value: inner };
    return { op, value };
  }
  const bare = value.replaceAll(/\\(.)/g, '$1');
  const wild = value.replaceAll(/\\./g, '');
  if (wild.indexOf('*') === wild.length - 1 && !wild.includes('?') && value.endsWith('*'))
    return { op: 'starts_with', value: bare.slice(0, -1) };
  if (wild.lastIndexOf('*') === 0 && !wild.includes('?') && value.startsWith('*'))
    return { op: 'ends_with', value: bare.slice(1) };
  throw new SieveFault(line, 'escaped wildcards are not supported here');
}

function negate(test: SieveTest, line: number): SieveTest {
  if (test.kind === 'constant') return { kind: 'constant', value: !test.value };
  if (test.kind !== 'condition') throw new SieveFault(line, 'not before allof or anyof is not supported');
  return condition(
    test.conditions.map(({ field, op, value }) => {
      if (op === 'exists') return { field, op, value: value === false };
      const negated = NEGATED[op];
      if (!negated) throw new SieveFault(line, 'not is supported with :is, :contains and exists');
      return { field, op: negated, value };
    }),
  );
}

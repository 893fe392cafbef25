/** Writes rules as a Sieve script (RFC 5228). What Sieve does not have stands in it as a comment. */
import type { Rule, RuleAction, RuleCondition } from './rules.schema.ts';

/** `folders` has the names of folders by their IDs. */
export function writeSieve(rules: readonly Rule[], folders: ReadonlyMap<string, string>): string {
  const needed = new Set<string>();
  const blocks = rules.map((rule) => writeRule(rule, folders, needed));
  const require = needed.size > 0 ? `require [${[...needed].toSorted().map(quote).join(', ')}];\n\n` : '';
  return `${require}${blocks.join('\n')}`;
}

function writeRule(rule: Rule, folders: ReadonlyMap<string, string>, needed: Set<string>): string {
  const own = new Set<string>();
  const tests = rule.conditions.map((condition) => writeTest(condition, own));
  const unknown = rule.conditions.find((_condition, at) => tests[at] === null);
  const head = `# rule: ${rule.name.replaceAll(/[\r\n]/g, ' ')}\n`;
  if (unknown)
    return `${head}# Sieve cannot test ${unknown.field.replaceAll(/[\r\n]/g, ' ')}: this rule is left out.\n`;
  for (const name of own) needed.add(name);
  const actions = rule.actions.flatMap((action) => writeAction(action, folders, needed));
  if (rule.stop) actions.push('stop;');
  if (!rule.enabled) tests.unshift('false');
  const joined = tests.length === 0 ? 'true' : joinTests(tests as string[], rule);
  return `${head}if ${joined} {\n${actions.map((line) => `  ${line}\n`).join('')}}\n`;
}

function joinTests(tests: string[], { match, enabled }: Rule): string {
  if (tests.length === 1) return tests[0]!;
  if (match === 'any' && !enabled) return `allof (false, anyof (${tests.slice(1).join(', ')}))`;
  return `${match === 'all' ? 'allof' : 'anyof'} (${tests.join(', ')})`;
}

const HEADERS: Record<string, string> = {
  from: 'from',
  to: 'to',
  cc: 'cc',
  subject: 'subject',
  list_id: 'list-id',
};

/** Null if Sieve cannot express it. */
function writeTest({ field, op, value }: RuleCondition, needed: Set<string>): string | null {
  if (field === 'size') return `size ${op === 'greater' ? ':over' : ':under'} ${Math.floor(Number(value))}`;
  const header = field.startsWith('header:') ? field.slice('header:'.length) : HEADERS[field];
  if (op === 'exists') {
    if (header === undefined) return null;
    return `${value === false ? 'not ' : ''}exists ${quote(header)}`;
  }
  const not = op === 'is_not' || op === 'not_contains' ? 'not ' : '';
  const { how, key } = comparison(op, String(value));
  if (field === 'body') {
    needed.add('body');
    return `${not}body :text ${how} ${key}`;
  }
  if (field === 'delivered_to') {
    needed.add('envelope');
    return `${not}envelope ${how} "to" ${key}`;
  }
  if (header === undefined) return null;
  const isAddress = how === ':is' && ['from', 'to', 'cc'].includes(field);
  return `${not}${isAddress ? 'address' : 'header'} ${how} ${quote(header)} ${key}`;
}

function comparison(op: RuleCondition['op'], value: string): { how: string; key: string } {
  switch (op) {
    case 'is':
    case 'is_not':
      return { how: ':is', key: quote(value) };
    case 'starts_with':
      return { how: ':matches', key: quote(`${escapeWildcards(value)}*`) };
    case 'ends_with':
      return { how: ':matches', key: quote(`*${escapeWildcards(value)}`) };
    case 'matches':
      return { how: ':matches', key: quote(value.replaceAll('\\', '\\\\')) };
    default:
      return { how: ':contains', key: quote(value) };
  }
}

function escapeWildcards(text: string): string {
  return text.replaceAll(/[\\*?]/g, '\\$&');
}

function writeAction(
  action: RuleAction,
  folders: ReadonlyMap<string, string>,
  needed: Set<string>,
): string[] {
  const flag = (how: string, name: string) => {
    needed.add('imap4flags');
    return [`${how} ${quote(name)};`];
  };
  const into = (name: string) => {
    needed.add('fileinto');
    return [`fileinto ${quote(name)};`];
  };
  switch (action.type) {
    case 'label':
      return flag('addflag', action.value);
    case 'unlabel':
      return flag('removeflag', action.value);
    case 'read':
      return flag('addflag', '\\Seen');
    case 'star':
      return flag('addflag', '\\Flagged');
    case 'move':
      return into(folders.get(action.value) ?? action.value);
    case 'spam':
      return into('Spam');
    case 'trash':
      return into('Trash');
    case 'forward':
      needed.add('copy');
      return [`redirect :copy ${quote(action.to)};`];
    case 'reply':
      needed.add('vacation');
      return [`vacation :days 4 :handle ${quote(action.saved_reply_id)} "";`];
    default:
      return [`# Sieve has no action ${action.type}.`];
  }
}

function quote(text: string): string {
  return `"${text.replaceAll(/["\\]/g, '\\$&')}"`;
}

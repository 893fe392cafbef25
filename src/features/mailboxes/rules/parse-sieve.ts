/**
 * Reads a Sieve script as rules: the part of RFC 5228 that rules have, with fileinto, imap4flags, envelope, body, copy and
 * vacation. Whatever else it has is reported with its line, and nothing is used then.
 */
import { ruleInput, type RuleAction, type RuleCondition, type RuleInput } from './rules.schema.ts';
import { SieveCursor } from './sieve-cursor.ts';
import { readTokens, SieveFault, type SieveToken } from './sieve-tokens.ts';
import { readTest, type SieveTest } from './sieve-tests.ts';

export interface SieveNames {
  /** IDs of folders by their names in lower case. */
  folders: ReadonlyMap<string, string>;
  savedReplies: ReadonlySet<string>;
}

interface Problem {
  line: number;
  message: string;
}

const EXTENSIONS = [
  'fileinto',
  'imap4flags',
  'envelope',
  'body',
  'copy',
  'vacation',
  'comparator-i;ascii-casemap',
];

export function parseSieve(script: string, names: SieveNames): { rules: RuleInput[]; problems: Problem[] } {
  const problems: Problem[] = [];
  const rules: RuleInput[] = [];
  try {
    const cursor = new SieveCursor(readTokens(script));
    while (cursor.peek()) {
      const start = cursor.line;
      try {
        const rule = readRule(cursor, names, rules.length);
        if (rule) rules.push(rule);
      } catch (error) {
        if (!(error instanceof SieveFault)) throw error;
        problems.push({ line: error.line, message: error.message });
        skipStatement(cursor, start);
      }
    }
  } catch (error) {
    if (!(error instanceof SieveFault)) throw error;
    problems.push({ line: error.line, message: error.message });
  }
  return { rules, problems };
}

/** Goes on after the next semicolon or block. */
function skipStatement(cursor: SieveCursor, _start: number): void {
  for (let depth = 0; ;) {
    const token = cursor.next();
    if (!token) return;
    if (token.value === '{' && token.kind === 'mark') depth += 1;
    if (token.value === '}' && token.kind === 'mark' && --depth <= 0) return;
    if (token.value === ';' && token.kind === 'mark' && depth === 0) return;
  }
}

function readRule(cursor: SieveCursor, names: SieveNames, no: number): RuleInput | null {
  const { line } = cursor;
  const name = nameOf(cursor) ?? `Rule ${no + 1}`;
  cursor.lastComment = null;
  if (cursor.takeIf('name', 'require')) {
    for (const extension of cursor.strings())
      if (!EXTENSIONS.includes(extension.toLowerCase()))
        throw new SieveFault(line, `the extension ${extension} is not supported`);
    cursor.expect('mark', ';');
    return null;
  }
  const isIf = cursor.takeIf('name', 'if') !== null;
  const test = isIf
    ? toConditions(readTest(cursor, 0), line)
    : { match: 'all' as const, conditions: [], enabled: true };
  const block = isIf ? readBlock(cursor, names) : readActions(cursor, names);
  const after = cursor.peek();
  if (after?.kind === 'name' && (after.value === 'elsif' || after.value === 'else'))
    throw new SieveFault(
      after.line,
      `${after.value} is not supported: write another if, with stop in the first`,
    );
  if (block.actions.length === 0) {
    if (!isIf && !block.stop) return null;
    throw new SieveFault(line, 'a rule needs an action that Posthorn has');
  }
  const parsed = ruleInput.safeParse({ name: name.slice(0, 200), ...test, ...block });
  if (!parsed.success) {
    const { path, message } = parsed.error.issues[0]!;
    throw new SieveFault(line, `${path.join('.')} ${message}`);
  }
  return parsed.data;
}

function nameOf(cursor: SieveCursor): string | null {
  cursor.peek();
  const comment = cursor.lastComment ?? '';
  return /^rule:/i.test(comment) ? comment.slice('rule:'.length).trim() || null : null;
}

interface Conditions {
  match: 'all' | 'any';
  conditions: RuleCondition[];
  enabled: boolean;
}

/** A rule has one level of conditions. */
function toConditions(test: SieveTest, line: number): Conditions {
  if (test.kind === 'constant') return { match: 'all', conditions: [], enabled: test.value };
  if (test.kind === 'any') {
    return {
      match: 'any',
      conditions: test.tests.flatMap((each) => alternatives(each, line)),
      enabled: true,
    };
  }
  if (test.kind === 'condition') {
    const conditions = alternatives(test, line);
    return { match: conditions.length > 1 ? 'any' : 'all', conditions, enabled: true };
  }
  const parts = test.tests.filter((each) => each.kind !== 'constant' || !each.value);
  const enabled = parts.every((each) => each.kind !== 'constant');
  const real = parts.filter((each) => each.kind !== 'constant');
  if (!enabled && real.length === 1 && real[0]!.kind === 'any')
    return { ...toConditions(real[0]!, line), enabled };
  const conditions = real.map((each) => {
    const own = alternatives(each, line);
    if (own.length > 1) throw new SieveFault(line, 'several values inside of allof are not supported');
    return own[0]!;
  });
  return { match: 'all', conditions, enabled };
}

function alternatives(test: SieveTest, line: number): RuleCondition[] {
  if (test.kind !== 'condition') throw new SieveFault(line, 'nested tests are not supported');
  if (
    test.conditions.length > 1 &&
    test.conditions.some(({ op }) => op === 'is_not' || op === 'not_contains')
  )
    throw new SieveFault(line, 'not with several values is not supported');
  return test.conditions;
}

interface Block {
  actions: RuleAction[];
  stop: boolean;
}

function readBlock(cursor: SieveCursor, names: SieveNames): Block {
  cursor.expect('mark', '{');
  const block: Block = { actions: [], stop: false };
  let keeps = false;
  let leaves = false;
  while (!cursor.takeIf('mark', '}')) {
    const command = cursor.peek();
    const { actions, stop } = readActions(cursor, names);
    block.actions.push(...actions);
    block.stop ||= stop;
    keeps ||=
      command?.value === 'keep' || actions.some(({ type }) => ['move', 'spam', 'trash'].includes(type));
    leaves ||= isPlainRedirect(command, actions);
  }
  // A redirect without :copy leaves no copy in the mailbox.
  if (leaves && !keeps) block.actions.push({ type: 'trash' });
  return block;
}

const copied = new WeakSet<RuleAction>();

function isPlainRedirect(command: SieveToken | undefined, actions: RuleAction[]): boolean {
  return command?.value === 'redirect' && actions.some((action) => !copied.has(action));
}

/** One command. */
function readActions(cursor: SieveCursor, names: SieveNames): Block {
  const { line } = cursor;
  const command = String(cursor.expect('name').value);
  const tags = new Set<string>();
  let handle: string | null = null;
  for (let tag = cursor.takeIf('tag'); tag; tag = cursor.takeIf('tag')) {
    tags.add(String(tag.value));
    if (tag.value === 'days') cursor.expect('number');
    else if (tag.value === 'handle') handle = String(cursor.expect('text').value);
    else if (tag.value === 'subject') cursor.expect('text');
    else if (tag.value !== 'copy') throw new SieveFault(line, `:${String(tag.value)} is not supported`);
  }
  const values = cursor.peek()?.kind === 'mark' && cursor.peek()?.value === ';' ? [] : cursor.strings();
  cursor.expect('mark', ';');
  const actions = toActions(command, values, { handle, names, line });
  if (tags.has('copy')) for (const action of actions) copied.add(action);
  return { actions, stop: command === 'stop' };
}

function toActions(
  command: string,
  values: string[],
  { handle, names, line }: { handle: string | null; names: SieveNames; line: number },
): RuleAction[] {
  switch (command) {
    case 'stop':
    case 'keep':
      return [];
    case 'discard':
      return [{ type: 'trash' }];
    case 'redirect':
      return values.map((to) => ({ type: 'forward', to }));
    case 'addflag':
    case 'setflag':
      return splitFlags(values).map((flag) => toFlag(flag, line));
    case 'removeflag':
      return splitFlags(values).map((value) => ({ type: 'unlabel', value }));
    case 'fileinto':
      return values.map((name) => toFolder(name, names, line));
    case 'vacation':
      if (handle === null || !names.savedReplies.has(handle))
        throw new SieveFault(line, 'vacation needs the :handle of a saved reply of the mailbox');
      return [{ type: 'reply', saved_reply_id: handle }];
    default:
      throw new SieveFault(line, `${command} is not supported`);
  }
}

/** A string may have several flags (RFC 5232 section 2). */
function splitFlags(values: string[]): string[] {
  return values.flatMap((value) => value.split(' ').filter(Boolean));
}

function toFlag(flag: string, line: number): RuleAction {
  const lower = flag.toLowerCase();
  if (lower === '\\seen') return { type: 'read' };
  if (lower === '\\flagged') return { type: 'star' };
  if (flag.startsWith('\\')) throw new SieveFault(line, `the flag ${flag} is not supported`);
  return { type: 'label', value: flag };
}

function toFolder(name: string, { folders }: SieveNames, line: number): RuleAction {
  const id = folders.get(name.toLowerCase());
  if (id === undefined) throw new SieveFault(line, `the folder ${JSON.stringify(name)} does not exist`);
  if (id === 'spam' || id === 'trash') return { type: id };
  return { type: 'move', value: id };
}

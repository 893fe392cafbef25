/**
 * Reads text with merge tags, conditions and loops into a tree:
 * `{% if plan == "pro" %}…{% elsif … %}…{% else %}…{% endif %}`, `{% unless … %}…{% endunless %}` and
 * `{% for item in event.items limit: 20 %}…{% endfor %}`. Nothing else of Liquid is known. In HTML, all branches must end
 * in the same place as each other, such as inside the same attribute, so that values after them are encoded for where
 * they stand. Text with a mistake is refused when it is saved; in text that is already stored, the tags stay as written.
 */
import { parseCondition, type TagCondition } from './conditions.ts';
import { decodeEntities } from './entities.ts';
import type { ContextReader, Encode } from './merge-context.ts';
import { TAG } from './tag-names.ts';

export interface Tag {
  name: string;
  /** The whole tag and its fallback, as written. */
  source: string;
  writtenFallback: string;
  /** Encodes a value for the context of the tag. Returns an empty string for a value that is not allowed there. */
  encode: Encode;
  /** The fallback, already encoded. */
  fallback: string;
  /** The fixed text after the tag. */
  after: string;
}

export interface TagTree {
  /** The fixed text before the first node. */
  before: string;
  nodes: TagNode[];
}

/** A condition of null always holds. */
interface Branch {
  condition: TagCondition | null;
  isNegated: boolean;
  tree: TagTree;
}

interface ForNode {
  variable: string;
  list: string;
  limit: number;
  tree: TagTree;
  after: string;
}

export type TagNode = Tag | { branches: Branch[]; after: string } | ForNode;

export interface TagProblem {
  message: string;
  /** From 1, in characters. */
  line: number;
  column: number;
}

export interface TreeSyntax {
  contexts: ContextReader;
  /** True for HTML, in which quotes and angle brackets of a condition may be written as character references. */
  isEscaped: boolean;
}

export const BLOCK_START = '{%';
const BLOCK_END = '%}';
/** The start of a tag that has no end. Other text may contain the same characters. */
const OPENED = /\{%\s{0,20}[a-z]/;
const MAX_DEPTH = 20;
const MAX_LOOP = 1_000;
const LOOP = /^([A-Za-z_]\w{0,63})\s+in\s+([A-Za-z_][\w.-]{0,63})(?:\s+limit:\s*(\d{1,9}))?$/;
/** The blocks that continue or end another one. */
const CONTINUES = /^(?:elsif|else|endif|endunless|endfor)$/;
const KNOWN = 'if, elsif, else, endif, unless, endunless, for or endfor';

interface Found {
  index: number;
  end: number;
  /** The match of a merge tag, or the name and the rest of a block. */
  tag: RegExpExecArray | null;
  name: string;
  rest: string;
}

class Mistake extends Error {
  readonly index: number;
  constructor(message: string, index: number) {
    super(message);
    this.index = index;
  }
}

/** Returns a tree, or the first mistake. */
export function parseTree(
  text: string,
  syntax: TreeSyntax,
): { tree: TagTree; problem: null } | { tree: null; problem: TagProblem } {
  try {
    const tree = new TreeParser(text, findAll(text, syntax.isEscaped), syntax).parse();
    return { tree, problem: null };
  } catch (error) {
    if (!(error instanceof Mistake)) throw error;
    return { tree: null, problem: { message: error.message, ...positionOf(text, error.index) } };
  }
}

/** Reads merge tags alone. */
export function parseFlat(text: string, syntax: TreeSyntax): TagTree {
  return new TreeParser(text, findTagsAlone(text, []), syntax).parse();
}

function positionOf(text: string, index: number): { line: number; column: number } {
  const lines = text.slice(0, index).split(/\r\n|\r|\n/);
  return { line: lines.length, column: [...lines.at(-1)!].length + 1 };
}

function findAll(text: string, isEscaped: boolean): Found[] {
  const blocks = findBlocks(text, isEscaped);
  return [...blocks, ...findTagsAlone(text, blocks)].toSorted((one, other) => one.index - other.index);
}

/** Returns the merge tags that are not inside a block. */
function findTagsAlone(text: string, blocks: Found[]): Found[] {
  let at = 0;
  const tags: Found[] = [];
  for (const match of text.matchAll(TAG)) {
    const end = match.index + match[0].length;
    while (at < blocks.length && blocks[at]!.end <= match.index) at += 1;
    const block = blocks[at];
    if (!block || block.index >= end) tags.push({ index: match.index, end, tag: match, name: '', rest: '' });
  }
  return tags;
}

function findBlocks(text: string, isEscaped: boolean): Found[] {
  const blocks: Found[] = [];
  for (let index = text.indexOf(BLOCK_START); index !== -1; index = text.indexOf(BLOCK_START, index)) {
    const close = text.indexOf(BLOCK_END, index + 2);
    if (close === -1) {
      const opened = text.slice(index).search(OPENED);
      if (opened !== -1) throw new Mistake('the tag is not closed with %}', index + opened);
      break;
    }
    const written = text.slice(index + 2, close);
    const inside = (isEscaped ? decodeEntities(written) : written).trim();
    const name = /^\S*/.exec(inside)![0];
    blocks.push({ index, end: close + 2, tag: null, name, rest: inside.slice(name.length).trim() });
    index = close + 2;
  }
  return blocks;
}

/** Replaces each tag between {% and %}, without reading it. */
export function mapBlocks(text: string, change: (tag: string) => string): string {
  let changed = '';
  let from = 0;
  for (let open = text.indexOf(BLOCK_START); open !== -1; open = text.indexOf(BLOCK_START, from)) {
    const close = text.indexOf(BLOCK_END, open + 2);
    if (close === -1) break;
    changed += text.slice(from, open) + change(text.slice(open, close + 2));
    from = close + 2;
  }
  return changed + text.slice(from);
}

class TreeParser {
  readonly #text: string;
  readonly #found: Found[];
  readonly #isEscaped: boolean;
  #contexts: ContextReader;
  #at = 0;

  constructor(text: string, found: Found[], { contexts, isEscaped }: TreeSyntax) {
    this.#text = text;
    this.#found = found;
    this.#isEscaped = isEscaped;
    this.#contexts = contexts;
  }

  parse(): TagTree {
    const tree = this.#readTree(0, 0);
    const extra = this.#found[this.#at];
    if (extra)
      throw new Mistake(
        CONTINUES.test(extra.name) ? `${show(extra)} has no beginning` : describeUnknown(extra),
        extra.index,
      );
    return tree;
  }

  /** Reads until a block that does not begin a node, which the caller must know. */
  #readTree(from: number, depth: number): TagTree {
    const before = this.#readFixed(from);
    const nodes: TagNode[] = [];
    for (let next = this.#found[this.#at]; next; next = this.#found[this.#at]) {
      if (next.tag) nodes.push(this.#readTag(next, next.tag));
      else if (next.name === 'if' || next.name === 'unless') nodes.push(this.#readChoice(next, depth + 1));
      else if (next.name === 'for') nodes.push(this.#readLoop(next, depth + 1));
      else break;
    }
    return { before, nodes };
  }

  /** Reads the fixed text up to the next tag. */
  #readFixed(from: number): string {
    const fixed = this.#text.slice(from, this.#found[this.#at]?.index);
    this.#contexts.read(fixed);
    return fixed;
  }

  #readTag(found: Found, match: RegExpExecArray): Tag {
    this.#at += 1;
    const fallback = (match[2] ?? '').trim();
    const encode = this.#contexts.encodeHere();
    return {
      name: match[1]!,
      source: match[0],
      writtenFallback: fallback,
      encode,
      // The fallback may be written escaped or plain. Both end up escaped once.
      fallback: encode(this.#isEscaped ? decodeEntities(fallback) : fallback),
      after: this.#readFixed(found.end),
    };
  }

  #readChoice(opening: Found, depth: number): TagNode {
    requireDepth(opening, depth);
    const end = `end${opening.name}`;
    const start = this.#contexts;
    const branches: Branch[] = [];
    const ends: ContextReader[] = [];
    let hasElse = false;
    for (let next = opening; next.name !== end;) {
      if (hasElse) throw new Mistake(`${show(next)} follows {% else %}`, next.index);
      hasElse = next.name === 'else';
      if (hasElse && next.rest !== '') throw new Mistake('{% else %} has no condition', next.index);
      const condition = hasElse ? null : readCondition(next);
      this.#at += 1;
      this.#contexts = start.copy();
      const tree = this.#readTree(next.end, depth);
      branches.push({ condition, isNegated: next.name === 'unless', tree });
      ends.push(this.#contexts);
      next = this.#requireNext(opening, [end, ...(hasElse ? [] : ['elsif', 'else'])]);
    }
    if (!hasElse) ends.push(start);
    return { branches, after: this.#endBlock(opening, ends) };
  }

  #readLoop(opening: Found, depth: number): TagNode {
    requireDepth(opening, depth);
    const match = LOOP.exec(opening.rest);
    if (!match)
      throw new Mistake('a loop is written as {% for item in event.items limit: 20 %}', opening.index);
    const limit = match[3] === undefined ? MAX_LOOP : Number(match[3]);
    if (limit > MAX_LOOP) throw new Mistake('a loop has at most 1000 items', opening.index);
    const start = this.#contexts;
    this.#at += 1;
    this.#contexts = start.copy();
    const tree = this.#readTree(opening.end, depth);
    this.#requireNext(opening, ['endfor']);
    const after = this.#endBlock(opening, [this.#contexts, start]);
    return { variable: match[1]!, list: match[2]!, limit, tree, after };
  }

  #requireNext(opening: Found, names: string[]): Found {
    const next = this.#found[this.#at];
    if (!next)
      throw new Mistake(`${show(opening)} is not closed with {% end${opening.name} %}`, opening.index);
    if (!names.includes(next.name)) {
      throw new Mistake(
        CONTINUES.test(next.name)
          ? `${show(next)} stands inside ${show(opening)}, which is not closed`
          : describeUnknown(next),
        next.index,
      );
    }
    return next;
  }

  #endBlock(opening: Found, ends: ContextReader[]): string {
    const [first, ...others] = ends;
    for (const other of others)
      if (!first!.join(other))
        throw new Mistake(
          `the HTML inside ${show(opening)} must end where it began, such as between tags or in the same attribute`,
          opening.index,
        );
    this.#contexts = first!;
    const closing = this.#found[this.#at++]!;
    if (closing.rest !== '') throw new Mistake(`${show(closing)} has no condition`, closing.index);
    return this.#readFixed(closing.end);
  }
}

function readCondition(found: Found): TagCondition {
  const condition = parseCondition(found.rest);
  if (typeof condition === 'string') throw new Mistake(condition, found.index);
  return condition;
}

function requireDepth(opening: Found, depth: number): void {
  if (depth > MAX_DEPTH)
    throw new Mistake(`conditions and loops are nested at most ${MAX_DEPTH} deep`, opening.index);
}

function show({ name }: Found): string {
  return `{% ${name.slice(0, 40)} %}`;
}

function describeUnknown(found: Found): string {
  return `${show(found)} is not a known tag. Use ${KNOWN}`;
}

/** Yields the tags that read values from outside the text, without those of the variables of loops. */
export function* outerTags({ nodes }: TagTree, variables: readonly string[] = []): Generator<Tag> {
  for (const node of nodes) {
    if ('encode' in node) {
      if (!isVariable(node.name, variables)) yield node;
    } else if ('branches' in node) {
      for (const { tree } of node.branches) yield* outerTags(tree, variables);
    } else {
      yield* outerTags(node.tree, [...variables, node.variable]);
    }
  }
}

/** Yields the names that conditions and loops read from outside the text. */
export function* readNames({ nodes }: TagTree, variables: readonly string[] = []): Generator<string> {
  for (const node of nodes) {
    if ('encode' in node) continue;
    if ('branches' in node) {
      for (const { condition, tree } of node.branches) {
        for (const name of condition?.names ?? []) if (!isVariable(name, variables)) yield name;
        yield* readNames(tree, variables);
      }
    } else {
      if (!isVariable(node.list, variables)) yield node.list;
      yield* readNames(node.tree, [...variables, node.variable]);
    }
  }
}

function isVariable(name: string, variables: readonly string[]): boolean {
  return variables.includes(name.split('.', 1)[0]!);
}

/**
 * Merge tags for all personalised text: `{{firstName}}`, `{{firstName,fallback=friend}}`. A text is parsed once, and
 * values are inserted between its fixed pieces. Text that only looks like a tag is kept as written. A tag without a
 * value and without a fallback is removed. Campaigns, templates, double opt-in mail and saved replies use the same
 * tags. `contact.firstName` is equivalent to `firstName`, and so on for every name. All of them but saved replies may have
 * conditions and loops (tag-tree.ts).
 */
import { holds, type ReadValue, type SpendSteps } from './conditions.ts';
import { asUrlPart, createContextReader, type Encode, type ContextReader } from './merge-context.ts';
import { renderSlots, type SlottedText } from './slotted-text.ts';
import { TAG } from './tag-names.ts';
import {
  BLOCK_START,
  outerTags,
  parseFlat,
  parseTree,
  readNames,
  type Tag,
  type TagNode,
  type TagProblem,
  type TagTree,
} from './tag-tree.ts';

export type TextKind = 'html' | 'plain';

export interface CompiledText {
  /** Each name once, in the order of the text: of tags first, then of conditions and loops. */
  names: string[];
  /** The same text with slots, for those who render it in another form. */
  slotted: SlottedText;
  /**
   * Null and the empty string mean that there is no value, so the fallback is used. `valueOf` is called for every tag,
   * including repeated ones. `countInserted` gets the length of every value.
   */
  render(valueOf: (name: string) => unknown, countInserted?: (length: number) => void): string;
}

/** True for text with conditions or loops, or with text that looks like them. */
export function hasBlocks(text: string): boolean {
  return text.includes(BLOCK_START);
}

/** Returns the first mistake in the conditions and loops of a text. Callers reject the text when it is saved. */
export function findTagProblem(text: string, kind: TextKind): TagProblem | null {
  if (!hasBlocks(text)) return null;
  return parseTree(text, { contexts: createReader(kind), isEscaped: kind === 'html' }).problem;
}

/** The sentence about a mistake, for after the name of the field. */
export function describeTagProblem({ message, line, column }: TagProblem): string {
  return `has a mistake in line ${line}, column ${column}: ${message}`;
}

/** Returns the fixed text before the first tag, and each tag with the fixed text after it. Reads no conditions. */
export function readTags(text: string, kind: TextKind): { before: string; tags: Tag[] } {
  const { before, nodes } = readFlat(text, kind);
  return { before, tags: nodes as Tag[] };
}

/** Text with a mistake was stored before conditions were known. Its conditions are shown as they are. */
function readTree(text: string, kind: TextKind): TagTree {
  const syntax = { contexts: createReader(kind), isEscaped: kind === 'html' };
  return (hasBlocks(text) ? parseTree(text, syntax).tree : null) ?? readFlat(text, kind);
}

function readFlat(text: string, kind: TextKind): TagTree {
  return parseFlat(text, { contexts: createReader(kind), isEscaped: kind === 'html' });
}

function createReader(kind: TextKind): ContextReader {
  return kind === 'html' ? createContextReader() : createPlainReader();
}

/** Yields the tags as written, without those of the variables of loops. Much faster than compiling the text. */
export function* findTags(text: string): Generator<{ name: string; fallback: string }> {
  const tree = readOuter(text);
  if (tree) {
    for (const { name, writtenFallback: fallback } of outerTags(tree)) yield { name, fallback };
    return;
  }
  for (const match of text.matchAll(TAG)) yield { name: match[1]!, fallback: (match[2] ?? '').trim() };
}

/** Returns each tag name once, from the first `maxTags` tags. */
export function tagNames(text: string, maxTags = Infinity): string[] {
  const names = new Set<string>();
  let count = 0;
  for (const { name } of findTags(text)) {
    names.add(name);
    if (++count >= maxTags) break;
  }
  return [...names];
}

/** Returns the tags that every recipient gets: those outside of conditions and loops. */
export function certainTags(text: string): { name: string; fallback: string }[] {
  const tree = readOuter(text);
  if (!tree) return [...findTags(text)];
  return tree.nodes.flatMap((node) =>
    'encode' in node ? [{ name: node.name, fallback: node.writtenFallback }] : [],
  );
}

export function certainNames(text: string): string[] {
  return certainTags(text).map(({ name }) => name);
}

/** Null when the text has no conditions and loops, or a mistake in them. Values are not encoded for their context. */
function readOuter(text: string): TagTree | null {
  return hasBlocks(text) ? parseTree(text, { contexts: createPlainReader(), isEscaped: true }).tree : null;
}

/** Returns each name once whose value the text reads: in tags, conditions and loops. */
export function usedNames(text: string): string[] {
  const tree = readOuter(text);
  return [...new Set([...tagNames(text), ...(tree ? readNames(tree) : [])])];
}

export function compileTags(text: string, kind: TextKind): CompiledText {
  const tree = readTree(text, kind);
  const slotted = toSlots(tree);
  return {
    names: [...new Set([...[...outerTags(tree)].map(({ name }) => name), ...readNames(tree)])],
    slotted,
    render: (valueOf, countInserted) => renderSlots(slotted, valueOf, countInserted),
  };
}

function toSlots({ before, nodes }: TagTree): SlottedText {
  return { before, slots: nodes.map(toSlot) };
}

function toSlot(node: TagNode): SlottedText['slots'][number] {
  const { after } = node;
  if ('encode' in node) return { name: node.name, write: (value) => fill(node, value), after };
  if ('tree' in node) {
    const { variable, list, limit, tree } = node;
    return { variable, list, limit, text: toSlots(tree), after };
  }
  const branches = node.branches.map(({ condition, isNegated, tree }) => ({
    holds: (read: ReadValue, spend: SpendSteps) =>
      condition === null || holds(condition, read, spend) !== isNegated,
    text: toSlots(tree),
  }));
  return { branches, after };
}

/** A value that is not allowed in this context counts as missing. */
export function fill({ encode, fallback }: Pick<Tag, 'encode' | 'fallback'>, value: string | null): string {
  return (value ? encode(value) : '') || fallback;
}

const ENDS_URL = /[\s<>()"]/;
/** Longer URLs do not work. */
const MAX_URL_LENGTH = 2_000;
const unchanged: Encode = (value) => value;

/** In plain text, a value inside a URL is percent-encoded, so that the URL stays valid. */
function createPlainReader(startsInUrl = false): ContextReader {
  let isInUrl = startsInUrl;
  return {
    read(fixed) {
      let start = fixed.length;
      const first = Math.max(0, start - MAX_URL_LENGTH);
      while (start > first && !ENDS_URL.test(fixed[start - 1]!)) start -= 1;
      if (start > 0) isInUrl = false;
      isInUrl ||= /https?:\/\//i.test(fixed.slice(start));
    },
    encodeHere: () => (isInUrl ? asUrlPart : unchanged),
    copy: () => createPlainReader(isInUrl),
    join(other) {
      isInUrl ||= other.encodeHere() === asUrlPart;
      return true;
    },
  };
}

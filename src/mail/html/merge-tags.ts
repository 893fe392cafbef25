/**
 * Merge tags for all personalised text: `{{firstName}}`, `{{firstName,fallback=friend}}`. A text is parsed once, and
 * values are inserted between its fixed pieces. Text that only looks like a tag is kept as written. A tag without a
 * value and without a fallback is removed. Campaigns, templates, double opt-in mail and saved replies use the same
 * tags. `contact.firstName` is equivalent to `firstName`, and so on for every name.
 */
import { decodeEntities } from './entities.ts';
import { asUrlPart, createContextReader, type Encode, type ContextReader } from './merge-context.ts';
import { renderSlots } from './slotted-text.ts';
import { TAG } from './tag-names.ts';

export type TextKind = 'html' | 'plain';

export interface CompiledText {
  /** Each name once, in the order of the text. */
  names: string[];
  /**
   * Null and the empty string mean that there is no value, so the fallback is used. `valueOf` is called for every tag,
   * including repeated ones.
   */
  render(valueOf: (name: string) => string | null): string;
}

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

/** Returns the fixed text before the first tag, and each tag with the fixed text after it. */
export function readTags(text: string, kind: TextKind): { before: string; tags: Tag[] } {
  const found = [...text.matchAll(TAG)];
  const before = text.slice(0, found[0]?.index);
  const contexts = kind === 'html' ? createContextReader() : createPlainReader();
  contexts.read(before);
  const tags = found.map((match, at): Tag => {
    const fallback = (match[2] ?? '').trim();
    const encode = contexts.encodeHere();
    const after = text.slice(match.index + match[0].length, found[at + 1]?.index);
    contexts.read(after);
    // The fallback may be written escaped or plain. Both end up escaped once.
    return {
      name: match[1]!,
      source: match[0],
      writtenFallback: fallback,
      encode,
      fallback: encode(kind === 'html' ? decodeEntities(fallback) : fallback),
      after,
    };
  });
  return { before, tags };
}

/** Yields the tags as written. Much faster than compiling the text. */
export function* findTags(text: string): Generator<{ name: string; fallback: string }> {
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

export function compileTags(text: string, kind: TextKind): CompiledText {
  const { before, tags } = readTags(text, kind);
  const slots = tags.map((tag) => ({
    name: tag.name,
    write: (value: string | null) => fill(tag, value),
    after: tag.after,
  }));
  return {
    names: [...new Set(tags.map((tag) => tag.name))],
    render: (valueOf) => renderSlots({ before, slots }, valueOf),
  };
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
function createPlainReader(): ContextReader {
  let isInUrl = false;
  return {
    read(fixed) {
      let start = fixed.length;
      const first = Math.max(0, start - MAX_URL_LENGTH);
      while (start > first && !ENDS_URL.test(fixed[start - 1]!)) start -= 1;
      if (start > 0) isInUrl = false;
      isInUrl ||= /https?:\/\//i.test(fixed.slice(start));
    },
    encodeHere: () => (isInUrl ? asUrlPart : unchanged),
  };
}

/**
 * Merge tags, for everything that is personalised: `{{firstName}}`, `{{firstName,fallback=friend}}`. A text is parsed
 * once; what differs from one recipient to the next is then put between fixed pieces. What looks like a tag but is
 * none stays as it was written, and a tag without a value and without a fallback leaves nothing behind.
 *
 * The tags are the same in campaigns, templates, double opt-in mail and saved replies. `contact.firstName` is another
 * spelling of `firstName`, and so for every name.
 */
import { decodeEntities } from './html-entities.ts';
import { asUrlPart, createPlaceReader, type Encode, type PlaceReader } from './merge-places.ts';
import { TAG } from './tag-names.ts';

export type TextKind = 'html' | 'plain';

export interface CompiledText {
  /** The names that it asks for, each once, in the order of the text. */
  names: string[];
  /**
   * Null and the empty text mean that there is no value, so the fallback stands in. `valueOf` is asked for each tag,
   * also for one that comes again.
   */
  render(valueOf: (name: string) => string | null): string;
}

export interface Tag {
  name: string;
  /** The whole tag, and its fallback, as they were written. */
  source: string;
  writtenFallback: string;
  /** Makes a value fit for the place of the tag; the empty text for a value that must not stand there. */
  encode: Encode;
  /** Fit for the place already. */
  fallback: string;
  /** The fixed piece that follows. */
  after: string;
}

/** The fixed text before the first tag, and the tags, each with the fixed text behind it. */
export function readTags(text: string, kind: TextKind): { before: string; tags: Tag[] } {
  const found = [...text.matchAll(TAG)];
  const before = text.slice(0, found[0]?.index);
  const places = kind === 'html' ? createPlaceReader() : createPlainReader();
  places.read(before);
  const tags = found.map((match, at): Tag => {
    const fallback = (match[2] ?? '').trim();
    const encode = places.place();
    const after = text.slice(match.index + match[0].length, found[at + 1]?.index);
    places.read(after);
    // Who writes HTML may have written the fallback escaped or plain: both come out once escaped.
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

/** The tags as they are written, one after the other; much quicker than to compile the text. */
export function* findTags(text: string): Generator<{ name: string; fallback: string }> {
  for (const match of text.matchAll(TAG)) yield { name: match[1]!, fallback: (match[2] ?? '').trim() };
}

/** The names that the tags ask for, each once; no more than the first `mostTags` tags are looked at. */
export function tagNames(text: string, mostTags = Infinity): string[] {
  const names = new Set<string>();
  let count = 0;
  for (const { name } of findTags(text)) {
    names.add(name);
    if (++count >= mostTags) break;
  }
  return [...names];
}

export function compileTags(text: string, kind: TextKind): CompiledText {
  const { before, tags } = readTags(text, kind);
  return {
    names: [...new Set(tags.map((tag) => tag.name))],
    render(valueOf) {
      let rendered = before;
      for (const tag of tags) rendered += fill(tag, valueOf(tag.name)) + tag.after;
      return rendered;
    },
  };
}

/** A value that must not stand in this place is as good as none. */
export function fill({ encode, fallback }: Pick<Tag, 'encode' | 'fallback'>, value: string | null): string {
  return (value ? encode(value) : '') || fallback;
}

const ENDS_ADDRESS = /[\s<>()"]/;
/** No address that works is longer. */
const MAX_ADDRESS_LENGTH = 2_000;
const asItIs: Encode = (value) => value;

/** In plain text a value inside of an address is encoded, so that the address still leads where it should. */
function createPlainReader(): PlaceReader {
  let isInAddress = false;
  return {
    read(fixed) {
      let start = fixed.length;
      const first = Math.max(0, start - MAX_ADDRESS_LENGTH);
      while (start > first && !ENDS_ADDRESS.test(fixed[start - 1]!)) start -= 1;
      if (start > 0) isInAddress = false;
      isInAddress ||= /https?:\/\//i.test(fixed.slice(start));
    },
    place: () => (isInAddress ? asUrlPart : asItIs),
  };
}

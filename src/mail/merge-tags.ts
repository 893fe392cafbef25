/**
 * Merge tags, for everything that is personalised: `{{firstName}}`, `{{firstName,fallback=friend}}`. A text is parsed
 * once; what differs from one recipient to the next is then put between fixed pieces. What looks like a tag but is
 * none stays as it was written, and a tag without a value and without a fallback leaves nothing behind.
 */
import { decodeEntities, escapeHtml } from './html-entities.ts';

export interface CompiledText {
  /** The names that it asks for, each once, in the order of the text. */
  names: string[];
  /**
   * Values are put in as text: escaped in HTML, as they are in plain text. Null and the empty text mean that there
   * is none, so the fallback stands in. `valueOf` is asked for each tag, also for one that comes again.
   */
  render(valueOf: (name: string) => string | null, escape: 'html' | 'plain'): string;
}

export interface Tag {
  name: string;
  fallback: { html: string; plain: string };
  /** The fixed piece that follows. */
  after: string;
}

// Each part ends where the next begins, so the time grows with the length of the text alone.
const TAG = /\{\{\s*([A-Za-z_][\w.-]{0,63})\s*(?:,\s*fallback\s*=([^{}]*))?\}\}/g;

/** The fixed text before the first tag, and the tags, each with the fixed text behind it. */
export function readTags(text: string): { before: string; tags: Tag[] } {
  const found = [...text.matchAll(TAG)];
  const tags = found.map((match, at): Tag => {
    const fallback = (match[2] ?? '').trim();
    return {
      name: match[1]!,
      // Who writes HTML may have written the fallback escaped or plain: both come out once escaped.
      fallback: { html: escapeHtml(decodeEntities(fallback)), plain: fallback },
      after: text.slice(match.index + match[0].length, found[at + 1]?.index),
    };
  });
  return { before: text.slice(0, found[0]?.index), tags };
}

export function compileTags(text: string): CompiledText {
  const { before, tags } = readTags(text);
  return {
    names: [...new Set(tags.map((tag) => tag.name))],
    render(valueOf, escape) {
      let rendered = before;
      for (const { name, fallback, after } of tags) {
        const value = valueOf(name);
        if (value === null || value === '') rendered += fallback[escape];
        else rendered += escape === 'html' ? escapeHtml(value) : value;
        rendered += after;
      }
      return rendered;
    },
  };
}

/** Merge tags in what somebody writes: which there are, and which of them stand for nothing. */
import { Extension } from '@tiptap/core';
import { Plugin, PluginKey } from '@tiptap/pm/state';
import { Decoration, DecorationSet } from '@tiptap/pm/view';
import { texts } from '../texts/en.ts';

/** As the server reads them. */
const TAG = /\{\{\s*([A-Za-z_][\w.-]{0,63})\s*(?:,\s*fallback\s*=([^{}]*))?\}\}/g;
const FIELDS = ['firstName', 'lastName', 'email'];

export interface WrittenTag {
  name: string;
  hasFallback: boolean;
  start: number;
  end: number;
}

export type IsUnknown = (tag: WrittenTag) => boolean;

export function findTags(text: string): WrittenTag[] {
  return [...text.matchAll(TAG)].map((match) => ({
    name: match[1]!,
    hasFallback: (match[2] ?? '').trim() !== '',
    start: match.index,
    end: match.index + match[0].length,
  }));
}

/** The names of tags in HTML, each once. */
export function namesOfTags(html: string, isUnknown: IsUnknown): string[] {
  const text = new DOMParser().parseFromString(html, 'text/html').body.textContent;
  return [
    ...new Set(
      findTags(text)
        .filter(isUnknown)
        .map(({ name }) => name),
    ),
  ];
}

/** A field of every contact or one of these; the case does not matter, and `contact.` may stand before it. */
export function isKnownTag(name: string, variables: readonly string[]): boolean {
  const known = [...FIELDS, ...variables].map((each) => each.toLowerCase());
  const lower = name.toLowerCase();
  return known.includes(lower) || known.includes(lower.replace(/^contact\./, ''));
}

const KEY = new PluginKey('mergeTags');

export const MarkedTags = Extension.create<{ isUnknown: IsUnknown }>({
  name: 'markedTags',
  addOptions: () => ({ isUnknown: () => false }),
  addProseMirrorPlugins() {
    const { isUnknown } = this.options;
    return [
      new Plugin({
        key: KEY,
        props: {
          decorations({ doc }) {
            const marks: Decoration[] = [];
            doc.descendants((node, position) => {
              if (!node.isTextblock) return;
              // A tag may be bold in part; anything that is no text counts as one character.
              const text = node.textBetween(0, node.content.size, undefined, '\ufffc');
              for (const tag of findTags(text)) {
                if (!isUnknown(tag)) continue;
                const from = position + 1 + tag.start;
                const attributes = { class: 'unknown-tag', title: texts.editor.unknownTag };
                marks.push(Decoration.inline(from, from + tag.end - tag.start, attributes));
              }
            });
            return DecorationSet.create(doc, marks);
          },
        },
      }),
    ];
  },
});

/** Finds merge tags in the text of the editor and marks those with unknown names. */
import { Extension } from '@tiptap/core';
import { Plugin, PluginKey } from '@tiptap/pm/state';
import { Decoration, DecorationSet } from '@tiptap/pm/view';
import { TAG } from '../../src/mail/html/tag-names.ts';

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

/**
 * Returns the names of the tags in HTML without duplicates: in text, and in addresses and descriptions of links
 * and images.
 */
export function namesOfTags(html: string, isUnknown: IsUnknown): string[] {
  const { body } = new DOMParser().parseFromString(html, 'text/html');
  const hidden = [...body.querySelectorAll('[href], [src], [alt]')].flatMap((element) =>
    ['href', 'src', 'alt'].map((name) => element.getAttribute(name) ?? ''),
  );
  const tags = [body.textContent, ...hidden].flatMap(findTags).filter(isUnknown);
  return [...new Set(tags.map(({ name }) => name))];
}

const KEY = new PluginKey('mergeTags');

export interface MarkedTagsOptions {
  isUnknown: IsUnknown;
  /** The tooltip of a mark. */
  title: string;
}

export const MarkedTags = Extension.create<MarkedTagsOptions>({
  name: 'markedTags',
  addOptions: () => ({ isUnknown: () => false, title: '' }),
  addProseMirrorPlugins() {
    const { isUnknown, title } = this.options;
    return [
      new Plugin({
        key: KEY,
        props: {
          decorations({ doc }) {
            const marks: Decoration[] = [];
            doc.descendants((node, position) => {
              if (node.type.name === 'variable') {
                const { id, fallback } = node.attrs as { id: string; fallback: string | null };
                const tag = { name: id, hasFallback: Boolean(fallback), start: 0, end: 1 };
                const attributes = { class: 'unknown-tag', title };
                if (isUnknown(tag)) marks.push(Decoration.node(position, position + 1, attributes));
              }
              if (!node.isTextblock) return;
              // A tag can be partly bold, so search the text of the whole block. Everything that is not text
              // counts as one character.
              const text = node.textBetween(0, node.content.size, undefined, '\ufffc');
              for (const tag of findTags(text)) {
                if (!isUnknown(tag)) continue;
                const from = position + 1 + tag.start;
                const attributes = { class: 'unknown-tag', title };
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

/** Finds merge tags in the text of the editor and marks those with unknown names. */
import { Extension } from '@tiptap/core';
import type { Node } from '@tiptap/pm/model';
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
 * Returns the names of the tags in HTML without duplicates: in text, and in the addresses and descriptions of links
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

/** Does the same for a document of the editor, including the settings of its blocks. */
export function namesInDocument(doc: Node, isUnknown: IsUnknown): string[] {
  const tags: WrittenTag[] = [];
  const addFrom = (attrs: object) => {
    const written = JSON.stringify(attrs);
    if (written.includes('{{')) tags.push(...findTags(written));
  };
  doc.descendants((node) => {
    if (node.type.name === 'variable') tags.push(tagOfChip(node));
    else if (!node.isText) addFrom(node.attrs);
    for (const { attrs } of node.marks) addFrom(attrs);
    if (node.isTextblock) tags.push(...findTags(textOf(node)));
  });
  return [...new Set(tags.filter(isUnknown).map(({ name }) => name))];
}

function tagOfChip({ attrs }: Node): WrittenTag {
  const { id, fallback } = attrs as { id: string; fallback: string | null };
  return { name: id, hasFallback: Boolean(fallback), start: 0, end: 1 };
}

/**
 * A tag can be partly bold, so the text of the whole block is used. Everything that is not text counts as one
 * character.
 */
function textOf(block: Node): string {
  return block.textBetween(0, block.content.size, undefined, '\ufffc');
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
                const attributes = { class: 'unknown-tag', title };
                if (isUnknown(tagOfChip(node)))
                  marks.push(Decoration.node(position, position + 1, attributes));
              }
              if (!node.isTextblock) return;
              for (const tag of findTags(textOf(node))) {
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

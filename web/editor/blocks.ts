/** The blocks that people can insert, for the menu of the toolbar and the list after a slash. */
import type { Editor, JSONContent } from '@tiptap/core';
import {
  CodeXml,
  Columns2,
  Columns3,
  Heading1,
  Heading2,
  Image,
  List,
  ListOrdered,
  Minus,
  PanelBottom,
  Pilcrow,
  Quote,
  Share2,
  Square,
  SquareMousePointer,
  Table,
  UnfoldVertical,
  type LucideIcon,
} from 'lucide-react';
import { queryClient } from '../api/query-client.ts';
import { brandQuery } from '../api/brand.ts';
import { texts } from '../texts/en.ts';
import { brandFooter } from './first-document.ts';
import { insertBlock, selectBlock } from './insertion.ts';

const t = texts.editor;

export interface Block {
  id: string;
  icon: LucideIcon;
  name: string;
  /** Other words that find it. */
  words: string;
  /** `ask` opens a dialog, for a block that is nothing without its fields. */
  run(editor: Editor, ask: (insertion: 'image' | 'button') => void): void;
}

const paragraph: JSONContent = { type: 'paragraph' };
const column: JSONContent = { type: 'column', content: [paragraph] };

export const BLOCKS: readonly Block[] = [
  text('text', Pilcrow, t.blocks.text, 'paragraph', (editor) => editor.chain().focus().setParagraph().run()),
  text('heading', Heading1, t.heading, 'title h1', (editor) =>
    editor.chain().focus().setHeading({ level: 1 }).run(),
  ),
  text('subheading', Heading2, t.subheading, 'title h2', (editor) =>
    editor.chain().focus().setHeading({ level: 2 }).run(),
  ),
  { id: 'image', icon: Image, name: t.image, words: 'picture photo', run: (_editor, ask) => ask('image') },
  {
    id: 'button',
    icon: SquareMousePointer,
    name: t.button,
    words: 'link call action',
    run: (_editor, ask) => ask('button'),
  },
  whole('columns2', Columns2, t.blocks.columns2, 'layout', { type: 'columns', content: [column, column] }),
  whole('columns3', Columns3, t.blocks.columns3, 'layout', {
    type: 'columns',
    content: [column, column, column],
  }),
  whole('divider', Minus, t.divider, 'line rule separator', { type: 'horizontalRule' }),
  whole('spacer', UnfoldVertical, t.blocks.spacer, 'space gap', { type: 'spacer' }),
  text('quote', Quote, t.quote, 'citation', (editor) => editor.chain().focus().toggleBlockquote().run()),
  text('bulletList', List, t.bulletList, 'bullets points', (editor) =>
    editor.chain().focus().toggleBulletList().run(),
  ),
  text('orderedList', ListOrdered, t.orderedList, 'numbers steps', (editor) =>
    editor.chain().focus().toggleOrderedList().run(),
  ),
  text('table', Table, t.blocks.table, 'grid rows cells', (editor) =>
    editor.chain().focus().insertTable({ rows: 3, cols: 2, withHeaderRow: true }).run(),
  ),
  whole('section', Square, t.blocks.section, 'box colour background', {
    type: 'section',
    attrs: { backgroundColor: '#f5f3ee', padding: 24 },
    content: [paragraph],
  }),
  whole('social', Share2, t.blocks.social, 'networks instagram facebook linkedin', {
    type: 'social',
    attrs: { links: [{ network: 'website', url: '' }] },
  }),
  whole('html', CodeXml, t.blocks.html, 'code source', { type: 'html' }),
  text('footer', PanelBottom, t.blocks.footer, 'address unsubscribe imprint', (editor) =>
    insertWhole(editor, brandFooter(queryClient.getQueryData(brandQuery.queryKey))),
  ),
];

/** The blocks whose names or words begin with each of the typed words. */
export function findBlocks(typed: string): Block[] {
  const wanted = typed.toLowerCase().split(/\s+/).filter(Boolean);
  return BLOCKS.filter(({ name, words }) => {
    const known = `${name} ${words}`.toLowerCase().split(/\s+/);
    return wanted.every((word) => known.some((each) => each.startsWith(word)));
  });
}

function text(
  id: string,
  icon: LucideIcon,
  name: string,
  words: string,
  run: (editor: Editor) => void,
): Block {
  return { id, icon, name, words, run };
}

function whole(id: string, icon: LucideIcon, name: string, words: string, block: JSONContent): Block {
  return {
    id,
    icon,
    name,
    words,
    run: (editor) => (block.content ? insertBlock(editor, block, 'inside') : insertWhole(editor, block)),
  };
}

/** Selects a block that has settings, so that they are shown. */
function insertWhole(editor: Editor, block: JSONContent): void {
  insertBlock(editor, block);
  if (block.type !== 'horizontalRule') selectBlock(editor, block.type!);
}

/** The blocks that people can insert, for the menu of the toolbar and the list that a slash opens. */
import type { ChainedCommands, Editor, JSONContent } from '@tiptap/core';
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
import { editorTexts } from '../texts/en/editor.ts';
import { brandFooter } from './first-document.ts';
import { insertBlock } from './insertion.ts';

const t = editorTexts;

export interface Block {
  id: string;
  icon: LucideIcon;
  name: string;
  /** Other words by which the block is found. */
  words: string;
  /** Returns the node to drop into the email. Null for a block that needs its fields first. */
  node: (() => JSONContent) | null;
  /** `ask` opens a dialog, for a block without a node. */
  run(editor: Editor, ask: (insertion: 'image' | 'button') => void): void;
}

const paragraph: JSONContent = { type: 'paragraph' };
const column: JSONContent = { type: 'column', content: [paragraph] };
const items: JSONContent[] = [{ type: 'listItem', content: [paragraph] }];

function tableRow(type: 'tableHeader' | 'tableCell'): JSONContent {
  const cell = { type, content: [paragraph] };
  return { type: 'tableRow', content: [cell, cell] };
}

export const BLOCKS: readonly Block[] = [
  text('text', Pilcrow, t.blocks.text, 'paragraph', paragraph, (chain) => chain.setParagraph()),
  text('heading', Heading1, t.heading, 'title h1', { type: 'heading', attrs: { level: 1 } }, (chain) =>
    chain.setHeading({ level: 1 }),
  ),
  text('subheading', Heading2, t.subheading, 'title h2', { type: 'heading', attrs: { level: 2 } }, (chain) =>
    chain.setHeading({ level: 2 }),
  ),
  {
    id: 'image',
    icon: Image,
    name: t.image,
    words: 'picture photo',
    node: null,
    run: (_editor, ask) => ask('image'),
  },
  {
    id: 'button',
    icon: SquareMousePointer,
    name: t.button,
    words: 'link call action',
    node: null,
    run: (_editor, ask) => ask('button'),
  },
  whole('columns2', Columns2, t.blocks.columns2, 'layout', { type: 'columns', content: [column, column] }),
  whole('columns3', Columns3, t.blocks.columns3, 'layout', {
    type: 'columns',
    content: [column, column, column],
  }),
  whole('divider', Minus, t.divider, 'line rule separator', { type: 'horizontalRule' }),
  whole('spacer', UnfoldVertical, t.blocks.spacer, 'space gap', { type: 'spacer' }),
  text('quote', Quote, t.quote, 'citation', { type: 'blockquote', content: [paragraph] }, (chain) =>
    chain.toggleBlockquote(),
  ),
  text('bulletList', List, t.bulletList, 'bullets points', { type: 'bulletList', content: items }, (chain) =>
    chain.toggleBulletList(),
  ),
  text(
    'orderedList',
    ListOrdered,
    t.orderedList,
    'numbers steps',
    { type: 'orderedList', content: items },
    (chain) => chain.toggleOrderedList(),
  ),
  whole('table', Table, t.blocks.table, 'grid rows cells', {
    type: 'table',
    content: [tableRow('tableHeader'), tableRow('tableCell'), tableRow('tableCell')],
  }),
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
  whole('footer', PanelBottom, t.blocks.footer, 'address unsubscribe imprint', () =>
    brandFooter(queryClient.getQueryData(brandQuery.queryKey)),
  ),
];

/** Returns the blocks whose names or words begin with each of the typed words. */
export function findBlocks(typed: string): Block[] {
  const wanted = typed.toLowerCase().split(/\s+/).filter(Boolean);
  return BLOCKS.filter(({ name, words }) => {
    const known = `${name} ${words}`.toLowerCase().split(/\s+/);
    return wanted.every((word) => known.some((each) => each.startsWith(word)));
  });
}

/** A block that replaces the line with the caret. */
function text(
  id: string,
  icon: LucideIcon,
  name: string,
  words: string,
  node: JSONContent,
  change: (chain: ChainedCommands) => ChainedCommands,
): Block {
  return { id, icon, name, words, node: () => node, run: (editor) => change(editor.chain().focus()).run() };
}

function whole(
  id: string,
  icon: LucideIcon,
  name: string,
  words: string,
  block: JSONContent | (() => JSONContent),
): Block {
  const node = typeof block === 'function' ? block : () => block;
  return { id, icon, name, words, node, run: (editor) => insertWhole(editor, node()) };
}

/** Moves the caret into the block, or selects a block that has only settings, so that they are shown. */
function insertWhole(editor: Editor, block: JSONContent): void {
  insertBlock(editor, block, block.content ? 'inside' : block.type === 'horizontalRule' ? 'after' : 'on');
}

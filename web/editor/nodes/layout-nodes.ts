/** Blocks that contain blocks: columns, and sections with a colour. */
import { mergeAttributes, Node } from '@tiptap/core';
import { kept } from './attribute.ts';

export const LAYOUTS = ['equal', '1-2', '2-1'] as const;

export const ColumnsNode = Node.create({
  name: 'columns',
  group: 'block',
  content: 'column{2,3}',
  isolating: true,
  draggable: true,
  addAttributes: () => ({
    layout: kept('layout', null, (value) => ({ 'data-shares': String(value) })),
    verticalAlign: kept('verticalAlign'),
    stack: kept('stack', true),
  }),
  parseHTML: () => [{ tag: 'div[data-columns]' }],
  renderHTML: ({ HTMLAttributes }) => ['div', mergeAttributes(HTMLAttributes, { 'data-columns': '' }), 0],
});

export const ColumnNode = Node.create({
  name: 'column',
  content: 'block+',
  isolating: true,
  parseHTML: () => [{ tag: 'div[data-column]' }],
  renderHTML: ({ HTMLAttributes }) => ['div', mergeAttributes(HTMLAttributes, { 'data-column': '' }), 0],
});

export const SectionNode = Node.create({
  name: 'section',
  group: 'block',
  content: 'block+',
  defining: true,
  draggable: true,
  parseHTML: () => [{ tag: 'div[data-section]' }],
  renderHTML: ({ HTMLAttributes }) => ['div', mergeAttributes(HTMLAttributes, { 'data-section': '' }), 0],
});

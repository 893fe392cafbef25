/** The settings that blocks share: colours, padding, and whether phones show them. */
import { Extension } from '@tiptap/core';
import { kept } from './attribute.ts';

/** The nodes that have a box around them. src/mail/html/editor/editor-html.ts renders it. */
export const BOXED = [
  'paragraph',
  'heading',
  'bulletList',
  'orderedList',
  'blockquote',
  'image',
  'horizontalRule',
  'spacer',
  'table',
  'social',
  'html',
  'footer',
  'columns',
  'section',
];

export const BlockSettings = Extension.create({
  name: 'blockSettings',
  addGlobalAttributes: () => [
    {
      types: BOXED,
      attributes: {
        backgroundColor: kept('backgroundColor', null, (value) => ({
          style: `background-color: ${asColour(value)}; color: ${textOn(value)}`,
        })),
        textColor: kept('textColor', null, (value) => ({ style: `color: ${asColour(value)}` })),
      },
    },
    {
      types: [...BOXED, 'button'],
      attributes: {
        padding: kept('padding', null, (value) => ({ style: `padding: ${Number(value) || 0}px` })),
        hideOnPhone: kept('hideOnPhone', false),
      },
    },
    {
      types: ['horizontalRule'],
      attributes: {
        lineColor: kept('lineColor', null, (value) => ({ style: `border-color: ${asColour(value)}` })),
        thickness: kept('thickness', null, (value) => ({
          style: `border-top-width: ${Number(value) || 1}px`,
        })),
        widthPercent: kept('widthPercent', null, (value) => ({ style: `width: ${Number(value) || 100}%` })),
        alignment: kept('alignment', null, (value) => ({ 'data-align': String(value) })),
      },
    },
  ],
});

/** Documents can come from the API, so a colour can be any text. */
export function asColour(value: unknown): string {
  return typeof value === 'string' && /^#[0-9a-f]{3,8}$/i.test(value) ? value : 'transparent';
}

/**
 * Returns dark or light text, whichever is readable on this colour, as the server chooses it
 * (src/mail/html/editor/editor-frame.ts).
 */
export function textOn(background: unknown): string {
  const hex = /^#([0-9a-f]{6})$/i.exec(asColour(background))?.[1];
  if (!hex) return '#1f2328';
  const [red, green, blue] = [0, 2, 4].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));
  return 0.299 * red! + 0.587 * green! + 0.114 * blue! > 150 ? '#1f2328' : '#ffffff';
}

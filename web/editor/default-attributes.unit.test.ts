import type { JSONContent } from '@tiptap/core';
import { expect, test } from 'vitest';
import { renderEditorHtml } from '../../src/mail/html/editor/editor-html.ts';
import { BLOCKS } from './blocks.ts';
import { EDITOR_SCHEMA } from './extensions.ts';
import { writeDocument } from './write-document.ts';

test('every block looks the same in the email whether its default settings are written or not', () => {
  const text: JSONContent = { type: 'paragraph', content: [{ type: 'text', text: 'x' }] };
  const asked: JSONContent[] = [
    { type: 'image', attrs: { src: 'https://x.example/a.png' } },
    { type: 'button', attrs: { text: 'Go', url: 'https://x.example' } },
  ];
  const blocks = [...BLOCKS.flatMap(({ node }) => (node ? [node()] : [])), ...asked];
  for (const block of blocks) {
    // A document of the editor has all attributes.
    const whole = EDITOR_SCHEMA.nodeFromJSON({
      type: 'doc',
      content: [text, block, text],
    }).toJSON() as JSONContent;
    const written = writeDocument(whole, EDITOR_SCHEMA);
    expect([block.type, renderEditorHtml(written)]).toEqual([block.type, renderEditorHtml(whole)]);
  }
});

import { getSchema, type JSONContent } from '@tiptap/core';
import { expect, test } from 'vitest';
import { renderEditorHtml } from '../../src/mail/html/editor-html.ts';
import { BLOCKS } from './blocks.ts';
import { editorExtensions } from './extensions.ts';
import { writeDocument } from './write-document.ts';

const nothing = () => {};
const schema = getSchema(
  editorExtensions({
    isUnknown: () => false,
    onEdit: nothing,
    runBlock: nothing,
    onSlash: nothing,
    onSlashKey: () => false,
  }),
);

test('every block looks the same in the email whether its default settings are written or not', () => {
  const text: JSONContent = { type: 'paragraph', content: [{ type: 'text', text: 'x' }] };
  const asked: JSONContent[] = [
    { type: 'image', attrs: { src: 'https://x.example/a.png' } },
    { type: 'button', attrs: { text: 'Go', url: 'https://x.example' } },
  ];
  const blocks = [...BLOCKS.flatMap(({ node }) => (node ? [node()] : [])), ...asked];
  for (const block of blocks) {
    // The document of the editor has all attributes.
    const whole = schema.nodeFromJSON({ type: 'doc', content: [text, block, text] }).toJSON() as JSONContent;
    const written = writeDocument(whole, schema);
    expect([block.type, renderEditorHtml(written)]).toEqual([block.type, renderEditorHtml(whole)]);
  }
});

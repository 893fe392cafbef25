import { expect, test } from 'vitest';
import { withLastLine, writeDocument } from './write-document.ts';

const schema = {
  nodes: {
    doc: { spec: { attrs: { color: { default: null } } } },
    paragraph: { spec: { attrs: { align: { default: null }, stack: { default: true }, level: {} } } },
    text: { spec: {} },
  },
  marks: { link: { spec: { attrs: { href: { default: null }, target: { default: '_blank' } } } } },
};

test('attributes with their default are left out, and all others stay', () => {
  const text = {
    type: 'text',
    text: 'Hello',
    marks: [{ type: 'link', attrs: { href: 'https://a.test', target: '_blank' } }],
  };
  const paragraph = (attrs: object) => ({ type: 'paragraph', attrs: { ...attrs }, content: [text] });
  const written = writeDocument(
    {
      type: 'doc',
      attrs: { color: null },
      content: [
        paragraph({ align: null, stack: true }),
        paragraph({ align: 'left', stack: null, level: null, unknown: null }),
        { type: 'other', attrs: { a: null } },
      ],
    },
    schema,
  );
  const shortened = { ...text, marks: [{ type: 'link', attrs: { href: 'https://a.test' } }] };
  expect(JSON.parse(written)).toEqual({
    type: 'doc',
    content: [
      { type: 'paragraph', content: [shortened] },
      {
        type: 'paragraph',
        attrs: { align: 'left', stack: null, level: null, unknown: null },
        content: [shortened],
      },
      { type: 'other', attrs: { a: null } },
    ],
  });
});

test('the line to write in after the last block is not written', () => {
  const line = { type: 'paragraph' };
  const document = { type: 'doc', content: [line, { type: 'other' }] };
  expect(withLastLine(document).content).toEqual([line, { type: 'other' }, line]);
  expect(writeDocument(withLastLine(document), schema)).toBe(JSON.stringify(document));
  const lines = { type: 'doc', content: [line, line] };
  expect(withLastLine(lines)).toBe(lines);
  expect(writeDocument(lines, schema)).toBe(JSON.stringify(lines));
  const blank = { type: 'doc', content: [line] };
  expect(writeDocument(blank, schema)).toBe(JSON.stringify(blank));
});

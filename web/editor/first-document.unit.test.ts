import { expect, test } from 'vitest';
import { renderEditorHtml } from '../../src/mail/html/editor/editor-html.ts';
import { firstDocument } from './first-document.ts';

const brand = {
  logoUrl: 'https://x.example/logo.png',
  backgroundColor: '#eef2f6',
  contentColor: '#ffffff',
  textColor: null,
  linkColor: '#0a557f',
  buttonColor: null,
  fontFamily: 'serif' as const,
  footerText: null,
  postalAddress: 'Quay 1',
  updatedAt: null,
};

test('a new email has the logo, the colours, the font and the footer of the brand', () => {
  const html = renderEditorHtml(firstDocument('Hello\nthere', brand))!;
  expect(html).toMatch(/logo\.png.*Hello.*there.*Quay 1.*unsubscribeUrl/s);
  expect(html).toContain('background-color:#eef2f6');
  expect(html).toContain('font-family:Georgia');
});

test('without a brand, a new email has only its text', () => {
  expect(JSON.parse(firstDocument('Hello'))).toEqual({
    type: 'doc',
    content: [{ type: 'paragraph', content: [{ type: 'text', text: 'Hello' }] }, { type: 'paragraph' }],
  });
});

import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { findLogoFault } from './svg-profile.ts';

const ROOT =
  '<svg version="1.2" baseProfile="tiny-ps" viewBox="0 0 10 10" xmlns="http://www.w3.org/2000/svg">';
const GOOD = `<?xml version="1.0"?><!-- <script> -->${ROOT}<title>Harbour</title><path d="M0 0z"/></svg>`;

test('a logo that follows the profile has no fault, also when it is compressed', () => {
  expect(findLogoFault(Buffer.from(GOOD))).toBeNull();
  expect(findLogoFault(gzipSync(GOOD))).toBeNull();
});

test.each([
  ['text', /not an SVG/],
  [GOOD.replace('tiny-ps', 'tiny'), /baseProfile/],
  [GOOD.replace('version="1.2"', 'version="1.1"'), /version/],
  [GOOD.replace('<svg ', '<svg x="0" '), /x or y/],
  [GOOD.replace('Harbour', ' '), /title/],
  [GOOD.replace('<path', '<script>1</script><path'), /<script>/],
  [GOOD.replace('<path', '<image xlink:href="#a"/><path'), /<image>/],
  [GOOD.replace('<path', '<path onclick="x()"'), /scripts/],
  [GOOD.replace('<path', '<use xlink:href="https://x.example/a.svg#b"/><path'), /other files/],
  [`<!DOCTYPE svg [<!ENTITY a "b">]>${GOOD}`, /entities/],
])('%s', (text, fault) => {
  expect(findLogoFault(Buffer.from(text))).toMatch(fault);
});

test('a logo that unpacks to more than the limit is no image', () => {
  expect(findLogoFault(gzipSync(Buffer.alloc(5_000_000)))).toMatch(/not an SVG/);
});

import { expect, test } from 'vitest';
import { joinPng, makePng, SMALL_IMAGES } from '../../../testing/images.ts';
import { readImage } from './read-image.ts';

const kinds = Object.entries(SMALL_IMAGES);

test.each(kinds)('the size of %s is in its bytes', (contentType, bytes) => {
  expect(readImage(bytes)).toEqual({ contentType, width: 3, height: 2 });
});

test.each(kinds)('%s that is cut off anywhere is rejected, and never a crash', (_, bytes) => {
  for (let end = 0; end < bytes.length; end++) {
    expect(readImage(bytes.subarray(0, end)), `${end} bytes`).toBeTypeOf('string');
  }
});

test.each(kinds)('%s with any changed byte is read or rejected', (_, bytes) => {
  for (let at = 0; at < bytes.length; at++) {
    for (const value of [0, 1, 0x7f, 0xff]) {
      const changed = Buffer.from(bytes);
      changed[at] = value;
      const image = readImage(changed);
      if (typeof image !== 'string') expect(image.width * image.height).toBeLessThanOrEqual(125_000_000);
    }
  }
});

test('bytes after the end of an image are allowed', () => {
  for (const [contentType, bytes] of kinds.filter(([type]) => type !== 'image/avif')) {
    expect(readImage(Buffer.concat([bytes, Buffer.from('trailer')]))).toMatchObject({ contentType });
  }
});

test('the size of a photograph is as it is shown, whichever way the camera was held', () => {
  const jpeg = SMALL_IMAGES['image/jpeg'];
  const withExif = (orientation: number, order: 'II' | 'MM', entries = 1) => {
    const tiff = Buffer.alloc(26);
    tiff.write(order, 'latin1');
    const write = (value: number, at: number, bytes: 2 | 4) =>
      order === 'II' ? tiff.writeUIntLE(value, at, bytes) : tiff.writeUIntBE(value, at, bytes);
    write(42, 2, 2);
    write(8, 4, 4);
    write(entries, 8, 2);
    write(0x0112, 10, 2);
    write(orientation, 18, 2);
    const content = Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), tiff]);
    const head = Buffer.from([0xff, 0xe1, 0, content.length + 2]);
    return Buffer.concat([jpeg.subarray(0, 2), head, content, jpeg.subarray(2)]);
  };
  const turned = { contentType: 'image/jpeg', width: 2, height: 3 };
  for (const order of ['II', 'MM'] as const) {
    expect(readImage(withExif(6, order))).toEqual(turned);
    expect(readImage(withExif(8, order))).toEqual(turned);
    expect(readImage(withExif(3, order))).toEqual({ ...turned, width: 3, height: 2 });
  }
  expect(readImage(withExif(6, 'II', 0))).toMatchObject({ width: 3, height: 2 });
  expect(readImage(withExif(300, 'II', 65_535))).toMatchObject({ width: 3, height: 2 });
});

test('the other kinds of WebP are read', () => {
  const extended = Buffer.alloc(44);
  extended.write('RIFF\0\0\0\0WEBPVP8X', 'latin1');
  extended.writeUInt32LE(36, 4);
  extended.writeUInt32LE(10, 16);
  extended.writeUIntLE(1199, 24, 3);
  extended.writeUIntLE(629, 27, 3);
  expect(readImage(extended)).toEqual({ contentType: 'image/webp', width: 1200, height: 630 });
  const lossy = Buffer.alloc(44);
  lossy.write('RIFF\0\0\0\0WEBPVP8 ', 'latin1');
  lossy.writeUInt32LE(36, 4);
  lossy.writeUInt32LE(24, 16);
  lossy.write('\x9d\x01\x2a', 23, 'latin1');
  lossy.writeUInt16LE(320, 26);
  lossy.writeUInt16LE(240, 28);
  expect(readImage(lossy)).toEqual({ contentType: 'image/webp', width: 320, height: 240 });
});

test.each([
  [0, 5],
  [16_385, 1],
  [2 ** 31, 2 ** 31],
  [16_000, 16_000],
])('an image of %i by %i pixels is refused', (width, height) => {
  expect(readImage(joinPng(width, height, Buffer.alloc(10)))).toMatch(/incomplete|too large/);
});

test.each([
  ['nothing', ''],
  ['SVG', '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'],
  ['HTML', '<!doctype html><img src=x onerror=alert(1)>'],
  ['a script that begins like a GIF', 'GIF89a/*\0\0*/=1;alert(document.domain)//'],
  ['a script that begins like a JPEG', '\xff\xd8\xff\xe0*/=alert(1)//'],
  ['a page that begins like a PNG', '\x89PNG\r\n\x1a\n<script>alert(1)</script>'],
  ['a PDF', '%PDF-1.7\n'],
  ['a WebP container with something else', 'RIFF\x10\0\0\0WEBPXXXX\x04\0\0\0abcd'],
])('%s is refused', (_, text) => {
  expect(readImage(Buffer.from(text, 'latin1'))).toBeTypeOf('string');
});

test('a PNG whose chunks never end is rejected quickly', () => {
  const bytes = Buffer.concat([makePng(3, 2).subarray(0, 33), Buffer.alloc(5_000_000)]);
  expect(readImage(bytes)).toMatch(/damaged/);
});

test.each([
  ['image/png', 33, Buffer.from('\0\0\0\0tEXt\0\0\0\0', 'latin1')],
  ['image/jpeg', 2, Buffer.from([0xff, 0xe1, 0, 2])],
  ['image/jpeg', 2, Buffer.from([0xff])],
  ['image/gif', 19, Buffer.from([0x21, 0xfe, 0])],
  ['image/gif', 19, Buffer.from([0x21, 0xfe, 1, 0, 1, 0, 0])],
] as const)('%s with far more parts than an image has is refused', (contentType, at, part) => {
  const bytes = SMALL_IMAGES[contentType];
  const withParts = (count: number) =>
    Buffer.concat([bytes.subarray(0, at), ...Array<Buffer>(count).fill(part), bytes.subarray(at)]);
  expect(readImage(withParts(1_000))).toMatchObject({ contentType });
  expect(readImage(withParts(250_000))).toMatch(/damaged/);
});

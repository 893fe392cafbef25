import { describe, expect, test } from 'vitest';
import { dotStuff } from './dot-stuffing.ts';

function stuff(...chunks: string[]): string {
  return Buffer.concat(dotStuff(chunks.map((chunk) => Buffer.from(chunk)))).toString();
}

test.each([
  ['a\r\n', 'a\r\n.\r\n'],
  ['a', 'a\r\n.\r\n'],
  ['a\n', 'a\n\r\n.\r\n'],
  ['', '.\r\n'],
  ['.', '..\r\n.\r\n'],
  ['.\r\n', '..\r\n.\r\n'],
  ['a\r\n.\r\nb\r\n', 'a\r\n..\r\nb\r\n.\r\n'],
  ['a\r\n..b\r\n.c.\r\n', 'a\r\n...b\r\n..c.\r\n.\r\n'],
  ['a.b\r\nc.\r\n', 'a.b\r\nc.\r\n.\r\n'],
])('%j is sent as %j', (text, expected) => {
  expect(stuff(text)).toBe(expected);
});

test('the result does not depend on how the message is split', () => {
  const text = '.a\r\n.\r\n\r\n..b\r\n.';
  for (let first = 0; first <= text.length; first++)
    for (let second = first; second <= text.length; second++)
      expect(stuff(text.slice(0, first), text.slice(first, second), text.slice(second))).toBe(stuff(text));
});

describe('SMTP smuggling', () => {
  test.each(['\n.\n', '\n.\r\n', '\r.\r\n', '\r\n.\n', '\r\n.\r', '\r.\r'])(
    '%j inside a message has its dot doubled',
    (end) => {
      expect(stuff(`a${end}MAIL FROM:<x@y>\r\n`)).toBe(`a${end.replace('.', '..')}MAIL FROM:<x@y>\r\n.\r\n`);
    },
  );
});

test('a message without such dots is not copied', () => {
  const chunks = [Buffer.from('Subject: x\r\n\r\n'), Buffer.from('body. More.\r\n')];
  expect(dotStuff(chunks).slice(0, 2)).toEqual(chunks);
  expect(dotStuff(chunks)[1]).toBe(chunks[1]);
});

test('a message of only dots and line ends fits into the output buffer', () => {
  const text = '\r\n.\r\n.\n.\n.\r.\n'.repeat(1000);
  expect(stuff(text).replaceAll(/(?<=[\r\n])\.(?=\.)/g, '')).toBe(`${text}\r\n.\r\n`);
});

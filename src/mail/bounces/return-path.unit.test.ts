import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { parseAddress } from '../mime/address.ts';
import { makeReturnPath, readReturnPath } from './return-path.ts';

const mac = macOf(randomBytes(32));
const bounceHost = 'bounces.example.com';

function macOf(key: Buffer) {
  return (bytes: Buffer, length: number) =>
    createHmac('sha256', key).update(bytes.subarray(0, length)).digest('binary');
}

function localPart(id: string, recipient: number): string {
  return makeReturnPath({ id, recipient, bounceHost, mac }).split('@')[0]!;
}

test('a return path is read back in any letter case', () => {
  const ids = [randomUUID(), '00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff'];
  for (const id of ids) {
    for (const recipient of [0, 1, 49, 65_535]) {
      const local = localPart(id, recipient);
      expect(readReturnPath(local, mac)).toEqual({ id, recipient });
      expect(readReturnPath(local.toUpperCase(), mac)).toEqual({ id, recipient });
    }
  }
});

test('a return path is an address that every server accepts', () => {
  const path = makeReturnPath({ id: randomUUID(), recipient: 3, bounceHost, mac });
  expect(path).toMatch(/^b-[0-9a-z]{48}@bounces\.example\.com$/);
  expect(parseAddress(path)?.domain).toBe(bounceHost);
});

test('a change of any character is detected', () => {
  const local = localPart(randomUUID(), 7);
  for (let at = 2; at < local.length; at += 1) {
    const other = local[at] === 'x' ? 'y' : 'x';
    expect(readReturnPath(local.slice(0, at) + other + local.slice(at + 1), mac), String(at)).toBeNull();
  }
});

test.each([
  '',
  'b-',
  'postmaster',
  `b-${'0'.repeat(48)}`,
  `b-${'u'.repeat(48)}`,
  `b-${'0'.repeat(5000)}`,
  'b-ä'.repeat(16),
])('%j is rejected', (text) => {
  expect(readReturnPath(text, mac)).toBeNull();
});

test('another key, a shortened and an extended text are rejected', () => {
  const local = localPart(randomUUID(), 0);
  expect(readReturnPath(local, macOf(randomBytes(32)))).toBeNull();
  expect(readReturnPath(local.slice(0, -1), mac)).toBeNull();
  expect(readReturnPath(`${local}0`, mac)).toBeNull();
  expect(readReturnPath(`x${local}`, mac)).toBeNull();
  expect(readReturnPath(`${local}\n`, mac)).toBeNull();
});

test('an invalid UUID and a recipient out of range throw', () => {
  expect(() => makeReturnPath({ id: 'eml_1', recipient: 0, bounceHost, mac })).toThrow();
  expect(() => makeReturnPath({ id: randomUUID(), recipient: 65_536, bounceHost, mac })).toThrow();
  expect(() => makeReturnPath({ id: randomUUID(), recipient: -1, bounceHost, mac })).toThrow();
});

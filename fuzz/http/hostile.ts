/** Values that often break software, and functions that insert them into a request. */
import type { Random } from '../random.ts';

const PUMPED = ['a', ' ', '<', '"', ',', '(', '@', '{{', '<!--', '&', '\\', '=', ';', '\r\n ', 'a@', '=?'];
const PUMPED_LENGTHS = [500, 4_000, 20_000];

/** Numbers that are valid in JSON but that JavaScript cannot represent. They are inserted into the text of the body. */
const RAW_NUMBERS = ['1e999', '-0', '123456789012345678901234567890', '1E-400', '9223372036854775808'];
const RAW_MARK = '\u{e000}raw number ';

const PLAIN: unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  2 ** 31,
  2 ** 53,
  -(2 ** 63),
  '',
  ' ',
  'x',
  '\0',
  'a\0b',
  '\ud800',
  'x\udfffx',
  '\u202e\u200b\ufeff',
  'e\u0301'.repeat(100),
  '📙'.repeat(300),
  "'; drop table emails; --",
  '%',
  '_',
  '../../../etc/passwd',
  '__proto__',
  'constructor',
  '2026-02-30T00:00:00Z',
  '2026-01-01T00:00:00',
  '+275760-09-13T00:00:00Z',
  '9999-12-31T23:59:60Z',
  'NaN',
  'a@b',
  '"x y"@people.test',
  'Ada <ada@people.test>, Grace <grace@people.test>',
  'x@[127.0.0.1]',
  'x\r\nBcc: y@people.test',
  'javascript:alert(1)',
  'http://127.0.0.1:1/',
  'http://[::1',
  '<svg/onload=x><p>new</p>',
  '{{a,fallback={{b}}}}',
  [],
  {},
  [[]],
  [null],
  [{}],
  { toString: 1, hasOwnProperty: {} },
  { '': '' },
];

export function hostileText(random: Random): string {
  const length = random.pick(PUMPED_LENGTHS);
  const pumped = random.pick(PUMPED);
  const repeated = pumped.repeat(Math.ceil(length / pumped.length));
  return random.pick([repeated, `${repeated}x`, `x${repeated}`, `${repeated}@people.test`]);
}

export function hostileValue(random: Random): unknown {
  const kind = random.int(10);
  if (kind < 6) return structuredClone(random.pick(PLAIN));
  if (kind < 8) return hostileText(random);
  if (kind === 8) return RAW_MARK + random.pick(RAW_NUMBERS);
  return nested(random.pick([20, 200]), random.chance(0.5));
}

/** Returns nested lists or nested objects. */
function nested(depth: number, isList: boolean): unknown {
  let value: unknown = 'x';
  for (let level = 0; level < depth; level += 1) value = isList ? [value] : { all: value };
  return value;
}

type Place = { holder: Record<string, unknown>; key: string };

/** Returns a copy of the body with one to three values replaced, removed or added. */
export function mutate(body: unknown, random: Random): unknown {
  const root = { body: structuredClone(body) } as Record<string, unknown>;
  const times = 1 + random.int(3);
  for (let count = 0; count < times; count += 1) {
    const { holder, key } = random.pick(placesIn(root));
    const kind = random.int(10);
    if (kind === 0 && holder !== root) delete holder[key];
    else if (kind === 1)
      holder[random.pick(['extra', '__proto__', '', 'id', 'teamId'])] = hostileValue(random);
    else if (kind === 2 && typeof holder[key] === 'string') holder[key] += hostileText(random);
    else if (kind === 3) holder[key] = [holder[key]];
    else holder[key] = hostileValue(random);
  }
  return root.body;
}

function placesIn(holder: Record<string, unknown>): Place[] {
  return Object.entries(holder).flatMap(([key, value]) => {
    const inner =
      typeof value === 'object' && value !== null ? placesIn(value as Record<string, unknown>) : [];
    return [{ holder, key }, ...inner.slice(0, 50)];
  });
}

/** Writes JSON, including the RAW_NUMBERS. */
export function toJson(body: unknown): string {
  const text = JSON.stringify(body) ?? '';
  return text.replaceAll(new RegExp(`"${RAW_MARK}([^"]*)"`, 'g'), '$1');
}

/** Returns invalid JSON: the text truncated, doubled or in another encoding. */
export function damage(text: string, random: Random): Buffer {
  switch (random.int(7)) {
    case 0:
      return Buffer.from(text.slice(0, random.int(text.length)));
    case 1:
      return Buffer.from(text + text);
    case 2:
      return Buffer.from(`\ufeff${text}`);
    case 3:
      return Buffer.from(text, 'utf16le');
    case 4:
      return Buffer.concat([
        Buffer.from(text.slice(0, 5)),
        Buffer.from([0xff, 0xc0, 0x80]),
        Buffer.from(text),
      ]);
    case 5:
      return Buffer.from(text.replace('{', '{"a":1,"a":2,'));
    default:
      return Buffer.alloc(0);
  }
}

export const CONTENT_TYPES = [
  'text/plain',
  'application/json; charset=utf-16',
  'application/json; charset="utf-8"',
  'multipart/form-data; boundary=x',
  '',
  ';',
  `application/json${';a=b'.repeat(500)}`,
];

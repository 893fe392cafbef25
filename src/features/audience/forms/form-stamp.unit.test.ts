import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { createFormStamps } from './form-stamp.ts';

const stamps = createFormStamps(randomBytes(32));
const OPENED = Date.parse('2026-11-15T09:30:00Z');
const stamp = stamps.make('form', OPENED);
const after = (seconds: number) => OPENED + seconds * 1000;

test('a stamp is valid from two seconds to a day after the page was opened', () => {
  const ages = [0, 1, 2, 3600, 86_400, 86_401].map((seconds) => stamps.read('form', stamp, after(seconds)));
  expect(ages).toEqual(['none', 'none', 'valid', 'valid', 'valid', 'expired']);
});

test('a stamp of another form, of another secret, or with another time is rejected', () => {
  const later = stamps.make('form', after(60)).slice(0, 8) + stamp.slice(8);
  const foreign = createFormStamps(randomBytes(32)).make('form', OPENED);
  expect(stamps.read('other', stamp, after(60))).toBe('expired');
  for (const wrong of [later, foreign, stamp.slice(1), `${stamp}x`.slice(2), '§'])
    expect(stamps.read('form', wrong, after(60))).toBe('expired');
  expect(stamps.read('form', '', after(60))).toBe('none');
});

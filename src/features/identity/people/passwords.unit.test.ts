import { expect, test } from 'vitest';
import { hashPassword, isPassword } from './passwords.ts';

test('a password is stored as argon2id with 19 MiB and two passes', async () => {
  const stored = await hashPassword('correct horse battery');
  expect(stored).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  expect([await isPassword('correct horse battery', stored), await isPassword('wrong', stored)]).toEqual([
    true,
    false,
  ]);
});

test('no password is right without a stored hash', async () => {
  expect(await isPassword('correct horse battery', undefined)).toBe(false);
});

import { expect, test } from 'vitest';
import { hashPassword, isPassword } from './passwords.ts';

test('a password is kept as argon2id with 19 MiB and two passes', async () => {
  const kept = await hashPassword('correct horse battery');
  expect(kept).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  expect([await isPassword('correct horse battery', kept), await isPassword('wrong', kept)]).toEqual([
    true,
    false,
  ]);
});

test('nobody signs in where there is no hash', async () => {
  expect(await isPassword('correct horse battery', undefined)).toBe(false);
});

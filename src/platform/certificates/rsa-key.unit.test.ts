import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto';
import { expect, test } from 'vitest';
import { findFasterPrimes, generateRsaKey } from './rsa-key.ts';

const DATA = Buffer.from('data to sign');

test.each([2, 3] as const)('a key of %i primes has the wanted length and signs', async (primes) => {
  for (const bits of [1024, 2048]) {
    const key = await generateRsaKey(bits, primes);
    expect(key.asymmetricKeyDetails).toMatchObject({ modulusLength: bits, publicExponent: 65_537n });
    expect(verify('sha256', DATA, createPublicKey(key), sign('sha256', DATA, key))).toBe(true);
  }
});

test('a key of three primes survives storage with its third prime', async () => {
  const key = await generateRsaKey(2048, 3);
  const stored = key.export({ type: 'pkcs8', format: 'der' });
  const opened = createPrivateKey({ key: stored, type: 'pkcs8', format: 'der' });
  expect(opened.equals(key)).toBe(true);
  const [two, three] = [await generateRsaKey(2048, 2), opened].map((one) =>
    one.export({ type: 'pkcs1', format: 'der' }),
  );
  // The version of a PKCS #1 key is the first number: 0 for two primes, 1 for more.
  expect(two!.subarray(4, 7)).toEqual(Buffer.from([2, 1, 0]));
  expect(three!.subarray(4, 7)).toEqual(Buffer.from([2, 1, 1]));
});

test('the faster kind of keys is found by measuring', async () => {
  expect([2, 3]).toContain(await findFasterPrimes(1024));
});

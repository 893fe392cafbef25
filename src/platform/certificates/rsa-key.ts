/**
 * RSA private keys with two or three primes (RFC 8017 section 3.2). Node creates only keys with two, so this file
 * computes the numbers of the others and encodes them (appendix A.1.2). OpenSSL finds the primes in libuv's thread
 * pool.
 */
import { createPrivateKey, generateKeyPair, generatePrime, sign, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import { der, derInteger, TAG } from './der.ts';

const EXPONENT = 65_537n;
/** The version of a private key with more than two primes. */
const MULTI_PRIME = 1n;
const generate = promisify(generateKeyPair);
const generateInPool = promisify(generatePrime) as unknown as (
  bits: number,
  options: { bigint: true },
) => Promise<bigint>;
const searchPrime = (bits: number) => generateInPool(bits, { bigint: true });

export async function generateRsaKey(bits: number, primes: 2 | 3): Promise<KeyObject> {
  if (primes === 2) return (await generate('rsa', { modulusLength: bits })).privateKey;
  const [p, q, r] = await searchThreePrimes(bits);
  return createPrivateKey({ key: encodeKey(p, q, r), type: 'pkcs1', format: 'der' });
}

const ROUNDS = 12;
const SAMPLE = Buffer.from('sample');

/**
 * Measures which keys sign faster on this processor: those with three primes, except where OpenSSL has AVX-512 code
 * for primes of 1,024 bits (decision 27). Takes a few hundred milliseconds, mostly in the thread pool.
 */
export async function findFasterPrimes(bits: number): Promise<2 | 3> {
  const [two, three] = await Promise.all([generateRsaKey(bits, 2), generateRsaKey(bits, 3)]);
  let [shortestOfTwo, shortestOfThree] = [Infinity, Infinity];
  for (let round = 0; round < ROUNDS; round += 1) {
    shortestOfTwo = Math.min(shortestOfTwo, timeSignature(two));
    shortestOfThree = Math.min(shortestOfThree, timeSignature(three));
  }
  return shortestOfThree < shortestOfTwo ? 3 : 2;
}

function timeSignature(key: KeyObject): number {
  const startedAt = performance.now();
  sign('sha256', SAMPLE, key);
  return performance.now() - startedAt;
}

/** OpenSSL sets the two highest bits of each prime, so the product nearly always has the right length. */
async function searchThreePrimes(bits: number): Promise<[bigint, bigint, bigint]> {
  const large = Math.ceil(bits / 3);
  const middle = Math.ceil((bits - large) / 2);
  for (;;) {
    const primes = await Promise.all([
      searchPrime(large),
      searchPrime(middle),
      searchPrime(bits - large - middle),
    ]);
    const [p, q, r] = primes;
    const isUsable = new Set(primes).size === 3 && primes.every((prime) => (prime - 1n) % EXPONENT !== 0n);
    if (isUsable && (p * q * r).toString(2).length === bits) return primes;
  }
}

function encodeKey(p: bigint, q: bigint, r: bigint): Buffer {
  const d = invert(EXPONENT, (p - 1n) * (q - 1n) * (r - 1n));
  const numbers = [MULTI_PRIME, p * q * r, EXPONENT, d, p, q, d % (p - 1n), d % (q - 1n), invert(q, p)];
  const third = [r, d % (r - 1n), invert(p * q, r)];
  return der(
    TAG.sequence,
    ...numbers.map(derInteger),
    der(TAG.sequence, der(TAG.sequence, ...third.map(derInteger))),
  );
}

/** Returns the modular inverse by the extended Euclidean algorithm. The two numbers must have no common factor. */
function invert(value: bigint, modulus: bigint): bigint {
  let [rest, next] = [value % modulus, modulus];
  let [factor, nextFactor] = [1n, 0n];
  while (next > 0n) {
    const times = rest / next;
    [rest, next] = [next, rest - times * next];
    [factor, nextFactor] = [nextFactor, factor - times * nextFactor];
  }
  return factor < 0n ? factor + modulus : factor;
}

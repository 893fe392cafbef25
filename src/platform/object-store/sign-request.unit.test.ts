/** The examples of "Signature Calculations for the Authorization Header" in the documentation of Amazon S3. */
import { hash } from 'node:crypto';
import { expect, test } from 'vitest';
import { EMPTY_HASH, encodePart, signRequest, type UnsignedRequest } from './sign-request.ts';

const credentials = {
  accessKey: 'AKIAIOSFODNN7EXAMPLE',
  secretKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  region: 'us-east-1',
};

function sign(request: Partial<UnsignedRequest>): string | undefined {
  const common = { method: 'GET', host: 'examplebucket.s3.amazonaws.com', path: '/', query: {}, headers: {} };
  const unsigned = { ...common, bodyHash: EMPTY_HASH, ...request };
  const { authorization } = signRequest(unsigned, credentials, new Date('2013-05-24T00:00:00Z'));
  return authorization!.split('Signature=')[1];
}

test.each<[string, Partial<UnsignedRequest>, string]>([
  [
    'a GET with a header',
    { path: '/test.txt', headers: { range: 'bytes=0-9' } },
    'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  ],
  [
    'a PUT with a body and an encoded path',
    {
      method: 'PUT',
      path: `/${encodePart('test$file.text')}`,
      headers: { date: 'Fri, 24 May 2013 00:00:00 GMT', 'x-amz-storage-class': 'REDUCED_REDUNDANCY' },
      bodyHash: hash('sha256', 'Welcome to Amazon S3.', 'hex'),
    },
    '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
  ],
  [
    'a parameter without a value',
    { query: { lifecycle: '' } },
    'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
  ],
  [
    'a list of objects',
    { query: { prefix: 'J', 'max-keys': '2' } },
    '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
  ],
])('%s has the published signature', (_, request, signature) => {
  expect(sign(request)).toBe(signature);
});

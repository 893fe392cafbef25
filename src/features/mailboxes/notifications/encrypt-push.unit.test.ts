import { createPublicKey, verify } from 'node:crypto';
import { expect, test } from 'vitest';
import { authorizePush, encryptPush, generatePushKey, isPublicKey, openPushKey } from './encrypt-push.ts';

const bytes = (text: string) => Buffer.from(text, 'base64url');

test('encrypts as in RFC 8291, section 5', () => {
  const body = encryptPush(
    Buffer.from('When I grow up, I want to be a watermelon'),
    {
      publicKey: bytes(
        'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
      ),
      authSecret: bytes('BTBZMqHH6r4Tts7J_aSIgg'),
    },
    {
      salt: bytes('DGv6ra1nlYgDCS1FRnbzlw'),
      privateKey: bytes('yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw'),
    },
  );
  expect(body.toString('base64url')).toBe(
    'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
  );
});

test('the token names the push service and is signed with the key that it names', () => {
  const made = generatePushKey();
  const now = new Date('2026-11-15T09:00:00Z');
  const header = authorizePush(
    openPushKey(made.publicKey, made.privateKey),
    'https://push.example/send/abc?x=1',
    'https://mail.example',
    now,
  );
  const { token, key } = /^vapid t=(?<token>[^,]+), k=(?<key>.+)$/.exec(header)!.groups!;
  const [head, claims, signature] = token!.split('.');
  expect(JSON.parse(bytes(claims!).toString())).toEqual({
    aud: 'https://push.example',
    exp: now.getTime() / 1000 + 43_200,
    sub: 'https://mail.example',
  });
  const point = bytes(key!);
  expect(isPublicKey(point)).toBe(true);
  const publicKey = createPublicKey({
    format: 'jwk',
    key: {
      kty: 'EC',
      crv: 'P-256',
      x: point.subarray(1, 33).toString('base64url'),
      y: point.subarray(33).toString('base64url'),
    },
  });
  const isRight = verify(
    'sha256',
    Buffer.from(`${head}.${claims}`),
    { key: publicKey, dsaEncoding: 'ieee-p1363' },
    bytes(signature!),
  );
  expect(isRight).toBe(true);
});

test('a point that is not on the curve is no key', () => {
  const { publicKey } = generatePushKey();
  expect(isPublicKey(publicKey)).toBe(true);
  publicKey[64]! ^= 1;
  expect(isPublicKey(publicKey)).toBe(false);
  expect(isPublicKey(Buffer.alloc(65, 4))).toBe(false);
  expect(isPublicKey(publicKey.subarray(0, 64))).toBe(false);
});

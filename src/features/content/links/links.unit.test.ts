import { createHmac, randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { deriveKey } from '../../../platform/crypto.ts';
import { newUuid } from '../../../platform/ids.ts';
import { createPublicLinks, hashAddress } from './links.ts';

const secret = randomBytes(32);
const links = createPublicLinks(secret, 'https://mail.example/');
const teamId = 70_000;
const [emailId, contactBookId, contactId, campaignId] = Array.from({ length: 4 }, newUuid) as [
  string,
  string,
  string,
  string,
];
const contact = { teamId, contactBookId, contactId };
const tokenOf = (url: string) => url.slice(url.lastIndexOf('/') + 1);

describe('links are read back', () => {
  test('opens and clicks', () => {
    expect(links.open({ teamId, emailId })).toMatch(/^https:\/\/mail\.example\/t\/o\/[\w-]{48}$/);
    expect(links.readOpen(tokenOf(links.open({ teamId, emailId })))).toEqual({ teamId, emailId });
    const url = 'https://a.test/%20ü📯?a=b&c=%2F+#d?e';
    expect(links.readClick(tokenOf(links.click({ teamId, emailId }, url)))).toEqual({ teamId, emailId, url });
  });

  test.each([
    { emailId, campaignId, topicId: null },
    { emailId: null, campaignId: null, topicId: null },
    { emailId: null, campaignId: null, topicId: campaignId },
  ])('unsubscribing: %j', (about) => {
    const link = { ...contact, ...about };
    expect(links.readUnsubscribe(tokenOf(links.unsubscribe(link)))).toEqual(link);
  });

  test('the signature is a standard HMAC', () => {
    for (const url of ['https://a.test/', `https://a.test/${'x'.repeat(2_000)}`, 'https://b.test/']) {
      const bytes = Buffer.from(tokenOf(links.click({ teamId, emailId }, url)), 'base64url');
      const mac = createHmac('sha256', deriveKey(secret, 'public links'))
        .update(bytes.subarray(0, -16))
        .digest();
      expect(bytes.subarray(-16).equals(mac.subarray(0, 16))).toBe(true);
    }
  });

  test('confirming and preferences', () => {
    const expiresAt = new Date('2199-01-01T00:00:00Z');
    const link = { ...contact, addressHash: hashAddress('ada@example.org'), expiresAt };
    expect(links.readConfirm(tokenOf(links.confirm(link)))).toEqual(link);
    expect(links.readPreferences(tokenOf(links.preferences(contact)))).toEqual(contact);
  });
});

test('a changed, shortened, extended or foreign token is rejected', () => {
  const token = tokenOf(links.click({ teamId, emailId }, 'https://a.test/'));
  for (let at = 0; at < token.length; at += 1) {
    const changed = `${token.slice(0, at)}${token[at] === 'A' ? 'B' : 'A'}${token.slice(at + 1)}`;
    expect(links.readClick(changed)).toBeNull();
    expect(links.readClick(token.slice(0, at))).toBeNull();
  }
  for (const other of [`${token}A`, `${token}=`, ` ${token}`, '', '%00', 'A'.repeat(20_000)])
    expect(links.readClick(other)).toBeNull();
  expect(createPublicLinks(randomBytes(32), 'https://mail.example').readClick(token)).toBeNull();
});

test('a link of one kind is not accepted as another', () => {
  const token = tokenOf(links.preferences(contact));
  expect([links.readUnsubscribe(token), links.readConfirm(token), links.readOpen(token)]).toEqual([
    null,
    null,
    null,
  ]);
});

test('our own links and very long ones are not tracked', () => {
  const own = links.preferences(contact);
  expect(links.click({ teamId, emailId }, own)).toBe(own);
  const long = `https://a.test/${'x'.repeat(4_000)}`;
  expect(links.click({ teamId, emailId }, long)).toBe(long);
});

test('the address for unsubscribing by mail fits into a local part', () => {
  const address = links.unsubscribeAddress(emailId, 'shop.test');
  expect(address).toMatch(/^u-[a-z0-9]{48}@bounce\.shop\.test$/);
});

import { expect, test } from 'vitest';
import { looksLike } from './look-alike.ts';

test.each([
  ['paypa1.com', 'paypal.com'],
  ['paypall.com', 'paypal.com'],
  ['payapl.com', 'paypal.com'],
  ['paypal-security.com', 'paypal.com'],
  ['xn--pypal-4ve.com', 'paypal.com'],
  ['rnicrosoft.com', 'microsoft.com'],
  ['harb0ur.test', 'harbour.test'],
])('%s looks like %s', (domain, known) => {
  expect(looksLike(domain, ['harbour.test'])).toBe(known);
});

test.each([
  'paypal.com',
  'mail.paypal.com',
  'paypal.de',
  'amazon.co.uk',
  'example.org',
  'harbour.test',
  'apples.com',
  'pal.com',
])('%s looks like nothing else', (domain) => {
  expect(looksLike(domain, ['harbour.test'])).toBeNull();
});

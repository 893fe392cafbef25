import { expect, test } from 'vitest';
import { findMismatch } from './link-check.ts';

test.each([
  ['https://paypal.com/login', 'https://evil.test/', { shown: 'paypal.com', real: 'evil.test' }],
  [
    'www.bank.co.uk',
    'https://bank.co.uk.evil.test/x',
    { shown: 'www.bank.co.uk', real: 'bank.co.uk.evil.test' },
  ],
  ['https://example.com/a', 'https://www.example.com/b', null],
  ['example.com', 'https://click.example.com/', null],
  ['Read more', 'https://evil.test/', null],
  ['file.txt and more', 'https://evil.test/', null],
  ['paypal.com', 'mailto:x@evil.test', null],
])('%s to %s', (text, href, expected) => {
  expect(findMismatch(text, href)).toEqual(expected);
});

import { expect, test } from 'vitest';
import { completeLink, isLink } from './link-address.ts';

test('an address without a scheme gets one, and everything else stays as it was typed', () => {
  const completed = {
    ' shop.example ': 'https://shop.example',
    'www.shop.example/sale?a=1#b': 'https://www.shop.example/sale?a=1#b',
    'shop.example:8080/x': 'https://shop.example:8080/x',
    'bücher.example': 'https://bücher.example',
    'ada@shop.example': 'mailto:ada@shop.example',
    'http://shop.example': 'http://shop.example',
    'tel:+491234': 'tel:+491234',
    '{{unsubscribeUrl}}': '{{unsubscribeUrl}}',
    '{{shopUrl,fallback=https://shop.example}}': '{{shopUrl,fallback=https://shop.example}}',
    'javascript:alert(1)': 'javascript:alert(1)',
    'our shop': 'our shop',
    '': '',
  };
  for (const [typed, address] of Object.entries(completed)) expect(completeLink(typed)).toBe(address);
});

test('a link has a scheme that emails may use, or is a merge tag', () => {
  for (const address of [
    'https://a.test',
    'mailto:a@a.test',
    'tel:1',
    '{{url}}',
    'https://a.test/{{a, fallback=b c}}',
  ])
    expect([address, isLink(address)]).toEqual([address, true]);
  for (const address of ['', 'https://', 'javascript:alert(1)', 'shop', '/sale', 'https://a b'])
    expect([address, isLink(address)]).toEqual([address, false]);
});

import { expect, test } from 'vitest';
import { splitAt, splitSheet } from './style-sheet.ts';

test.each([
  ['p,h1{color:red}', [{ selectors: ['p', 'h1'], block: '{color:red}' }]],
  ['@import url(a;b);p{x:y}', [{ other: '@import url(a;b);' }, { selectors: ['p'], block: '{x:y}' }]],
  [
    '@supports (a:b){@media c{p{x:y}}} p{x:y}',
    [{ other: '@supports (a:b){@media c{p{x:y}}}' }, { selectors: ['p'], block: '{x:y}' }],
  ],
  ['@layer a{p{x:y}}', [{ other: '@layer a{p{x:y}}' }]],
  ['.a{x:y;& .b{x:y}} .c{}', [{ other: '.a{x:y;& .b{x:y}}' }, { selectors: ['.c'], block: '{}' }]],
  ['<!--\n/* a */ p/*b*/.c{x:y}\n-->', [{ selectors: ['p.c'], block: '{x:y}' }]],
  ['<![CDATA[p{x:y}]]>', [{ selectors: ['p'], block: '{x:y}' }]],
  [
    'p:after{content:"}/*"}q{}',
    [
      { selectors: ['p:after'], block: '{content:"}/*"}' },
      { selectors: ['q'], block: '{}' },
    ],
  ],
  ['.a\\,b:is(c,d){}', [{ selectors: ['.a\\,b:is(c,d)'], block: '{}' }]],
  [
    'p{x:url(data:a;b,{})}q{}',
    [
      { selectors: ['p'], block: '{x:url(data:a;b,{})}' },
      { selectors: ['q'], block: '{}' },
    ],
  ],
  ['p{x:y', [{ other: 'p{x:y' }]],
  ['}p{x:y}', [{ selectors: ['}p'], block: '{x:y}' }]],
  ['/* open', []],
])('%s is split into its rules', (css, parts) => {
  expect(splitSheet(css)).toEqual(parts);
});

test('a separator in a string, in brackets or escaped does not separate', () => {
  expect(splitAt('a:"x;y"; b:url(1;2);;c\\;d ', ';')).toEqual(['a:"x;y"', 'b:url(1;2)', 'c\\;d']);
});

import { expect, test } from 'vitest';
import { inlineStyles } from './inline-styles.ts';

const RED = '<style>p{color:red}</style>';

test.each([
  ['<p>{{a}} {{b,fallback=x & "y"}}</p>', '<p style="color: red;">{{a}} {{b,fallback=x & "y"}}</p>'],
  ['<p {{shown}} class="{{a}}">x</p>', '<p {{shown}} class="{{a}}" style="color: red;">x</p>'],
  [
    '<p>{{a}}</p><a href="{{b}}?c={{a}}">$&</a>',
    '<p style="color: red;">{{a}}</p><a href="{{b}}?c={{a}}">$&</a>',
  ],
  ['<p><% {{a}} <br> %> {{ <b> }} }}</p>', '<p style="color: red;"><% {{a}} <br> %> {{ <b> }} }}</p>'],
  ['<p>JUICE_CODE_BLOCK_7_</p>', '<p style="color: red;">JUICE_CODE_BLOCK_7_</p>'],
])('merge tags stay unchanged: %s', (html, styled) => {
  expect(inlineStyles(RED + html)).toBe(styled);
});

test('a style that would make the document far too long is not inlined', () => {
  const sheet = Array.from({ length: 300 }, (_, at) => `p${at}:0;`).join('');
  expect(inlineStyles(`<style>p{${sheet}}</style>${'<p>x</p>'.repeat(800)}`)).toBeNull();
});

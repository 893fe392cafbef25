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
  ['<p>{{ <% a %> }}</p>', '<p style="color: red;">{{ <% a %> }}</p>'],
  ['<p>JUICE_CODE_BLOCK_7_</p>', '<p style="color: red;">JUICE_CODE_BLOCK_7_</p>'],
])('merge tags stay unchanged: %s', (html, styled) => {
  expect(inlineStyles(RED + html)).toBe(styled);
});

test('a style that would make the document far too long is not inlined', () => {
  const sheet = Array.from({ length: 300 }, (_, at) => `p${at}:0;`).join('');
  expect(inlineStyles(`<style>p{${sheet}}</style>${'<p>x</p>'.repeat(800)}`)).toBeNull();
});

test.each([
  ['another email app', '[data-ogsc] .a{color:white!important}'],
  ['what the reader does', 'a:hover{color:blue}'],
  ['text before an element', '.a::before{content:"x"}'],
  ['phones', '@media (max-width:480px){.a{width:9px}.b{color:blue}}'],
  ['dark mode', '@media (prefers-color-scheme:dark){.a{color:white!important}}'],
  ['programs that know something', '@supports (display:grid){@media print{.a{width:9px}}}'],
])('a rule for %s stays in the style sheet as it is written', (_, kept) => {
  const html = inlineStyles(`<style>.a{color:red}${kept}.a{margin:0}</style><p class="a">x</p>`);
  expect(html).toBe(`<style>\n${kept}\n</style><p class="a" style="color: red; margin: 0;">x</p>`);
});

test('a style sheet for another medium is not applied everywhere', () => {
  const sheets =
    '<style media="print">p{display:none}</style><style media="(max-width:9px)">p{margin:0}</style>';
  expect(inlineStyles(`${sheets}<style media="screen">p{color:red}</style><p>x</p>`)).toBe(
    `${sheets}<p style="color: red;">x</p>`,
  );
});

test('fonts are loaded by a style sheet of their own, because Gmail drops one that loads something', () => {
  const html =
    '<style>@import url(https://f.test/a);@font-face{font-family:F}@media print{p{margin:0}}</style>';
  expect(inlineStyles(`${html}<p>x</p>`)).toBe(
    '<style>\n@import url(https://f.test/a);\n@font-face{font-family:F}\n</style><style>\n@media print{p{margin:0}}\n</style><p>x</p>',
  );
});

test('an inlined rule does not overrule rules for phones, but what the author wrote into the element does', () => {
  const sheet = '<style>p{color:red!important}@media (max-width:9px){p{color:blue!important}}</style>';
  const rest = '<style>\n@media (max-width:9px){p{color:blue!important}}\n</style>';
  expect(inlineStyles(`${sheet}<p style="color:green">x</p>`)).toBe(`${rest}<p style="color: red;">x</p>`);
  expect(inlineStyles(`${sheet}<p style="color:green !important">x</p>`)).toBe(
    `${rest}<p style="color: green; color:green !important;">x</p>`,
  );
});

test('the style sheet of Word is inside a comment, and its styles contain quoted quotes', () => {
  const sheet = '<style><!--\n/* Fonts */\np.MsoNormal\n\t{margin:0cm;}\n--></style>';
  expect(inlineStyles(`${sheet}<p class=MsoNormal style="font-family:&quot;Arial&quot;,serif">x</p>`)).toBe(
    `<p class="MsoNormal" style="margin: 0cm; font-family: 'Arial',serif;">x</p>`,
  );
});

test('styles of elements that only Outlook sees stay in the style sheet', () => {
  const ghost = '<!--[if mso]><table><tr><td class="g"><![endif]-->';
  expect(
    inlineStyles(`<style>td{padding:0}p{color:red}.g{margin:0}</style>${ghost}<table><tr><td><p>x`),
  ).toBe(
    `<style>\ntd{padding:0}\n.g{margin:0}\n</style>${ghost}<table><tr><td style="padding: 0;"><p style="color: red;">x</p></td></tr></table>`,
  );
});

test('centred text does not move its table', () => {
  expect(inlineStyles('<style>table{text-align:left}</style><table></table>')).toBe(
    '<table style="text-align: left;"></table>',
  );
});

test('the size of an image in its attributes is not lost to a size of auto', () => {
  const html = '<img src="a" width="320" height="400"><img src="b">';
  expect(inlineStyles(`<style>img{height:auto}</style>${html}`)).toBe(
    '<img src="a" width="320" height="400" style="height: auto;"><img src="b" style="height: auto;">',
  );
});

function phone(rules: string): string {
  return `@media (max-width:9px){${rules}}`;
}

test('a rule for phones overrules what was moved into the elements, if it did so before', () => {
  const rest = (base: string, rules: string, html = '<p class="a">x</p>') =>
    /\{(\{?[^]*)\}/.exec(inlineStyles(`<style>${base}${phone(rules)}</style>${html}`)!)![1];
  const raised = 'p{color:blue !important}';
  expect(rest('p{color:red}', 'p{color:blue}')).toBe(raised);
  expect(rest('p{color:red}', 'p{margin:0;color:blue}')).toBe('p{margin:0;color:blue !important}');
  expect(rest('p{padding:1px}', 'p{padding-left:0}')).toBe('p{padding-left:0 !important}');
  expect(rest('.a{color:red}', 'p{color:blue}')).toBe('p{color:blue}');
  expect(rest('p{color:red!important}', '.a{color:blue}')).toBe('.a{color:blue}');
  expect(rest('p{color:red}', 'p{color:blue}', '<p style="color:green">x</p>')).toBe('p{color:blue}');
  expect(rest('p{color:red}', 'p{color:blue}', '<p style="margin:0">x</p>')).toBe(raised);
  expect(rest('', 'p{color:blue}')).toBe('p{color:blue}');
  expect(inlineStyles(`<style>${phone('p{color:blue}')}p{color:red}</style><p>x</p>`)).toContain(
    '{color:blue}',
  );
  expect(inlineStyles('<style>a{color:red}a:hover{color:blue}</style><a>x</a>')).toContain(
    '{color:blue !important}',
  );
});

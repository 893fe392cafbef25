import { expect, test } from 'vitest';
import { BACKGROUND_SHEETS, HOSTILE_SHEETS, HOSTILE_STYLES } from '../../../testing/hostile-css.ts';
import { blockRemoteImages, cleanHtml } from '../clean-html.ts';
import { toDisplayHtml } from './display-html.ts';

/** The style sheet of the result without the prefix that limits each rule to the message. */
function sheetOf(css: string, body = '<p>x</p>'): string {
  const display = toDisplayHtml(`<style>${css}</style>${body}`);
  return /^<style>(.*?)<\/style>/s.exec(display ?? '')?.[1]?.replaceAll(':where([data-mail]) ', '') ?? '';
}

function styleOf(style: string): string {
  const display = toDisplayHtml(`<style>b{color:red}</style><p style="${style}">x</p>`)!;
  return / style="([^"]*)"/.exec(display)?.[1] ?? '';
}

test.each([
  ['.a, #b > td{color:red}', '.a,#b>td{color:red}'],
  [
    '@media only screen and (max-width:480px){.a{width:100%!important}}',
    '@media only screen and (max-width:480px){.a{width:100% !important}}',
  ],
  [
    '@media (max-width:600px){@media print{p{color:red}}}',
    '@media (max-width:600px){@media print{p{color:red}}}',
  ],
  ['@media (prefers-color-scheme:light){p{color:red}}', '@media (min-width: 0px){p{color:red}}'],
  ['@media (prefers-color-scheme:dark){p{color:red}}b{color:red}', 'b{color:red}'],
  ['@media tv, screen{p{color:red}}', '@media screen{p{color:red}}'],
  ['@media screen{p{color:red}', '@media screen{p{color:red}}'],
  ['.sm\\:w-full{width:100%}', '.sm\\:w-full{width:100%}'],
  ['td[class="a b"],*[id=c]{color:red}', 'td[class="a b"],*[id="c"]{color:red}'],
  ['a:link,a:visited{color:red}', 'a:any-link{color:red}'],
  ['tr:nth-child(2n + 1) td:not(.x):hover{color:red}', 'tr:nth-child(2n + 1) td:not(.x):hover{color:red}'],
  [
    'p{background:#fff url(https://a.test/x.png)no-repeat}',
    "p{background:#fff url('https://a.test/x.png') no-repeat}",
  ],
  ["p{background:url('//a.test/it(1).png')}", "p{background:url('https://a.test/it%281%29.png')}"],
  ['p{background:#fff url(cid:a)}', 'p{background:#fff none}'],
  ['p:hover{background:#fff url(https://a.test/)}', 'p:hover{background:#fff none}'],
  [
    'p{background:linear-gradient(90deg,#fff,rgba(0,0,0,.5))}',
    'p{background:linear-gradient(90deg,#fff,rgba(0,0,0,.5))}',
  ],
  ['p{width:calc(100% - 2 * (3px + 1px))}', 'p{width:calc(100% - 2 * (3px + 1px))}'],
  ['p{min-height:100vh;color:red;height:50dvh}', 'p{color:red}'],
  ['p{position:absolute;top:0;z-index:9;color:red}', 'p{color:red}'],
  ['p{color:red/* ; } */;font-family:"A B",\'C\'}', 'p{color:red;font-family:"A B",\'C\'}'],
  ['<!-- p{color:red} -->', 'p{color:red}'],
])('the sheet %s becomes %s', (css, expected) => {
  expect(sheetOf(css)).toBe(expected);
});

test('the elements that stand for html and body get their styles, and no rule reaches anything outside of them', () => {
  const display = toDisplayHtml(
    '<html><head><style>html{color:red}body.x>p{margin:0}:root p{color:red}*{margin:0}</style></head>' +
      '<body class="x" bgcolor="#eee"><p id="y" class="a b">z</p></body></html>',
  );
  expect(display).toBe(
    '<style>section:where([data-mail]){color:red}\n' +
      ':where([data-mail]) article:where([data-mail-body]).x>p{margin:0}\n' +
      ':where([data-mail]) :where([data-mail]) p{color:red}\n' +
      ':where([data-mail]) *{margin:0}</style>' +
      '<section data-mail><article data-mail-body class="x" style="background-color:#eee"><p id="y" class="a b">z</p></article></section>',
  );
});

test('HTML without a style sheet and without background images needs no other form for display', () => {
  expect(toDisplayHtml('<p style="color:red">x</p>')).toBeNull();
  expect(toDisplayHtml('<style>@import "x"</style><p>x</p>')).toBeNull();
  expect(toDisplayHtml('<p style="background:url(https://a.test/)">x</p>')).toContain(
    "url('https://a.test/')",
  );
});

test.each(HOSTILE_SHEETS)('the sheet %s asks for nothing', (css) => {
  for (const html of [
    `<style>${css}</style><p>x</p>`,
    `<style>b{color:red}</style><style media="screen">${css}</style>`,
  ]) {
    const display = toDisplayHtml(html) ?? '';
    const sheet = /^<style>(.*?)<\/style>/s.exec(display)?.[1] ?? '';
    expect(sheet).not.toMatch(/evil|@(?!media)|<|visited|fixed|\\[0-9a-f]/i);
    // HTML that the sheet contains is cleaned like any other.
    expect(display.replaceAll(/<img src="https:\/\/evil\.test\/x">/g, '')).not.toMatch(
      /evil\.test|onerror|<script/i,
    );
  }
});

test.each(BACKGROUND_SHEETS)('the background in %s is written in the one form that can be blocked', (css) => {
  const display = toDisplayHtml(`<style>${css}</style><p>x</p>`)!;
  expect(display).toContain("url('https://evil.test/x')");
  const { html, held } = blockRemoteImages(display);
  expect(held).toBe(1);
  expect(html).not.toMatch(/evil|url/i);
});

test.each(HOSTILE_STYLES)('the style attribute %s asks for nothing', (style) => {
  expect(styleOf(style)).not.toMatch(/evil|url|fixed|\\|var/);
});

test('cleaning for display leaves the stored HTML without classes, sheets and background images', () => {
  const html = cleanHtml(
    '<style>.a{color:red}</style><p class="a" id="b" style="background: #033fff url(https://a.test/) no-repeat">x</p>',
  );
  expect(html).toBe('<p style="background: #033fff">x</p>');
});

test('background images are blocked together with other images', () => {
  const display = toDisplayHtml(
    '<style>p{background:#fff url(https://a.test/1.png)}</style><p style="background:url(https://a.test/2.png)">x</p><img src="https://a.test/3.png">',
  )!;
  const { html, held } = blockRemoteImages(display);
  expect(held).toBe(3);
  expect(html).toContain('p{background:#fff none}');
  expect(html.replaceAll(/data-held-src="[^"]*"/g, '')).not.toContain('a.test');
});

test('huge sheets are cut off, and the message is still shown', () => {
  const many = toDisplayHtml(`<style>${'.a{color:red}'.repeat(20_000)}</style><p>x</p>`)!;
  expect(many.match(/color:red/g)).toHaveLength(3_000);
  expect(toDisplayHtml(`<style>${'.a{color:red}'.repeat(100_000)}</style><p>x</p>`)).toBeNull();
  for (const part of [
    '{',
    '}',
    '(',
    '"',
    "'",
    '/*',
    '@media{',
    '@media screen{',
    'url(',
    '\\',
    ',',
    '[',
    'a ',
  ])
    toDisplayHtml(`<style>p{color:red}${part.repeat(200_000)}</style><p>x</p>`);
});

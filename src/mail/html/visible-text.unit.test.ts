import { expect, test } from 'vitest';
import { dropInvisible, visibleText } from './visible-text.ts';

test.each([
  ['<div style="display:none">x</div>'],
  ['<div style="DISPLAY : none !important">x</div>'],
  ['<p style="visibility:hidden">x</p>'],
  ['<p style="opacity:0">x</p>'],
  ['<span style="font-size:0">x</span>'],
  ['<span style="font-size:1px">x</span>'],
  ['<span style="font-size:0.01em">x</span>'],
  ['<span style="font: 0/0 serif">x</span>'],
  ['<div style="max-height:0;overflow:hidden">x</div>'],
  ['<span style="color:#fff">x</span>'],
  ['<span style="color: rgb(250, 250, 250)">x</span>'],
  ['<font color="white">x</font>'],
  ['<div style="background:#000"><span style="color:black">x</span></div>'],
  ['<table bgcolor="#222222"><td style="color:#202020">x</td></table>'],
  ['<span style="color:transparent">x</span>'],
  ['<p hidden>x</p>'],
  ['<div style="display:none"><p><b>x</b></p></div>'],
  ['<style>x</style>'],
  ['<!-- x -->'],
])('%s is not seen', (hidden) => {
  expect(visibleText(`<p>before</p>${hidden}<p>after</p>`).text).toBe('before\n\nafter');
});

test.each([
  ['<p style="color:#333">x</p>'],
  ['<div style="background:#000"><span style="color:#fff">x</span></div>'],
  ['<p style="font-size:12px">x</p>'],
  ['<p style="opacity:0.8">x</p>'],
  ['<br><img src="a"><p>x</p>'],
])('%s is seen', (shown) => {
  expect(visibleText(shown)).toEqual({ text: 'x', hidden: 0 });
});

test('characters without a shape are left out and counted', () => {
  expect(dropInvisible('p\u200bay\u{e0041}\u{e0042} \u202enow\ufeff\r\n\tline')).toEqual({
    text: 'pay now\n\tline',
    hidden: 5,
  });
  expect(visibleText('<p>a&#8203;b<span style="display:none">four</span></p>')).toEqual({
    text: 'ab',
    hidden: 5,
  });
});

test('hostile nesting takes little time', () => {
  expect(visibleText('<b style="color:red">'.repeat(20_000)).text).toBe('');
  expect(visibleText('</i>'.repeat(20_000) + '<div>'.repeat(20_000)).text).toBe('');
});

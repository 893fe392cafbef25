import { expect, test } from 'vitest';
import { htmlToPlainText } from './text.ts';

test.each([
  ['', ''],
  ['Hello', 'Hello'],
  ['<p>One</p><p>Two</p>', 'One\n\nTwo'],
  ['<div>One</div><div>Two</div>', 'One\nTwo'],
  ['<div><div><p>One</p></div></div>\n  <div>Two</div>', 'One\n\nTwo'],
  ['One<br>Two<br/>Three', 'One\nTwo\nThree'],
  ['One<br><br><br><br>Two', 'One\n\nTwo'],
  ['  a \n\t b  <b> c </b>d', 'a b c d'],
  ['<b>bold</b>er', 'bolder'],
  [
    'a&nbsp;&nbsp;b &amp; c &lt;d&gt; &#8364; &#x20AC; &euro; &auml; &unknown; &amp',
    'a b & c <d> € € € ä &unknown; &amp',
  ],
  ['&#0;&#xD800;&#x110000;x', '\ufffd\ufffd\ufffdx'],
  ['<a href="https://x.example/?a=1&amp;b=2">Go</a> now', 'Go <https://x.example/?a=1&b=2> now'],
  ['<a href="https://x.example/">https://x.example/</a>.', 'https://x.example/.'],
  ["<a class=x href='https://x.example/'><b>Go</b></a>!", 'Go <https://x.example/>!'],
  ['<A HREF=https://x.example/y>Go</A>', 'Go <https://x.example/y>'],
  ['<a href="mailto:a@b.example">a@b.example</a>', 'a@b.example'],
  ['<a href="mailto:a@b.example">write</a>', 'write <a@b.example>'],
  ['<a href="{{doubleOptInUrl}}">Confirm</a>', 'Confirm <{{doubleOptInUrl}}>'],
  ['<a href="#top">up</a> <a href="javascript:x()">no</a> <a name=x>y</a>', 'up no y'],
  ['<a href="https://x.example/"><img src="y" alt="Logo"></a>', 'Logo <https://x.example/>'],
  ['<p>See</p><a href="https://x.example/"><img src="y"></a>', 'See\n\n<https://x.example/>'],
  ['<a href="https://x.example/"><p>Go</p></a>', 'Go <https://x.example/>'],
  [
    '<a href="https://1.example/">one<a href="https://2.example/">two',
    'one <https://1.example/>two <https://2.example/>',
  ],
  ['<a href="https://x.example/a b\nc">Go</a>', 'Go <https://x.example/a%20b%20c>'],
  ['<ul><li>a</li><li>b</li></ul>', '* a\n* b'],
  ['<p>x</p><ol><li>a<li>b<ul><li>c</ul></ol><p>y</p>', 'x\n\n1. a\n2. b\n  * c\n\ny'],
  ['<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>', 'a b\nc'],
  ['<pre>a\n  b\n</pre>', 'a\n  b'],
  ['<head><title>T</title><style>p{}</style></head><body>x<script>if (a<b) "</p>"</script>y</body>', 'xy'],
  ['x<STYLE>p{}</style >y', 'xy'],
  ['a<!-- <p>hidden</p> -->b<!doctype html>c<?xml ?>d', 'abcd'],
  ['1 < 2 and 3 <4', '1 < 2 and 3 <4'],
  ['<img alt="a > b" src=x>c', 'a > bc'],
  ['<p title="it\'s > that">x</p>', 'x'],
  ["<p>don't</p>", "don't"],
  ['<h1>Title</h1>text<hr>more', 'Title\n\ntext\n\nmore'],
  ['x<p unfinished "', 'x'],
  ['日本<b>語</b>', '日本語'],
  [`<div>Hi${'&#847;&zwnj;&nbsp;'.repeat(20)}</div>x`, 'Hi\nx'],
  ['می‌خواهم', 'می‌خواهم'],
])('%j reads %j', (html, text) => {
  expect(htmlToPlainText(html)).toBe(text);
});

test('hostile HTML takes linear time: each of these would take seconds in quadratic time', () => {
  const size = 300_000;
  for (const piece of [
    '<div>',
    '<',
    '<a "',
    '<a href="http://x">',
    '<style>',
    '&',
    '<!--',
    '<ol><li>',
    '</',
    '<b><p>',
    ' ',
    '<a href=',
    '\u00a0a ',
  ]) {
    expect(htmlToPlainText(piece.repeat(size / piece.length)).length).toBeLessThan(size * 4);
  }
});

test('the conversion stops once it has enough text', () => {
  const html = '<p>one two</p>'.repeat(100_000);
  expect(htmlToPlainText(html, 20)).toBe('one two\n\none two\n\none two');
  expect(htmlToPlainText('<p>one</p><p>two</p>', 20)).toBe('one\n\ntwo');
});

test('character references are those of HTML, and none makes a control character', () => {
  expect(
    htmlToPlainText('<p>It&#146;s &#8364;5 &#x2014; &hellip; &clubs; &CounterClockwiseContourIntegral;</p>'),
  ).toBe('It’s €5 — … ♣ ∳');
  expect(
    htmlToPlainText('<p>a&#1;b&#27;c&#129;d &#0; &#xD800; &#x110000; &#99999999; &nope; &copy</p>'),
  ).toBe('a b c d \ufffd \ufffd \ufffd \ufffd &nope; &copy');
  expect(htmlToPlainText('<a href="https://a.example/?a=1&copy=2&#38;b=3">x</a>')).toBe(
    'x <https://a.example/?a=1&copy=2&b=3>',
  );
});

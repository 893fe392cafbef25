import { expect, test } from 'vitest';
import { compileTags } from './merge-tags.ts';

function render(text: string, value: string, kind: 'html' | 'plain' = 'html'): string {
  return compileTags(text, kind).render((name) => (name === 'x' ? value : null));
}

const NASTY = `"'><img src=x onerror=alert(1)> ;&`;
const NASTY_ESCAPED = '&quot;&#39;&gt;&lt;img src=x onerror=alert(1)&gt; ;&amp;';
const NASTY_IN_URL = '%22%27%3E%3Cimg%20src%3Dx%20onerror%3Dalert%281%29%3E%20%3B%26';

test.each([
  ['between tags', '<p>{{x}}</p>', NASTY, `<p>${NASTY_ESCAPED}</p>`],
  [
    'where Outlook does not look',
    '<!--[if !mso]><!--><p>{{x}}</p><!--<![endif]-->',
    'Ada',
    '<!--[if !mso]><!--><p>Ada</p><!--<![endif]-->',
  ],
  ['in double quotes', '<p title="{{x}}">', NASTY, `<p title="${NASTY_ESCAPED}">`],
  ['in single quotes', "<p title='a {{x}}'>", NASTY, `<p title='a ${NASTY_ESCAPED}'>`],
  ['without quotes', '<p title={{x}} id=y>', 'a onclick=b', '<p title=a&#32;onclick&#61;b id=y>'],
  [
    'in a query',
    '<a href="https://a.example/?n={{x}}&m=1">',
    NASTY,
    `<a href="https://a.example/?n=${NASTY_IN_URL}&m=1">`,
  ],
  ['in a path', "<a href='https://a.example/{{x}}/'>", '../é', "<a href='https://a.example/..%2F%C3%A9/'>"],
  ['in a path without quotes', '<a href=/p/{{x}}>', 'a b>', '<a href=/p/a%20b%3E>'],
  [
    'as a host',
    '<a href="https://shop.example{{x}}">',
    '@evil.example/',
    '<a href="https://shop.example%40evil.example%2F">',
  ],
  [
    'as a link',
    '<a href="{{x}}">',
    'https://a.example/?a=1&b="',
    '<a href="https://a.example/?a=1&amp;b=%22">',
  ],
  [
    'as a link with space',
    '<a href=" {{x}}">',
    ' HTTP://a.example/a b ',
    '<a href=" HTTP://a.example/a%20b">',
  ],
  ['as a link to an address', '<a href="{{x}}">', 'mailto:a@b.example', '<a href="mailto:a@b.example">'],
  [
    'as the address of a link',
    '<a href="mailto:{{x}}?subject=a">',
    'a+b@c.example?bcc=d',
    '<a href="mailto:a%2Bb@c.example%3Fbcc%3Dd?subject=a">',
  ],
  ['as a script', '<a href="{{x}}">', 'javascript:alert(1)', '<a href="">'],
  ['as a hidden script', '<a href="{{x}}">', '\u0001java\tscript:alert(1)', '<a href="">'],
  ['as data', '<a HREF = {{x}}>', 'data:text/html,<script>', '<a HREF = >'],
  ['as a scheme-relative link', '<a href="{{x}}">', '//evil.example', '<a href="">'],
  ['as a relative link', '<a href="{{x}}">', 'evil', '<a href="">'],
  [
    'as a link with a fallback',
    '<a href="{{x,fallback=https://a.example/?a&b}}">',
    'javascript:x',
    '<a href="https://a.example/?a&amp;b">',
  ],
  [
    'as the rest of a scheme',
    '<a href="java{{x}}">',
    'script:alert(1)',
    '<a href="javascript%3Aalert%281%29">',
  ],
  [
    'behind an empty tag',
    '<a href="{{none}}{{x}}">',
    'javascript:alert(1)',
    '<a href="javascript%3Aalert%281%29">',
  ],
  [
    'behind a tag that is a link',
    '<a href="{{x}}/a?b={{x}}">',
    'https://a.example',
    '<a href="https://a.example/a?b=https%3A%2F%2Fa.example">',
  ],
  ['inside of a script link', '<a href="javascript:f(\'{{x}}\')">', 'a', '<a href="javascript:f(\'\')">'],
  [
    'inside of a spelled script link',
    '<a href="javascript&colon;{{x}}">',
    'a',
    '<a href="javascript&colon;">',
  ],
  ['as an image', '<img src="{{x}}">', 'https://a.example/i.png', '<img src="https://a.example/i.png">'],
  ['as an image of the mail', '<img src="{{x}}">', 'cid:logo', '<img src="cid:logo">'],
  ['as an image that is a page', '<img src="{{x}}">', 'data:text/html,x', '<img src="">'],
  ['as a background', '<td background="{{x}}">', 'javascript:x', '<td background="">'],
  ['as a colour', '<p style="color:{{x}}">', '#a1b2c3', '<p style="color:#a1b2c3">'],
  ['as a style', '<p style="color:{{x}}">', 'red;background:url(//evil.example)', '<p style="color:">'],
  [
    'in a style sheet',
    '<style>p{color:{{x}}}</style><p>{{x}}',
    'r</style><b>',
    '<style>p{color:}</style><p>r&lt;/style&gt;&lt;b&gt;',
  ],
  ['in a script', '<script>let a="{{x}}"</script>{{x}}', 'a<', '<script>let a=""</script>a&lt;'],
  ['in a handler', '<p onclick="f(\'{{x}}\')">', 'a', '<p onclick="f(\'\')">'],
  ['in a title', '<title>{{x}}</title>', '</title><b>', '<title>&lt;/title&gt;&lt;b&gt;</title>'],
  ['in a comment', '<!-- {{x}} --><p>{{x}}', '-->', '<!--  --><p>--&gt;'],
  [
    'in a conditional comment',
    '<!--[if mso]><a href="{{x}}">{{x}}</a><![endif]-->',
    'javascript:1',
    '<!--[if mso]><a href="">javascript:1</a><![endif]-->',
  ],
  ['as an element', '<{{x}}>', 'img', '<>'],
  ['as an attribute', '<p {{x}}>', 'onclick=a', '<p >'],
  ['as the name of an attribute', '<p a{{x}}="b">', 'onclick', '<p a="b">'],
  ['behind a sign that starts nothing', '1 < 2 {{x}}', '<b>', '1 < 2 &lt;b&gt;'],
  ['behind a quoted sign', '<p title="a>b">{{x}}', '<b>', '<p title="a>b">&lt;b&gt;'],
  ['behind an element', 'Below <{{x}} EUR, {{x}}', '9', 'Below < EUR, 9'],
  ['in a closing tag', '</p {{x}}>{{x}}', '<', '</p >&lt;'],
])('%s', (_where, text, value, written) => {
  expect(render(text, value)).toBe(written);
});

test.each([
  ['Hi {{x}}!', 'a b', 'Hi a b!'],
  ['See https://a.example/?q={{x}}&n={{x}} ({{x}})', 'a b', 'See https://a.example/?q=a%20b&n=a%20b (a b)'],
  ['{{x}}', 'https://a.example/a b', 'https://a.example/a b'],
])('in plain text: %s', (text, value, written) => {
  expect(render(text, value, 'plain')).toBe(written);
});

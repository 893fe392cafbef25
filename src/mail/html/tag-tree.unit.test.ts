import { describe, expect, test } from 'vitest';
import { compileTags, findTagProblem, usedNames } from './merge-tags.ts';
import { readPath } from './slotted-text.ts';

function render(text: string, values: Record<string, unknown>, kind: 'html' | 'plain' = 'plain'): string {
  expect(findTagProblem(text, kind)).toBeNull();
  return compileTags(text, kind).render((name) => readPath(values, name));
}

function problem(text: string, kind: 'html' | 'plain' = 'plain'): string {
  const found = findTagProblem(text, kind);
  return found ? `${found.line}:${found.column} ${found.message}` : 'none';
}

describe('conditions', () => {
  test.each([
    ['plan == "pro"', true],
    ["plan == 'Pro'", false],
    ['plan != "pro"', false],
    ['age > 17', true],
    ['age < 17', false],
    ['written == 42', true],
    ['written > 9', true],
    ['joined < "2026-11-15"', true],
    ['plan contains "ro"', true],
    ['tags contains "b"', true],
    ['tags contains "c"', false],
    ['missing', false],
    ['missing == nil', true],
    ['missing == ""', true],
    ['empty', false],
    ['no', false],
    ['no == false', true],
    ['none', false],
    ['zero', true],
    ['missing < 5', false],
    ['missing or plan', true],
    // As in Liquid, from right to left: false and (false or true).
    ['missing and missing or plan', false],
    ['plan and missing or plan', true],
    ['nested.deep == 1', true],
  ])('%s is %s', (condition, expected) => {
    const values = {
      plan: 'pro',
      age: 20,
      written: '42',
      joined: '2025-01-01',
      tags: ['a', 'b'],
      empty: '',
      no: false,
      none: [],
      zero: 0,
      nested: { deep: 1 },
    };
    expect(render(`{% if ${condition} %}yes{% else %}no{% endif %}`, values)).toBe(expected ? 'yes' : 'no');
    expect(render(`{% unless ${condition} %}no{% else %}yes{% endunless %}`, values)).toBe(
      expected ? 'yes' : 'no',
    );
  });

  test('the first branch that holds is rendered', () => {
    const text = 'A{% if n > 9 %}many{% elsif n > 1 %}some{% elsif n %}one{% else %}none{% endif %}Z';
    expect([{ n: 10 }, { n: 2 }, { n: 1 }, {}].map((values) => render(text, values))).toEqual([
      'AmanyZ',
      'AsomeZ',
      'AoneZ',
      'AnoneZ',
    ]);
  });

  test('a value is never read as a tag', () => {
    const values = { name: '{% if x %}{{email}}', x: '{{email}}', email: 'a@b.c', list: ['{{email}}'] };
    expect(render('{{name}}{% if x %}{{x}}{% endif %}{% for i in list %}{{i}}{% endfor %}', values)).toBe(
      '{% if x %}{{email}}{{email}}{{email}}',
    );
  });
});

/** Renders the text 9,000 times with a list of 2,000 items. */
function inLoops(text: string): string {
  return `{% for i in list %}{% for j in list limit: 9 %}${text}{% endfor %}{% endfor %}`;
}

describe('loops', () => {
  test('render each item, with values from inside and outside of it', () => {
    const items = [
      { title: 'One', tags: ['x'] },
      { title: 'Two', tags: [] },
      { title: 'Three', tags: ['y', 'z'] },
    ];
    const text =
      '{% for item in event.items limit: 2 %}{{item.title}} for {{name}}{% for tag in item.tags %} #{{tag}}{% endfor %};{% endfor %}';
    expect(render(text, { event: { items }, name: 'Ada' })).toBe('One for Ada #x;Two for Ada;');
    expect(render(text, { event: { items: 'no list' } })).toBe('');
  });

  test('what they make is limited', () => {
    const list = Array.from({ length: 2_000 }, () => 'x');
    expect(render('{% for i in list %}{{i}}{% endfor %}', { list })).toHaveLength(1_000);
    const nested = '{% for i in list %}{% for j in list %}{% endfor %}{% endfor %}';
    expect(() => render(nested, { list })).toThrow('must not run more than 10000 times');
    for (const text of [
      `{% if a${' and a'.repeat(199)} %}{% endif %}`,
      '{{none}}'.repeat(100),
      '{% if list contains "y" %}{% endif %}',
      `{% if long contains "${'x'.repeat(9_999)}y" %}{% endif %}`,
    ])
      expect(() => render(inLoops(text), { list, a: 1, long: 'x'.repeat(1_000_000) })).toThrow(
        '200000 steps',
      );
    const long = { list: list.map(() => 'x'.repeat(6_000)) };
    expect(() => render('{% for i in list %}{{i}}{% endfor %}', long)).toThrow('is longer than 5000000');
  });
});

describe('values are encoded for where they stand', () => {
  const values = { v: '"><b>&', url: 'https://x.example/?a=1&b=2', bad: 'javascript:alert(1)', yes: true };

  test('in text, attributes and URLs inside of branches and after them', () => {
    const text =
      '<p title="{% if yes %}{{v}}{% endif %}">{% if yes %}{{v}}{% endif %}{{v}}</p>' +
      '<a href="{% if yes %}https://x.example/{% else %}https://y.example/{% endif %}{{v}}">x</a>';
    expect(render(text, values, 'html')).toBe(
      '<p title="&quot;&gt;&lt;b&gt;&amp;">&quot;&gt;&lt;b&gt;&amp;&quot;&gt;&lt;b&gt;&amp;</p>' +
        '<a href="https://x.example/%22%3E%3Cb%3E%26">x</a>',
    );
  });

  test('a URL with an uncertain beginning takes no value', () => {
    const text = '<a href="{% if yes %}java{% else %}https://y.example/{% endif %}{{v}}">x</a>';
    expect(render(text, values, 'html')).toBe('<a href="java">x</a>');
    expect(render('<a href="{% if yes %}{{bad}}{% endif %}">x</a>', values, 'html')).toBe('<a href="">x</a>');
  });

  test('conditions may be written with character references in HTML', () => {
    expect(render('{% if v contains &quot;&lt;b&quot; %}yes{% endif %}', values, 'html')).toBe('yes');
  });
});

describe('mistakes', () => {
  test.each([
    ['{% assign x = 1 %}', '1:1 {% assign %} is not a known tag'],
    ['a\nb {% include "x" %}', '2:3 {% include %} is not a known tag'],
    ['{%- if x -%}{% endif %}', '1:1 {% - %} is not a known tag'],
    ['{% if x %}', '1:1 {% if %} is not closed with {% endif %}'],
    ['{% if x %}{% for i in x %}{% endif %}', '1:27 {% endif %} stands inside {% for %}'],
    ['{% if x', '1:1 the tag is not closed with %}'],
    ['x {% endif %}', '1:3 {% endif %} has no beginning'],
    ['{% if %}{% endif %}', '1:1 a condition is missing'],
    ['{% if a == %}{% endif %}', '1:1 a value is missing after =='],
    ['{% if a >= 1 %}{% endif %}', '1:1 >= is not one of'],
    ['{% if a | size %}{% endif %}', '1:1 “| size” cannot be read'],
    ['{% if a b %}{% endif %}', '1:1 conditions are joined with'],
    ['{% if a %}{% else %}{% elsif b %}{% endif %}', '1:21 {% elsif %} stands inside'],
    ['{% for x %}{% endfor %}', '1:1 a loop is written as'],
    ['{% for x in y limit: 1001 %}{% endfor %}', '1:1 a loop has at most 1000 items'],
    [`{% if a${' and a'.repeat(200)} %}{% endif %}`, '1:1 a condition has at most 200 comparisons'],
    [`${'{% if a %}'.repeat(21)}${'{% endif %}'.repeat(21)}`, '1:201 conditions and loops are nested'],
  ])('%s', (text, expected) => {
    expect(problem(text)).toContain(expected);
  });

  test('HTML in a branch ends where it began', () => {
    expect(problem('<p\n class="{% if x %}">{% endif %}', 'html')).toContain('2:9 the HTML inside {% if %}');
    expect(problem('<{% if x %}script{% else %}b{% endif %}>', 'html')).toContain('1:2 the HTML inside');
    expect(problem('<a {% if x %}class="y"{% endif %}>{% if x %}<b>{% endif %}', 'html')).toBe('none');
  });

  test('text that only looks like a tag, and stored text with mistakes, stay as they are', () => {
    expect(problem('100{%! and {%')).toBe('none');
    expect(compileTags('{% assign x %}{{name}}', 'plain').render(() => 'Ada')).toBe('{% assign x %}Ada');
  });
});

test('the names of a text are those that it reads from outside', () => {
  expect(
    usedNames('{% if plan %}{{name}}{% endif %}{% for i in items %}{{i.x}}{% if i %}{% endif %}{% endfor %}'),
  ).toEqual(['name', 'plan', 'items']);
});

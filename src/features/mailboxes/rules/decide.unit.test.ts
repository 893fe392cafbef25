import { expect, test } from 'vitest';
import { compileRule, decide, type StoredRule } from './decide.ts';
import { createBudget, matchesPattern, type MessageFacts } from './rule-conditions.ts';
import type { RuleAction, RuleCondition } from './rules.schema.ts';

const facts: MessageFacts = {
  from: ['ada lovelace <ada@example.com>', 'ada@example.com'],
  to: ['team@harbour.test'],
  cc: [],
  deliveredTo: 'sales@harbour.test',
  subject: 'your invoice 42',
  body: () => 'please pay soon',
  header: (name) => (name === 'x-job' ? ['nightly'] : []),
  listId: [],
  attachments: ['invoice.pdf'],
  size: 5_000,
  authentication: 'pass',
  isSpam: false,
  isFirstContact: true,
  segments: new Set(['seg_a']),
};

function rule(
  conditions: RuleCondition[],
  actions: RuleAction[] = [{ type: 'read' }],
  rest: Partial<StoredRule> = {},
) {
  return compileRule({ id: 'r', match: 'all', conditions, actions, stop: false, ...rest });
}

test.each([
  ['from', 'is', 'ADA@example.com', true],
  ['from', 'is_not', 'ada@example.com', false],
  ['from', 'starts_with', 'ada love', true],
  ['from', 'ends_with', '@example.com', true],
  ['delivered_to', 'is', 'sales@harbour.test', true],
  ['subject', 'contains', 'INVOICE', true],
  ['subject', 'not_contains', 'invoice', false],
  ['subject', 'matches', 'your*4?', true],
  ['subject', 'matches', 'invoice*', false],
  ['body', 'contains', 'pay', true],
  ['header:X-Job', 'is', 'nightly', true],
  ['header:X-Other', 'exists', false, true],
  ['cc', 'exists', true, false],
  ['attachment', 'ends_with', '.pdf', true],
  ['size', 'greater', 4_999, true],
  ['size', 'less', 5_000, false],
  ['authentication', 'is', 'pass', true],
  ['spam', 'is', true, false],
  ['spam', 'is_not', true, true],
  ['first_contact', 'is', true, true],
  ['first_contact', 'is_not', true, false],
  ['segment', 'is', 'seg_a', true],
  ['segment', 'is_not', 'seg_a', false],
] as const)('%s %s %s: %s', (field, op, value, expected) => {
  expect(decide([rule([{ field, op, value }])], facts).isRead).toBe(expected);
});

test('many rules that search a long body find what is there, wherever and however short it is', () => {
  const words = ['lamp', 'größe', '灯台', 'x', 'lighthouse keeper', '🎉', 'abcabc'];
  const filler = 'it is a truth universally acknowledged that nobody reads this. '.repeat(30);
  for (const present of words)
    for (const text of [present + filler, filler + present, `${filler}${present}${filler}`]) {
      const rules = words.map((value) =>
        rule([{ field: 'body', op: 'contains', value }], [{ type: 'label', value }]),
      );
      const { labels } = decide(rules, { ...facts, body: () => text });
      expect([present, labels]).toEqual([present, words.filter((word) => text.includes(word))]);
    }
});

test('rules act in order, stop stops, and none sees what another did', () => {
  const decision = decide(
    [
      rule(
        [],
        [
          { type: 'label', value: 'a' },
          { type: 'move', value: 'archive' },
        ],
      ),
      rule([{ field: 'spam', op: 'is', value: true }], [{ type: 'trash' }]),
      rule([], [{ type: 'unlabel', value: 'a' }, { type: 'spam' }], { stop: true }),
      rule([], [{ type: 'star' }]),
    ],
    facts,
  );
  expect(decision).toMatchObject({ labels: [], folder: 'spam', isStarred: false });
  expect(decision.log.map(({ actions }) => actions)).toEqual([
    ['label', 'move'],
    ['unlabel', 'spam'],
  ]);
});

test('a message in spam is neither forwarded nor answered, and leaves spam only by a rule about spam', () => {
  const spam = { ...facts, isSpam: true };
  const actions: RuleAction[] = [
    { type: 'move', value: 'inbox' },
    { type: 'forward', to: 'x@y.test' },
    { type: 'reply', saved_reply_id: 's' },
  ];
  expect(decide([rule([], actions)], spam)).toMatchObject({ folder: null, later: [] });
  expect(decide([rule([{ field: 'spam', op: 'is', value: true }], actions)], spam).folder).toBe('inbox');
});

test('rules that need too much time fail, and are logged', () => {
  const long = { ...facts, body: () => 'a'.repeat(100_000) };
  const slow = rule([{ field: 'body', op: 'matches', value: '*a*a*a*ab' }]);
  const decision = decide(
    Array.from({ length: 60 }, () => slow),
    long,
  );
  expect(decision.log.at(-1)?.error).toMatch(/too much time/);
});

test('a pattern is compared in linear time after its last star', () => {
  expect(matchesPattern('abcabd', '*ab?', createBudget())).toBe(true);
  expect(matchesPattern('', '*', createBudget())).toBe(true);
  expect(matchesPattern('a', '', createBudget())).toBe(false);
});

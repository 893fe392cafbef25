import { describe, expect, test } from 'vitest';
import { parseSieve } from './parse-sieve.ts';
import { ruleInput, type Rule, type RuleInput } from './rules.schema.ts';
import { writeSieve } from './write-sieve.ts';

const FOLDER = 'fld_01kbd8x4zvf7m8rk2q3w5t6y7h';
const REPLY = 'srp_01kbd8x4zvf7m8rk2q3w5t6y7h';
const names = {
  folders: new Map([
    ['inbox', 'inbox'],
    ['archive', 'archive'],
    ['spam', 'spam'],
    ['trash', 'trash'],
    ['clients/acme', FOLDER],
  ]),
  savedReplies: new Set([REPLY]),
};
const folderNames = new Map([
  ['inbox', 'INBOX'],
  ['archive', 'Archive'],
  [FOLDER, 'Clients/Acme'],
]);

function shown(input: Partial<RuleInput> & { actions: RuleInput['actions'] }): Rule {
  const rule = ruleInput.parse({ name: 'Rule 1', ...input });
  const rest = { disabled_reason: null, last_run: null, created_at: '', updated_at: '' };
  return { id: 'rul_1', ...rule, position: 1, ...rest };
}

describe('a rule that is written and read again is the same', () => {
  test.each([
    ['contains', { conditions: [{ field: 'subject', op: 'contains', value: 'a "quoted" \\ word' }] }],
    ['is, for addresses', { conditions: [{ field: 'from', op: 'is', value: 'ada@example.com' }] }],
    ['not', { conditions: [{ field: 'to', op: 'is_not', value: 'x@y.test' }] }],
    ['wildcards in starts_with', { conditions: [{ field: 'subject', op: 'starts_with', value: 'a*b?' }] }],
    ['ends_with', { conditions: [{ field: 'body', op: 'ends_with', value: '.end' }] }],
    ['matches', { conditions: [{ field: 'header:X-Job', op: 'matches', value: 'a*b?c' }] }],
    ['exists', { conditions: [{ field: 'list_id', op: 'exists', value: true }] }],
    ['does not exist', { conditions: [{ field: 'cc', op: 'exists', value: false }] }],
    ['delivered to', { conditions: [{ field: 'delivered_to', op: 'is', value: 'sales@example.com' }] }],
    [
      'any of two, stop',
      {
        match: 'any',
        stop: true,
        conditions: [
          { field: 'size', op: 'greater', value: 1000 },
          { field: 'size', op: 'less', value: 10 },
        ],
      },
    ],
    ['switched off', { enabled: false, conditions: [{ field: 'cc', op: 'contains', value: 'x' }] }],
    ['without conditions', { conditions: [] }],
  ])('%s', (_what, input) => {
    const rule = shown({
      actions: [
        { type: 'label', value: 'work' },
        { type: 'unlabel', value: 'old' },
        { type: 'read' },
        { type: 'star' },
        { type: 'move', value: FOLDER },
        { type: 'forward', to: 'bob@example.org' },
        { type: 'reply', saved_reply_id: REPLY },
        { type: 'spam' },
        { type: 'trash' },
      ],
      ...(input as object),
    });
    const { rules, problems } = parseSieve(writeSieve([rule], folderNames), names);
    expect(problems).toEqual([]);
    expect(rules).toEqual([ruleInput.parse({ ...rule, position: undefined })]);
  });
});

test('what Sieve does not have is written as a comment', () => {
  const script = writeSieve(
    [
      shown({
        name: 'A\nstop;',
        conditions: [{ field: 'segment', op: 'is', value: 'seg_1' }],
        actions: [{ type: 'read' }],
      }),
      shown({ actions: [{ type: 'notify' }, { type: 'read' }] }),
    ],
    folderNames,
  );
  expect(script).toContain('# rule: A stop;\n# Sieve cannot test segment');
  expect(script).toContain('  # Sieve has no action notify.\n  addflag "\\\\Seen";');
});

test.each([
  ['require ["regex"];', 1, 'extension regex'],
  ['\nif true {\n  reject "no";\n}', 3, 'reject'],
  ['if header :regex "subject" "x" { keep; }', 1, ':regex'],
  ['if allof (anyof (true, true), header "a" "b") { discard; }', 1, 'nested'],
  ['if header :contains "subject" "a" { discard; }\nelsif true { keep; }', 2, 'elsif'],
  ['fileinto "Nowhere";', 1, 'does not exist'],
  ['vacation "I am away";', 1, ':handle'],
  ['if true { addflag "x" }', 1, '";"'],
  ['if header "subject" "open { keep; }', 1, 'does not end'],
  ['/* open', 1, 'comment'],
])('%s is refused with its line', (script, line, message) => {
  const { problems } = parseSieve(script, names);
  expect(problems[0]).toEqual({ line, message: expect.stringContaining(message) });
});

test('scripts of other servers are read', () => {
  const { rules, problems } = parseSieve(
    `require ["fileinto", "imap4flags"];
# rule:[Lists]
if anyof (header :contains ["to", "cc"] "list@example.com", exists "list-id") { fileinto "Clients/Acme"; stop; }
/* two lines
*/
if address :comparator "i;ascii-casemap" :is "from" ["a@b.test", "c@d.test"] { redirect "e@f.test"; setflag "\\\\Seen work"; }
`,
    names,
  );
  expect(problems).toEqual([]);
  expect(
    rules.map(({ match, conditions, actions, stop }) => [match, conditions.length, actions.length, stop]),
  ).toEqual([
    ['any', 3, 1, true],
    ['any', 2, 4, false],
  ]);
  expect(rules[1]!.actions.at(-1)).toEqual({ type: 'trash' });
});

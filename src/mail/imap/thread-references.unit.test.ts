import { expect, test } from 'vitest';
import { writeThreads, type SortableMessage } from './sort-thread.ts';
import { threadByReferences } from './thread-references.ts';

function message(uid: number, fields: Partial<SortableMessage>): SortableMessage {
  return {
    uid,
    arrivedAt: uid,
    sentAt: uid,
    size: 1,
    subject: '',
    isReply: false,
    from: '',
    to: '',
    cc: '',
    shownFrom: '',
    shownTo: '',
    messageId: `<${uid}>`,
    references: [],
    ...fields,
  };
}

function threads(...messages: Partial<SortableMessage>[]): string {
  const numbered = messages.map((fields, at) => message(at + 1, fields));
  return writeThreads(threadByReferences(numbered), (uid) => uid);
}

test.each<[string, string, Partial<SortableMessage>[]]>([
  ['answers are below their parents', '(1 2)(3)', [{}, { references: ['<1>'] }, {}]],
  ['a missing message is left out', '(1 2)', [{}, { references: ['<1>', '<gone>'] }]],
  [
    'answers to a missing message stay together',
    '((1)(2))',
    [{ references: ['<x>'] }, { references: ['<x>'] }],
  ],
  ['an answer joins by its subject', '(1 2)', [{ subject: 'A' }, { subject: 'A', isReply: true }]],
  ['an answer may come first', '(2 1)', [{ subject: 'A', isReply: true }, { subject: 'A' }]],
  ['equal subjects are siblings', '((1)(2)(3))', [{ subject: 'A' }, { subject: 'A' }, { subject: 'A' }]],
  ['an id that two messages have', '(1)(2)', [{ messageId: '<a>' }, { messageId: '<a>' }]],
  [
    'a missing message has the place of its first answer',
    '(1)((2)(3))',
    [{ sentAt: 1 }, { references: ['<x>'], sentAt: 1 }, { references: ['<x>'], sentAt: 1 }],
  ],
  ['a loop is cut', '(2 1)', [{ references: ['<2>'] }, { references: ['<1>'] }]],
  ['a message that names itself', '(1)', [{ references: ['<1>'] }]],
  ['the order is that of the Date field', '(2)(1)', [{ sentAt: 9 }, { sentAt: 5 }]],
])('%s', (_name, expected, messages) => {
  expect(threads(...messages)).toBe(expected);
});

test('a thread of 20,000 answers does not overflow', () => {
  const chain = Array.from({ length: 20_000 }, (_, at) => ({ references: [`<${at}>`] }));
  expect(threads(...chain)).toMatch(/^\(1 2 3 .* 20000\)$/);
});

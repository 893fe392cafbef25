import { expect, test } from 'vitest';
import { describePolicy, listOf } from './describe-policy.ts';

const OPEN = {
  mode: 'free',
  recipients: { allow: [], deny: [], threadParticipants: true, contactBookIds: [] },
  maxRecipients: null,
  maxPerHour: null,
  maxPerDay: null,
  maxNewRecipientsPerDay: null,
  links: 'any',
  attachments: 'any',
  bcc: false,
  taint: 'off',
} as const;

const read = (changes: object) => describePolicy({ ...OPEN, ...changes } as never);

test('a policy without rules is one sentence', () => {
  expect(read({})).toEqual(['It sends by itself.']);
  expect(read({ mode: 'draft_only', maxPerHour: 5 })).toEqual(['It writes drafts and sends nothing.']);
});

test('each rule is a sentence', () => {
  expect(
    read({
      mode: 'approve_new',
      recipients: {
        allow: ['example.com'],
        deny: ['a@example.net'],
        threadParticipants: true,
        contactBookIds: ['cbk_1', 'cbk_2'],
      },
      maxRecipients: 1,
      maxPerHour: 20,
      maxPerDay: 1_000,
      links: ['example.com'],
      attachments: 'from_thread',
      bcc: true,
      taint: 'strict',
    }),
  ).toEqual([
    'It writes by itself to people whom the mailbox knows. Emails to others wait for a person.',
    'It writes only to example.com, 2 contact books and people in the conversation.',
    'It never writes to a@example.net.',
    'One email has at most 1 recipient.',
    'It sends at most 20 emails an hour and 1,000 emails a day.',
    'Its links lead only to example.com.',
    'It attaches only files of the conversation.',
    'It may have hidden recipients.',
    'After reading strangers it sends only into their conversation.',
  ]);
});

test('people in the conversation are named only where others are not allowed', () => {
  expect(read({ recipients: { ...OPEN.recipients, allow: ['a.test'], threadParticipants: false } })).toEqual([
    'It sends by itself.',
    'It writes only to a.test.',
  ]);
  expect(read({ mode: 'approve_all', taint: 'strict' })).toHaveLength(1);
});

test('of many names the first are shown, and how many there are besides', () => {
  expect(listOf(['a', 'b', 'c', 'd', 'e'])).toBe('a, b, c and 2 more');
  expect(listOf(['a'])).toBe('a');
});

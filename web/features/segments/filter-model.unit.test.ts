import { expect, test } from 'vitest';
import {
  changeField,
  changeOperator,
  inputOf,
  isComplete,
  newCondition,
  operatorsOf,
  PROPERTY,
  readFilter,
  toFilter,
  type Condition,
  type Group,
} from './filter-model.ts';

function condition(field: string, op: Condition['op'], value = ''): Condition {
  return { key: 0, field, op, value };
}

function all(...parts: Group['parts']): Group {
  return { key: 0, mode: 'all', parts };
}

test('a filter that is read and written again does not change', () => {
  const filter = {
    any: [
      { field: 'email', op: 'contains', value: '@example.org' },
      { field: 'subscribed', op: 'equals', value: true },
      {
        all: [
          { field: 'properties.age', op: 'greater', value: 30 },
          { field: 'createdAt', op: 'after', value: '2026-11-05T12:30:00.000Z' },
          { field: 'firstName', op: 'notExists' },
          { field: 'updatedAt', op: 'moreThanDaysAgo', value: 30 },
          { field: 'topic', op: 'notIn', value: 'top_1' },
          { field: 'campaign', op: 'clicked', value: 'cmp_1', url: 'https://a.example/?b=1' },
          { field: 'campaign', op: 'notOpened', value: 'cmp_1' },
        ],
      },
    ],
  };
  expect(toFilter(readFilter(filter))).toEqual(filter);
});

test('each kind of field has its own conditions', () => {
  expect(operatorsOf('subscribed')).toEqual(['equals']);
  expect(operatorsOf('createdAt')).toEqual([
    'withinLastDays',
    'moreThanDaysAgo',
    'before',
    'after',
    'exists',
    'notExists',
  ]);
  expect(operatorsOf('topic')).toEqual(['in', 'notIn']);
  expect(operatorsOf('campaign')).toContain('notOpened');
  expect(operatorsOf('email')).not.toContain('greater');
  expect(operatorsOf(`${PROPERTY}age`)).toContain('greater');
});

test('changing the field keeps the operator and value that still fit', () => {
  const written = { ...newCondition(), value: 'ada' };
  expect(changeField(written, 'firstName')).toEqual({ ...written, field: 'firstName' });
  expect(changeField(written, 'subscribed')).toMatchObject({ op: 'equals', value: 'true' });
  expect(changeField(written, 'createdAt')).toMatchObject({ op: 'withinLastDays', value: '' });
});

test('changing the operator keeps a value and a link that still fit', () => {
  const clicked = { ...condition('campaign', 'clicked', 'cmp_1'), url: 'https://a.example' };
  expect(changeOperator(clicked, 'notClicked')).toEqual({ ...clicked, op: 'notClicked' });
  expect(changeOperator(clicked, 'opened')).toEqual(condition('campaign', 'opened', 'cmp_1'));
  expect(changeOperator(condition('createdAt', 'withinLastDays', '7'), 'before').value).toBe('');
});

test.each([
  [condition('email', 'exists'), 'none'],
  [condition('createdAt', 'before'), 'time'],
  [condition('properties.age', 'less'), 'number'],
  [condition('engagement.opened', 'equals'), 'flag'],
  [condition('properties.age', 'equals'), 'text'],
] as const)('the value of %j is typed in as %s', (given, expected) => {
  expect(inputOf(given)).toBe(expected);
});

test.each([
  ['no value', all(condition('email', 'contains')), false],
  ['a value', all(condition('email', 'contains', 'x')), true],
  ['a condition that needs none', all(condition('email', 'exists')), true],
  ['a property without a name', all(condition(PROPERTY, 'exists')), false],
  ['a number that is none', all(condition('properties.age', 'less', 'x')), false],
  ['half a day', all(condition('createdAt', 'withinLastDays', '0.5')), false],
  ['some days', all(condition('createdAt', 'withinLastDays', '7')), true],
  ['no campaign', all(condition('campaign', 'sent')), false],
  ['an empty group', all(all()), false],
  ['nothing at all', all(), true],
])('with %s it is complete or not', (_with, group, expected) => {
  expect(isComplete(group)).toBe(expected);
});

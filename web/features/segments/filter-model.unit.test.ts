import { expect, test } from 'vitest';
import {
  changeField,
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

test('a filter is read and written as it was', () => {
  const filter = {
    any: [
      { field: 'email', op: 'contains', value: '@example.org' },
      { field: 'subscribed', op: 'equals', value: true },
      {
        all: [
          { field: 'properties.age', op: 'greater', value: 30 },
          { field: 'createdAt', op: 'after', value: '2026-11-05T12:30:00.000Z' },
          { field: 'firstName', op: 'notExists' },
        ],
      },
    ],
  };
  expect(toFilter(readFilter(filter))).toEqual(filter);
});

test('each kind of field has its own conditions', () => {
  expect(operatorsOf('subscribed')).toEqual(['equals']);
  expect(operatorsOf('createdAt')).toEqual(['before', 'after', 'exists', 'notExists']);
  expect(operatorsOf('email')).not.toContain('greater');
  expect(operatorsOf(`${PROPERTY}age`)).toContain('greater');
});

test('another field keeps what fits it', () => {
  const written = { ...newCondition(), value: 'ada' };
  expect(changeField(written, 'firstName')).toEqual({ ...written, field: 'firstName' });
  expect(changeField(written, 'subscribed')).toMatchObject({ op: 'equals', value: 'true' });
  expect(changeField(written, 'createdAt')).toMatchObject({ op: 'before', value: '' });
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
  ['an empty group', all(all()), false],
  ['nothing at all', all(), true],
])('with %s it is complete or not', (_with, group, expected) => {
  expect(isComplete(group)).toBe(expected);
});

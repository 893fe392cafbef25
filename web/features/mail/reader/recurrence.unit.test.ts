import { expect, test } from 'vitest';
import { describeRecurrence } from './recurrence.ts';

test('how an event repeats is said in words', () => {
  const words = ['FREQ=DAILY', 'FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,WE', 'FREQ=MONTHLY;BYDAY=1MO;COUNT=3'];
  expect(words.map(describeRecurrence)).toEqual([
    'every day',
    'every 2 weeks, Monday and Wednesday',
    'every month, 3 times',
  ]);
  expect(describeRecurrence('FREQ=YEARLY;UNTIL=20301231T235959Z')).toMatch(/^every year, until .*2030/);
});

test('a rule without words is shown as it is', () => {
  expect(describeRecurrence('FREQ=HOURLY')).toBe('FREQ=HOURLY');
});

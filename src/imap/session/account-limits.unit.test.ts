import { expect, test } from 'vitest';
import { createAccountLimits } from './account-limits.ts';

test('a team with many mailboxes leaves connections to other teams, and gets its own back', () => {
  const limits = createAccountLimits(50);
  const logIn = (teamId: number, no: number) => {
    const uncount = limits.connect('127.0.0.1');
    if (!uncount) throw new Error('There are no connections left.');
    const uncountLogin = limits.logIn({ teamId, mailboxId: `${teamId} ${no}` });
    if (!uncountLogin) uncount();
    return uncountLogin;
  };
  const open = Array.from({ length: 5_000 }, (_, at) => logIn(1, Math.floor(at / 100))).filter(Boolean);
  expect(open).toHaveLength(2_500);
  expect(logIn(2, 1)).not.toBeNull();
  open[0]!();
  expect([logIn(1, 60), logIn(1, 60)].map(Boolean)).toEqual([true, false]);
});

test('a mailbox has 100 connections, and a rejected login does not count for its team', () => {
  const limits = createAccountLimits(50);
  const logIn = (mailboxId: string) => limits.logIn({ teamId: 1, mailboxId });
  const open = Array.from({ length: 3_000 }, () => logIn('one')).filter(Boolean);
  expect(open).toHaveLength(100);
  expect(logIn('two')).not.toBeNull();
});

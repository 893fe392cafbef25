import { expect, test } from 'vitest';
import type { VisitRequest } from './judge-visit.ts';
import {
  addClick,
  addOpen,
  AT_ONCE,
  putBack,
  putBackEarly,
  takeDue,
  type WaitingVisits,
} from './waiting-visits.ts';

const EMAIL = { teamId: 1, emailId: 'e' };
const PERSON: VisitRequest = { method: 'GET', userAgent: 'Firefox', purpose: null };
const MACHINE: VisitRequest = { method: 'HEAD', userAgent: null, purpose: null };

const start = (): WaitingVisits => new Map();

function click(waiting: WaitingVisits, path: string, nowMs: number): void {
  addClick(waiting, { ...EMAIL, url: `https://shop.test/${path}` }, PERSON, nowMs);
}

test('opens are due at once; everybody counts, and the first open of a person is the one told', () => {
  const waiting = start();
  addOpen(waiting, EMAIL, MACHINE, 100);
  addOpen(waiting, EMAIL, PERSON, 200);
  addOpen(waiting, EMAIL, PERSON, 300);
  const [taken] = takeDue(waiting, 300);
  expect(taken).toMatchObject({ opens: 3, people: { opens: 2, open: { atMs: 200, userAgent: 'Firefox' } } });
  expect(waiting.size).toBe(0);
});

test('a click waits a second, and takes the opens of its email with it', () => {
  const waiting = start();
  addOpen(waiting, EMAIL, PERSON, 0);
  click(waiting, 'a', 100);
  expect(takeDue(waiting, 1_099)).toEqual([]);
  expect(takeDue(waiting, 1_100)).toMatchObject([{ opens: 1, clicks: 1, people: { opens: 1, clicks: 1 } }]);
});

test('three links within a second are a scanner, whose visits count for nobody', () => {
  const waiting = start();
  for (const path of ['a', 'b', 'c']) click(waiting, path, 0);
  expect(takeDue(waiting, 1_000)).toMatchObject([{ clicks: 3, people: null }]);
});

test('three links with a second between them are a person, also while nothing is written', () => {
  const waiting = start();
  ['a', 'b', 'c'].forEach((path, at) => click(waiting, path, at * 1_000));
  expect(takeDue(waiting, 3_000)).toMatchObject([{ clicks: 3, people: { clicks: 3, click: { atMs: 0 } } }]);
});

test('one link three times within a second is a person', () => {
  const waiting = start();
  for (const ms of [0, 1, 2]) click(waiting, 'a', ms);
  expect(takeDue(waiting, 1_000)).toMatchObject([{ people: { clicks: 3 } }]);
});

test('what could not be written is joined with what came meanwhile', () => {
  const waiting = start();
  for (const path of ['a', 'b']) click(waiting, path, 0);
  const [before] = takeDue(waiting, 1_000);
  click(waiting, 'c', 1_001);
  putBack(waiting, before!);
  expect(takeDue(waiting, 2_001)).toMatchObject([{ clicks: 3, people: { clicks: 3, click: { atMs: 0 } } }]);
});

test('a scanner whose visits could not be written does not make later visitors scanners', () => {
  const waiting = start();
  for (const path of ['a', 'b', 'c']) click(waiting, path, 0);
  const [before] = takeDue(waiting, 1_000);
  putBack(waiting, before!);
  click(waiting, 'a', 5_000);
  expect(takeDue(waiting, 6_000)).toMatchObject([{ clicks: 4, people: { clicks: 1 } }]);
});

test('what comes before the outcome of its delivery is tried again each second, for a minute', () => {
  const waiting = start();
  addOpen(waiting, EMAIL, PERSON, 0);
  let tries = 0;
  for (let now = 0; now <= 120_000; now += 250) {
    for (const early of takeDue(waiting, now)) {
      tries += 1;
      // Everybody's visits are counted by the first try.
      expect(early.opens).toBe(tries === 1 ? 1 : 0);
      expect(early.people?.opens).toBe(1);
      putBackEarly(waiting, early, now);
    }
  }
  expect(tries).toBe(61);
  expect(waiting.size).toBe(0);
});

test('a batch has a limit, and so has what waits', () => {
  const waiting = start();
  addOpen(waiting, EMAIL, PERSON, 0);
  const [one] = waiting.values();
  for (let at = 1; at < 200_000; at += 1) waiting.set(String(at), one!);
  addOpen(waiting, { teamId: 1, emailId: 'one too many' }, PERSON, 0);
  expect(waiting.size).toBe(200_000);
  expect(takeDue(waiting, 0)).toHaveLength(AT_ONCE);
  expect(waiting.size).toBe(198_000);
});

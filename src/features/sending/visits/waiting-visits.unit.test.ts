import { expect, test } from 'vitest';
import type { VisitRequest } from './classify-visitor.ts';
import {
  addClick,
  addOpen,
  BATCH_SIZE,
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

test('opens are due immediately; all are counted, and the first open of a person is kept', () => {
  const waiting = start();
  addOpen(waiting, EMAIL, MACHINE, 100);
  addOpen(waiting, EMAIL, PERSON, 200);
  addOpen(waiting, EMAIL, PERSON, 300);
  const [taken] = takeDue(waiting, 300);
  expect(taken).toMatchObject({ opens: 3, people: { opens: 2, open: { atMs: 200, userAgent: 'Firefox' } } });
  expect(waiting.size).toBe(0);
});

test('a click waits a second, and so do the opens of its email', () => {
  const waiting = start();
  addOpen(waiting, EMAIL, PERSON, 0);
  click(waiting, 'a', 100);
  expect(takeDue(waiting, 1_099)).toEqual([]);
  expect(takeDue(waiting, 1_100)).toMatchObject([{ opens: 1, clicks: 1, people: { opens: 1, clicks: 1 } }]);
});

test('three links within a second mean a scanner, whose visits do not count as those of a person', () => {
  const waiting = start();
  for (const path of ['a', 'b', 'c']) click(waiting, path, 0);
  expect(takeDue(waiting, 1_000)).toMatchObject([{ clicks: 3, people: null }]);
});

test('three links with a second between them mean a person, even while nothing is written', () => {
  const waiting = start();
  ['a', 'b', 'c'].forEach((path, at) => click(waiting, path, at * 1_000));
  expect(takeDue(waiting, 3_000)).toMatchObject([{ clicks: 3, people: { clicks: 3, click: { atMs: 0 } } }]);
});

test('one link three times within a second means a person', () => {
  const waiting = start();
  for (const ms of [0, 1, 2]) click(waiting, 'a', ms);
  expect(takeDue(waiting, 1_000)).toMatchObject([{ people: { clicks: 3 } }]);
});

test('visits that could not be written are merged with newer ones', () => {
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

test('visits before the delivery outcome are retried every second for a minute', () => {
  const waiting = start();
  addOpen(waiting, EMAIL, PERSON, 0);
  let tries = 0;
  for (let now = 0; now <= 120_000; now += 250) {
    for (const early of takeDue(waiting, now)) {
      tries += 1;
      // All visits were counted by the first try.
      expect(early.opens).toBe(tries === 1 ? 1 : 0);
      expect(early.people?.opens).toBe(1);
      putBackEarly(waiting, early, now);
    }
  }
  expect(tries).toBe(61);
  expect(waiting.size).toBe(0);
});

test('the batch size and the number of waiting visits are limited', () => {
  const waiting = start();
  addOpen(waiting, EMAIL, PERSON, 0);
  const [one] = waiting.values();
  for (let at = 1; at < 200_000; at += 1) waiting.set(String(at), one!);
  addOpen(waiting, { teamId: 1, emailId: 'one too many' }, PERSON, 0);
  expect(waiting.size).toBe(200_000);
  expect(takeDue(waiting, 0)).toHaveLength(BATCH_SIZE);
  expect(waiting.size).toBe(198_000);
});

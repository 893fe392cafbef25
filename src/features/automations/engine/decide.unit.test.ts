import { describe, expect, test } from 'vitest';
import type { AutomationStep } from '../definition/automations.schema.ts';
import { decide, type RunAtStep, type StepFacts } from './decide.ts';

const ENTERED = new Date('2026-11-19T12:00:00Z');

function decideAt(
  step: object,
  now: Date | string,
  facts: Partial<StepFacts> = {},
  run: Partial<RunAtStep> = {},
) {
  return decide(
    { key: 'step', ...step } as AutomationStep,
    { automationId: 'a', contactId: 'c', enteredAt: ENTERED, heldUntil: null, ...run },
    { contactZone: undefined, timezone: 'UTC', ...facts },
    new Date(now),
  );
}

function until(decision: ReturnType<typeof decide>): string | null {
  return decision.kind === 'wait' ? decision.until.toISOString() : null;
}

describe('delays', () => {
  test.each([
    ['30 seconds', '2026-11-19T12:00:30.000Z'],
    ['2 weeks', '2026-12-03T12:00:00.000Z'],
    ['366 days', '2027-11-20T12:00:00.000Z'],
  ])('of %s end by the clock, whatever the zone', (length, end) => {
    const delay = { type: 'delay', for: length };
    expect(until(decideAt(delay, ENTERED, { contactZone: 'America/New_York' }))).toBe(end);
    expect(decideAt(delay, end).kind).toBe('go');
  });

  test.each([
    // 02:30 does not exist on 28 March 2027 in Berlin: the clocks go from 02:00 to 03:00.
    ['Europe/Berlin', '2027-03-28T00:00:00Z', '02:30', '2027-03-28T01:00:00.000Z'],
    // 02:30 comes twice on 31 October 2027. The first is meant.
    ['Europe/Berlin', '2027-10-30T23:00:00Z', '02:30', '2027-10-31T00:30:00.000Z'],
    ['Asia/Kathmandu', '2026-11-19T12:00:00Z', '09:00', '2026-11-20T03:15:00.000Z'],
    // Both spellings of the zone are known, and an unknown one is that of the automation.
    ['Europe/Kiev', '2026-11-19T12:00:00Z', '09:00', '2026-11-20T07:00:00.000Z'],
    ['Europe/Kyiv', '2026-11-19T12:00:00Z', '09:00', '2026-11-20T07:00:00.000Z'],
    ['Mars/Olympus', '2026-11-19T12:00:00Z', '09:00', '2026-11-20T09:00:00.000Z'],
    [42, '2026-11-19T12:00:00Z', '09:00', '2026-11-20T09:00:00.000Z'],
  ])(
    'until a time of day are in the zone of the contact: %s from %s to %s',
    (contactZone, entered, at, end) => {
      const enteredAt = new Date(entered);
      expect(until(decideAt({ type: 'delay', until: { at } }, entered, { contactZone }, { enteredAt }))).toBe(
        end,
      );
    },
  );

  test('until a time of day pass over other weekdays', () => {
    // 19 November 2026 is a Thursday.
    const monday = { type: 'delay', until: { at: '09:00', weekdays: [1] } };
    expect(until(decideAt(monday, ENTERED))).toBe('2026-11-23T09:00:00.000Z');
    const today = { type: 'delay', until: { at: '13:00', weekdays: [4] } };
    expect(until(decideAt(today, ENTERED))).toBe('2026-11-19T13:00:00.000Z');
  });
});

describe('emails', () => {
  const email = { type: 'email', quietHours: { from: '22:00', to: '08:00' } };

  test.each([
    ['2026-11-19T21:59:00Z', null],
    ['2026-11-19T22:00:00Z', '2026-11-20T08:00:00.000Z'],
    ['2026-11-20T03:00:00Z', '2026-11-20T08:00:00.000Z'],
    ['2026-11-20T08:00:00Z', null],
  ])('wait for the end of quiet hours over midnight: at %s', (now, end) => {
    const decision = decideAt(email, now);
    expect(until(decision)).toBe(end);
    if (end) expect(decision).toMatchObject({ heldBy: 'quiet_hours' });
  });

  test('have quiet hours in the zone of the contact', () => {
    expect(until(decideAt(email, '2026-11-19T12:00:00Z', { contactZone: 'Pacific/Auckland' }))).toBe(
      '2026-11-19T19:00:00.000Z',
    );
  });

  test('are skipped before they wait, and wait for the frequency cap', () => {
    expect(decideAt(email, '2026-11-19T23:00:00Z', { skip: 'suppressed' })).toMatchObject({
      kind: 'go',
      effect: null,
      result: 'skipped: suppressed',
    });
    const capUntil = new Date('2026-11-20T12:00:00Z');
    expect(decideAt({ type: 'email' }, ENTERED, { capUntil })).toMatchObject({
      kind: 'wait',
      until: capUntil,
      heldBy: 'frequency_cap',
    });
    expect(decideAt({ type: 'email' }, capUntil, { capUntil })).toMatchObject({
      kind: 'go',
      effect: 'email',
    });
  });
});

test('a wait takes one way: at its end, an event that has come still counts', () => {
  const wait = { type: 'wait', event: 'x', timeout: '1 day' };
  const end = new Date(ENTERED.getTime() + 86_400_000);
  expect(decideAt(wait, ENTERED, { happened: false })).toMatchObject({ kind: 'wait', until: end });
  expect(decideAt(wait, end, { happened: true })).toMatchObject({ way: 'received' });
  expect(decideAt(wait, end, { happened: false })).toMatchObject({ way: 'timeout' });
  // What happened at the moment of the end counts.
  expect(decideAt(wait, end, { happened: true })).toMatchObject({ way: 'received' });
});

test('an automatic reply holds every step but an exit', () => {
  const heldUntil = new Date('2026-11-26T12:00:00Z');
  const held = { heldBy: 'auto_reply', until: heldUntil };
  expect(decideAt({ type: 'delay', for: '1 second' }, ENTERED, {}, { heldUntil })).toMatchObject(held);
  expect(decideAt({ type: 'exit' }, ENTERED, {}, { heldUntil })).toMatchObject({ kind: 'exit' });
  expect(decideAt({ type: 'email' }, heldUntil, {}, { heldUntil })).toMatchObject({ kind: 'go' });
});

test('a split gives its shares, and a contact takes the same way again', () => {
  const split = { type: 'split', shares: { a: 90, b: 10, none: 0 } };
  const wayOf = (contactId: string, key = 'step') => {
    const decision = decideAt({ ...split, key }, ENTERED, {}, { contactId });
    return decision.kind === 'go' ? decision.way : null;
  };
  const ways = Array.from({ length: 5_000 }, (_, at) => wayOf(`contact ${at}`));
  const share = ways.filter((way) => way === 'b').length / ways.length;
  expect(share).toBeGreaterThan(0.08);
  expect(share).toBeLessThan(0.12);
  expect(ways).not.toContain('none');
  expect(Array.from({ length: 5_000 }, (_, at) => wayOf(`contact ${at}`))).toEqual(ways);
  expect(Array.from({ length: 5_000 }, (_, at) => wayOf(`contact ${at}`, 'other'))).not.toEqual(ways);
});

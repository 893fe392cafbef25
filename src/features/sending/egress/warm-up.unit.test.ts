import { expect, test } from 'vitest';
import { DAY_MS } from '../../../platform/durations.ts';
import { SIMULATED_PROVIDERS, simulateWarmUp } from '../../../testing/fixtures/warm-up-simulation.ts';
import { chooseEgress } from './choose-egress.ts';
import { dayOfMessage, limitOfDay, type WarmDay } from './warm-up.ts';

const warmUp = { target: 10_000, start: 50, factor: 1.5 };
const calm = { complained: 0, delivered: 0 };
const dayAt = (number: number) =>
  new Date(Date.parse('2026-01-01') + number * DAY_MS).toISOString().slice(0, 10);

/** Sends as much as is allowed on the given days, and returns the limits. */
function simulate(
  days: number,
  {
    isIdle = () => false,
    faults = () => ({}),
  }: {
    isIdle?: (day: number) => boolean;
    faults?: (day: number, sent: number) => Partial<WarmDay>;
  } = {},
) {
  let last: WarmDay | null = null;
  const limits: (ReturnType<typeof limitOfDay> & { day: number })[] = [];
  for (let day = 0; day < days; day++) {
    if (isIdle(day)) continue;
    const limit = limitOfDay(warmUp, last, dayAt(day), calm);
    const sent = limit.cap ?? 20_000;
    limits.push({ ...limit, day });
    last = {
      date: dayAt(day),
      cap: limit.cap,
      sent,
      deferred: 0,
      blocked: 0,
      bounced: 0,
      ...faults(day, sent),
    };
  }
  return limits;
}

test('sixty good days rise to the target, and then there is no limit', () => {
  const limits = simulate(60);
  expect(limits.slice(0, 5).map(({ cap }) => cap)).toEqual([50, 75, 112, 168, 252]);
  const target = limits.findIndex(({ cap }) => cap === 10_000);
  expect(target).toBe(14);
  expect(limits.slice(target + 1).every(({ cap }) => cap === null)).toBe(true);
});

test('weekends without mail do not count', () => {
  const limits = simulate(60, { isIdle: (day) => day % 7 >= 5 });
  expect(limits[6]!.cap).toBe(simulate(7)[6]!.cap);
});

test('a bad day holds the limit, a worse one halves it, and a good one goes on', () => {
  const limits = simulate(12, {
    faults: (day, sent) =>
      day === 5 ? { deferred: Math.ceil(sent * 0.07) } : day === 7 ? { blocked: Math.ceil(sent * 0.05) } : {},
  });
  expect(limits[6]).toMatchObject({ cap: limits[5]!.cap, change: 'hold' });
  expect(limits[8]).toMatchObject({ cap: Math.floor(limits[7]!.cap! / 2), change: 'halve' });
  expect(limits[9]!.change).toBe('rise');
});

test('two idle weeks lower the limit, and two idle months begin anew', () => {
  const rested = simulate(60, { isIdle: (day) => day >= 8 && day < 8 + 21 });
  expect(rested[8]).toMatchObject({ change: 'rest', cap: Math.floor(rested[7]!.cap! * 0.75 ** 3) });
  const cold = simulate(75, { isIdle: (day) => day >= 8 && day < 70 });
  expect(cold[8]).toMatchObject({ change: 'start', cap: 50 });
});

test('complaints halve the limit, and a day of few messages does not raise it', () => {
  const last = { date: dayAt(0), cap: 100, sent: 100, deferred: 0, blocked: 0, bounced: 0 };
  expect(limitOfDay(warmUp, last, dayAt(1), { complained: 4, delivered: 1_000 })).toMatchObject({
    change: 'halve',
  });
  expect(limitOfDay(warmUp, { ...last, sent: 10 }, dayAt(1), calm)).toMatchObject({
    cap: 100,
    change: 'hold',
  });
});

test('the days of a campaign follow the curve', () => {
  const today = { cap: 50, room: 20 };
  expect([0, 19, 20, 94, 95, 206].map((number) => dayOfMessage(warmUp, today, number))).toEqual([
    0, 0, 1, 1, 2, 2,
  ]);
  expect(dayOfMessage(warmUp, { cap: null, room: 0 }, 1_000_000)).toBe(0);
});

test('a recipient keeps its egress, and weights share them', () => {
  const members = [
    { egress: 'a', weight: 3 },
    { egress: 'b', weight: 1 },
  ];
  const keys = Array.from({ length: 4_000 }, (_, no) => `1 campaign p${no}@example.org`);
  const chosen = keys.map((key) => chooseEgress(members, key));
  expect(keys.map((key) => chooseEgress(members.toReversed(), key))).toEqual(chosen);
  const ofA = chosen.filter((egress) => egress === 'a').length;
  expect(ofA).toBeGreaterThan(2_850);
  expect(ofA).toBeLessThan(3_150);
  const more = [...members, { egress: 'c', weight: 1 }];
  expect(keys.every((key, no) => ['c', chosen[no]].includes(chooseEgress(more, key)))).toBe(true);
});

test('providers that defer, block and forgive are all warm within sixty days, and get little more than they trust', () => {
  for (const provider of SIMULATED_PROVIDERS) {
    const days = simulateWarmUp(provider);
    const calm = days.filter(({ day }) => !provider.blocksOn.includes(day));
    for (const { day, sent, deferred, blocked } of calm) {
      // The curve turns before a provider that defers begins to block.
      expect([provider.name, day, blocked]).toEqual([provider.name, day, 0]);
      expect(deferred / sent).toBeLessThan(0.4);
    }
    for (const day of provider.blocksOn) expect(days[day + 1]!.change).toBe('halve');
    expect(days.at(-1)!.change).toBe('warm');
  }
});
